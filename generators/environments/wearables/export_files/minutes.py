"""The minute files: one series of a metric per wearer and day."""

from __future__ import annotations

import datetime as dt
import re
from array import array
from typing import TYPE_CHECKING, NamedTuple

from generators.environments.wearables.export_files.table import rows
from generators.environments.wearables.physiology.signals import MINUTES, STEPS_MOST
from generators.inputs import shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from generators.environments.wearables.export_files.table import Cells
    from generators.environments.wearables.physiology.signals import Metric

UNSEEN = -1
"""A minute of which the file says nothing."""
_DATES = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"),
    re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})"),
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.0+)?)?(?: ([AP]M))?")
_WRITE = "write minutes as 2016-04-01 00:00:00 or 4/1/2016 12:00:00 AM"


class MinuteFile(NamedTuple):
    """How one metric stands in its file."""

    metric: Metric
    names: tuple[str, str]
    column: str
    most: int
    """Highest value, in the file's unit."""
    parts: int
    """How many of ours make one of the file's unit; with one, numbers must be whole."""


FILES = (
    MinuteFile("steps", ("minute_steps.csv", "minuteStepsNarrow_merged.csv"), "Steps", STEPS_MOST, 1),
    MinuteFile("calories", ("minute_calories.csv", "minuteCaloriesNarrow_merged.csv"), "Calories", 655, 100),
    MinuteFile("mets", ("minute_mets.csv", "minuteMETsNarrow_merged.csv"), "METs", 255, 1),
    MinuteFile("intensity", ("minute_intensities.csv", "minuteIntensitiesNarrow_merged.csv"), "Intensity", 3, 1),
)
Series = dict[str, dict[int, "array[int]"]]
"""Wearer -> ordinal of the day -> a value a minute."""


def read_minutes(path: Path, form: MinuteFile) -> Series:
    """Return what a minute file holds. Raise InputError for the first bad row, or a minute given twice."""
    found: Series = {}
    days: dict[str, int] = {}
    clocks: dict[str, int] = {}
    values: dict[str, int] = {}
    for cells in rows(path, ("Id", "ActivityMinute", form.column)):
        given = cells.values
        day, clock = _parted(given["ActivityMinute"].strip())
        if day not in days:
            days[day] = _day(cells, day)
        if clock not in clocks:
            clocks[clock] = _minute(cells, clock)
        raw = given[form.column]
        if raw not in values:
            values[raw] = _value(cells, form)
        minutes = found.setdefault(given["Id"].strip() or cells.text("Id"), {})
        series = minutes.get(days[day])
        if series is None:
            series = minutes[days[day]] = array("i", [UNSEEN]) * MINUTES
        if series[clocks[clock]] != UNSEEN:
            raise cells.refuse("ActivityMinute", f"{shown(given['ActivityMinute'])} is there twice for this Id")
        series[clocks[clock]] = values[raw]
    return found


def complete(series: Mapping[Metric, array[int]], *, last: bool) -> int:
    """Return how many minutes of a day are there in every series: all of them, or on the last day those from 00:00 on.

    A day with other gaps counts as none.
    """
    counts = [values.index(UNSEEN) if UNSEEN in values else MINUTES for values in series.values()]
    least = min(counts)
    whole = least == MINUTES or (last and all(set(values[least:]) <= {UNSEEN} for values in series.values()))
    return least if whole else 0


def _parted(time: str) -> tuple[str, str]:
    for mark in ("T", " "):
        day, found, clock = time.partition(mark)
        if found:
            return day, clock
    return time, ""


def _day(cells: Cells, text: str) -> int:
    for form in _DATES:
        match = form.fullmatch(text)
        if match:
            try:
                return dt.date(*(int(match[part]) for part in ("year", "month", "day"))).toordinal()
            except ValueError:
                break
    raise cells.refuse("ActivityMinute", f"{shown(text)} is not a date", _WRITE)


def _minute(cells: Cells, text: str) -> int:
    match = _CLOCK.fullmatch(text)
    if not match:
        raise cells.refuse("ActivityMinute", f"{shown(text)} is not a time", _WRITE)
    hour, minute, half = int(match[1]), int(match[2]), match[4]
    if int(match[3] or 0):
        raise cells.refuse("ActivityMinute", f"{shown(text)} is not a full minute", _WRITE)
    if minute > 59 or hour > (12 if half else 23) or (half and hour == 0):
        raise cells.refuse("ActivityMinute", f"{shown(text)} is not a time", _WRITE)
    return (hour % 12 + 12 * (half == "PM") if half else hour) * 60 + minute


def _value(cells: Cells, form: MinuteFile) -> int:
    if form.parts == 1:
        return cells.whole(form.column, 0, form.most)
    return cells.rounded(form.column, 0, form.most, form.parts)
