"""Signals of a wearer moved into the window of an environment: by whole weeks, and cut at `now`."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from generators.environments.wearables.export_files.read import bare_day
from generators.environments.wearables.physiology.signals import MINUTES, Signals
from services.runtime.blobs import view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.environments.wearables.physiology.signals import Day, Night, Workout

_WEEK = 7


def fitted(signals: Signals, days: Sequence[dt.date], now: dt.datetime) -> Signals:
    """Return the signals on `days`, which follow each other and end with the day of `now`.

    They are moved by whole weeks, so that weekdays stay what they were: the window ends on the last day of the wearer
    that is whole and has the weekday of the window's last day. Days that the wearer has not are days without a device.
    Nothing is later than `now`. Raise ValueError when the wearer has no whole day.
    """
    by_date = {day.date: day for day in signals.days}
    if not any(_is_whole(day) for day in signals.days):
        msg = "a wearer needs a whole day to be shown"
        raise ValueError(msg)
    shift, basal = _shift(signals, days[-1]), _basal(signals)
    shown: list[Day] = []
    for day in days:
        source = by_date.get((day - shift).isoformat())
        minutes = MINUTES if day < now.date() else now.hour * 60 + now.minute
        if source is None or source.minutes < minutes:
            shown.append(bare_day(day.isoformat(), basal, minutes))
        else:
            shown.append(_cut(replace(source, date=day.isoformat()), minutes))
    dates = {day.date for day in shown}
    nights = [_moved_night(night, shift) for night in signals.nights]
    workouts = [_moved_workout(workout, shift) for workout in signals.workouts]
    return Signals(
        days=tuple(shown),
        nights=tuple(night for night in nights if night.date in dates and _over(night) <= now),
        workouts=tuple(w for w in workouts if w.start[:10] in dates and w.end <= now.isoformat()),
    )


def _shift(signals: Signals, last: dt.date) -> dt.timedelta:
    """Return by how many whole weeks dates move: so that the latest whole day of that weekday becomes `last`."""
    whole = [dt.date.fromisoformat(day.date) for day in signals.days if _is_whole(day)]
    alike = [date for date in whole if (last - date).days % _WEEK == 0]
    # Without such a day, the days after the wearer's last one are shown as days without a device.
    latest = alike[-1] if alike else whole[-1] + dt.timedelta(days=(last - whole[-1]).days % _WEEK)
    return last - latest


def _is_whole(day: Day) -> bool:
    return day.device is not None and day.minutes == MINUTES


def _basal(signals: Signals) -> int:
    return min(min(view(day.calories, "u16")) for day in signals.days)


def _cut(day: Day, minutes: int) -> Day:
    """Return the first minutes of a day; a summary of a whole day tells nothing of a part of it."""
    if day.minutes <= minutes:
        return day
    return replace(
        day,
        steps=day.steps[:minutes],
        mets=day.mets[:minutes],
        intensity=day.intensity[:minutes],
        heart_rate=day.heart_rate[:minutes],
        calories=day.calories[: 2 * minutes],
        heart=None,
    )


def _over(night: Night) -> dt.datetime:
    last = night.segments[-1]
    return dt.datetime.fromisoformat(last.start) + dt.timedelta(minutes=last.minutes)


def _moved(time: str, shift: dt.timedelta) -> str:
    return (dt.datetime.fromisoformat(time) + shift).isoformat()


def _moved_night(night: Night, shift: dt.timedelta) -> Night:
    return replace(
        night,
        date=(dt.date.fromisoformat(night.date) + shift).isoformat(),
        segments=tuple(replace(segment, start=_moved(segment.start, shift)) for segment in night.segments),
    )


def _moved_workout(workout: Workout, shift: dt.timedelta) -> Workout:
    return replace(workout, start=_moved(workout.start, shift), end=_moved(workout.end, shift))
