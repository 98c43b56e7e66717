"""The minutes of one day as a source gives them, in windows that begin with their start and end before their end."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from schemas.base import Json
from services.moments import DATE_ERROR, TIME_ERROR, clock_at, clock_of, day_of, minutes_of
from services.runtime.tools import Context, tool
from services.sources.platforms import FAMILY
from services.wearables.records import Signal, WearableDay
from services.wearables.shown import MINUTES, Day, kcal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


From: TypeAlias = Annotated[
    str | UnsetType, Meta(description="First minute, HH:MM in 24-hour format; 00:00 when left out.")
]
Until: TypeAlias = Annotated[
    str | UnsetType,
    Meta(description="Minute before which to stop, HH:MM in 24-hour format; 24:00, as when left out, is midnight."),
]
GATES = ("RAW", "CONNECTED", "SOURCE_DATA")
_MIDNIGHT = "24:00"
_TIMES = tuple(clock_at(minute) for minute in range(MINUTES))
_ERRORS = {**DATE_ERROR, **TIME_ERROR, "INVALID_RANGE": "The window ends before it starts."}
_EXAMPLE: dict[str, Json] = {"date": "2025-05-12", "start": "17:00", "end": "18:00"}


def _window(c: Context, start: str | UnsetType, end: str | UnsetType) -> tuple[int, int]:
    """Return the first minute and the one before which to stop. Refuse a window that is none."""
    first = 0 if isinstance(start, UnsetType) else minutes_of(clock_of(c, start))
    last = MINUTES if isinstance(end, UnsetType) or end == _MIDNIGHT else minutes_of(clock_of(c, end))
    if last <= first:
        c.refuse("INVALID_RANGE", f"The window ends at {end}, not after it starts at {start}.")
    return first, last


def check_window(
    c: Context, date: str, start: str | UnsetType = UNSET, end: str | UnsetType = UNSET, **_: object
) -> None:
    """Refuse a day or a window that is none."""
    day_of(c, date)
    _window(c, start, end)


def _same(values: Sequence[int]) -> Sequence[Json]:
    return [*values]


def _in_kcal(values: Sequence[int]) -> Sequence[Json]:
    return [kcal(value) for value in values]


def _points(
    c: Context,
    window: tuple[str, str | UnsetType, str | UnsetType],
    source: str,
    metric: str,
    unit: str,
    shown: Callable[[Sequence[int]], Sequence[Json]] = _same,
) -> dict[str, Json]:
    date, start, end = window
    first, last = _window(c, start, end)
    signal, day = c.get(Signal, metric), c.get(WearableDay, date)
    if signal is None or day is None:
        msg = f"{date} is said to be recorded by {source}, and there is no record of its {metric}"
        raise LookupError(msg)
    begins = MINUTES * (dt.date.fromisoformat(date) - dt.date.fromisoformat(signal.first_day)).days
    stop = min(last, day.minutes)
    values = shown(c.blob(metric)[begins + first : begins + stop].tolist()) if first < stop else ()
    return {
        "available": True,
        "date": date,
        "source": source,
        "unit": unit,
        "recorded_until": clock_at(day.minutes),
        "points": [{"time": time, "value": value} for time, value in zip(_TIMES[first:stop], values, strict=True)],
    }


@tool(side="assistant", family=FAMILY, gates=GATES, errors=_ERRORS, before=check_window, example=_EXAMPLE)
def get_intraday_steps(
    c: Context, source_name: str, date: Day, start: From = UNSET, end: Until = UNSET
) -> dict[str, Json]:
    """Return the steps of each minute of a day, or of a window of it.

    `available`; when true also `date`, `source`, `unit`, `recorded_until` (24:00, or the minute it is now on today) and
    `points` [{time, value}], one for each minute from `start` to before `end`, as far as the day has gone.
    """
    return _points(c, (date, start, end), source_name, "steps", "steps")


@tool(side="assistant", family=FAMILY, gates=GATES, errors=_ERRORS, before=check_window, example=_EXAMPLE)
def get_intraday_calories(
    c: Context, source_name: str, date: Day, start: From = UNSET, end: Until = UNSET
) -> dict[str, Json]:
    """Return the kcal burned in each minute of a day, or of a window of it, resting energy included.

    `available`; when true also `date`, `source`, `unit`, `recorded_until` (24:00, or the minute it is now on today) and
    `points` [{time, value}], one for each minute from `start` to before `end`, as far as the day has gone.
    """
    return _points(c, (date, start, end), source_name, "calories", "kcal", _in_kcal)


@tool(side="assistant", family=FAMILY, gates=GATES, errors=_ERRORS, before=check_window, example=_EXAMPLE)
def get_intraday_mets(
    c: Context, source_name: str, date: Day, start: From = UNSET, end: Until = UNSET
) -> dict[str, Json]:
    """Return the METs of each minute of a day, or of a window of it, in tenths of a MET: 10 is rest.

    `available`; when true also `date`, `source`, `unit`, `recorded_until` (24:00, or the minute it is now on today) and
    `points` [{time, value}], one for each minute from `start` to before `end`, as far as the day has gone.
    """
    return _points(c, (date, start, end), source_name, "mets", "tenths of a MET")


@tool(side="assistant", family=FAMILY, gates=GATES, errors=_ERRORS, before=check_window, example=_EXAMPLE)
def get_intraday_intensities(
    c: Context, source_name: str, date: Day, start: From = UNSET, end: Until = UNSET
) -> dict[str, Json]:
    """Return the intensity of each minute of a day, or of a window: 0 sedentary, 1 light, 2 fairly, 3 very active.

    `available`; when true also `date`, `source`, `unit`, `recorded_until` (24:00, or the minute it is now on today) and
    `points` [{time, value}], one for each minute from `start` to before `end`, as far as the day has gone.
    """
    return _points(c, (date, start, end), source_name, "intensity", "0 to 3")
