"""The weeks of a user: as tables, and as pictures of steps, heart rate, sleep and workouts."""

from __future__ import annotations

import datetime as dt
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from publishing.card import markdown
from publishing.people.person import MINUTES, weekday
from publishing.pictures import BLUE, GREEN, GREY, PURPLE, RED, new_figure, save

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from publishing.people.person import Person
    from schemas.base import Json

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SMOOTH = 10
"""Minutes that are shown as one point of the heart rate."""
_HEAD = ["day", "source", "steps", "zone minutes", "kcal", "mean rate", "resting", "worn", "sleep after", "workouts"]


def weeks_of(person: Person) -> list[list[str]]:
    """Return the dates of the window by calendar week."""
    return [list(group) for _, group in groupby(person.dates, key=_monday)]


def week_sections(person: Person) -> Iterator[str]:
    """Yield a table for each week, day by day."""
    nights = {str(row["id"]): row for row in person.rows("nights")}
    sources = {str(row["id"]): row["source"] for row in person.rows("source_days")}
    for dates in weeks_of(person):
        yield f"\n## Week of {_monday(dates[0]).isoformat()}\n"
        yield markdown(_HEAD, [_day(person, date, sources[date], nights.get(date)) for date in dates])


def _day(person: Person, date: str, source: Json, night: dict[str, Json] | None) -> list[object]:
    name = f"{DAYS[weekday(date)]} {date[5:]}"
    row = person.recorded.get(date)
    if row is None:
        return [name, "no record", *("" for _ in _HEAD[2:])]
    rate = row["average_rate"]
    workouts = [str(one["sport"]) for one in person.rows("workouts") if str(one["start"])[:10] == date]
    asleep = None if night is None else cast("int", night["asleep"])
    return [
        name if row["minutes"] == MINUTES else f"{name}, so far",
        source,
        row["total_steps"],
        row["azm"],
        f"{cast('int', row['total_calories']) / 100:,.0f}",
        "" if rate is None else f"{cast('int', rate) / 10:.1f}",
        "" if row["resting_rate"] is None else row["resting_rate"],
        f"{100 * cast('int', row['worn']) / cast('int', row['minutes']):.0f} %",
        "" if asleep is None else f"{asleep // 60}:{asleep % 60:02d}",
        ", ".join(workouts),
    ]


def plot_weeks(person: Person, path: Path) -> Path:
    """Write a picture with a panel for each week: steps an hour, heart rate, sleep, workouts, days without a record."""
    weeks = weeks_of(person)
    figure = new_figure(14, 2.4 * len(weeks))
    panels = figure.subplots(len(weeks), 1, squeeze=False, sharey=True)
    for (panel,), dates in zip(panels, weeks, strict=True):
        _panel(person, panel, dates)
    name = person.profile.name
    figure.suptitle(
        f"{name.given} {name.family} ({person.profile.user_id}): steps an hour (blue), heart rate (red), "
        "sleep (purple), workouts (green), no record (grey)",
        fontsize=9,
    )
    return save(figure, path)


def _panel(person: Person, panel: Any, dates: Sequence[str]) -> None:  # noqa: ANN401
    monday = dt.datetime.combine(_monday(dates[0]), dt.time())
    rates, first = person.series("heart_rate"), dict(zip(person.dates, range(len(person.dates)), strict=True))
    beats = panel.twinx()
    for date in dates:
        start = 24 * weekday(date)
        row = person.recorded.get(date)
        if row is None:
            panel.axvspan(start, start + 24, color=GREY, alpha=0.4, lw=0)
            continue
        panel.bar([start + hour + 0.5 for hour in range(24)], cast("list[int]", row["steps"]), width=1, color=BLUE)
        at = first[date] * MINUTES
        beats.plot(*_smoothed(rates[at : at + MINUTES], start), color=RED, lw=0.8)
    for begin, end, colour in _spans(person, monday):
        panel.axvspan(begin, end, color=colour, alpha=0.25, lw=0)
    panel.set_xlim(0, 7 * 24)
    panel.set_xticks([24 * day for day in range(8)])
    panel.set_xticklabels(
        [*(f"{DAYS[n]} {(monday + dt.timedelta(days=n)).date().isoformat()[5:]}" for n in range(7)), ""]
    )
    panel.tick_params(labelsize=7)
    beats.tick_params(labelsize=7)
    beats.set_ylim(40, 200)


def _smoothed(rates: Sequence[int], start: float) -> tuple[list[float], list[float]]:
    """Return hours of the week and mean rates of stretches of minutes; minutes without a device are left out."""
    hours: list[float] = []
    means: list[float] = []
    for at in range(0, len(rates), _SMOOTH):
        worn = [rate for rate in rates[at : at + _SMOOTH] if rate]
        hours.append(start + (at + _SMOOTH / 2) / 60)
        means.append(sum(worn) / len(worn) if worn else float("nan"))
    return hours, means


def _spans(person: Person, monday: dt.datetime) -> Iterator[tuple[float, float, str]]:
    """Yield sleep and workouts of a week as hours of the week."""
    for night in person.rows("nights"):
        for part in cast("list[dict[str, Json]]", night["segments"]):
            if part["stage"] != "wake":
                start = _hours(part["start"], monday)
                yield from _inside(start, start + cast("int", part["minutes"]) / 60, PURPLE)
    for row in person.rows("workouts"):
        yield from _inside(_hours(row["start"], monday), _hours(row["end"], monday), GREEN)


def _inside(start: float, end: float, colour: str) -> Iterator[tuple[float, float, str]]:
    if end > 0 and start < 7 * 24:
        yield max(start, 0), min(end, 7 * 24), colour


def _hours(time: Json, monday: dt.datetime) -> float:
    return (dt.datetime.fromisoformat(str(time)) - monday).total_seconds() / 3600


def _monday(date: str) -> dt.date:
    day = dt.date.fromisoformat(date)
    return day - dt.timedelta(days=day.weekday())
