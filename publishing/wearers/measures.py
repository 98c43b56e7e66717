"""What is measured of a population: one value per night or per day.

The real data are daily summaries, so that only what they measure is compared. Their stages (94 % light) and their
resting rates (the minimum of the day, every day) are not. A night counts from two hours of sleep on, a day from 1,000
worn minutes on. A bed time is when the longest stretch of sleep began, in minutes after noon.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from generators.environments.wearables.export_files.summaries import (
    HEART_NAMES,
    SLEEP_NAMES,
    read_hearts,
    read_nights,
)
from generators.environments.wearables.export_files.table import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from generators.environments.wearables.physiology.signals import Signals
    from schemas.base import Json

NIGHT_LEAST = 120
"""Minutes of sleep."""
WORN_LEAST = 1_000
_BREAK = 60
"""Minutes between two segments that part two stretches of sleep."""
_ZONES_FROM = (90, 110, 140)
MEASURES: Mapping[str, str] = {
    "sleep": "total sleep, minutes",
    "bed": "bed time, minutes after noon",
    "mean_rate": "mean heart rate of a day",
    "max_rate": "highest heart rate of a day",
    "below": "below 90 bpm, % of worn time",
    "fat_burn": "90-109 bpm, % of worn time",
    "cardio": "110-139 bpm, % of worn time",
    "peak": "140 bpm and more, % of worn time",
}
"""What is compared, in words."""
_ZONES = ("below", "fat_burn", "cardio", "peak")


@dataclass(frozen=True, slots=True)
class Measured:
    """The values of a population, by measure."""

    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in MEASURES})

    def add_night(self, asleep: int, segments: Sequence[tuple[str, int]]) -> None:
        """Count a night with its segments as (start, minutes), by start; a short one is left out."""
        if asleep >= NIGHT_LEAST:
            self.values["sleep"].append(asleep)
            self.values["bed"].append(_bed(segments))

    def add_day(self, mean_rate: float, max_rate: int, zones: Sequence[int]) -> None:
        """Count a day with the minutes in its four zones; a day hardly worn is left out."""
        worn = sum(zones)
        if worn >= WORN_LEAST:
            self.values["mean_rate"].append(mean_rate)
            self.values["max_rate"].append(max_rate)
            for name, minutes in zip(_ZONES, zones, strict=True):
                self.values[name].append(100 * minutes / worn)


def measured_signals(people: Iterable[Signals]) -> Measured:
    """Return the measures of signals."""
    found = Measured()
    for signals in people:
        for night in signals.nights:
            found.add_night(night.asleep, [(segment.start, segment.minutes) for segment in night.segments])
        for day in signals.days:
            rates = [rate for rate in day.heart_rate if rate]
            bounds = (0, *_ZONES_FROM, 256)
            zones = [sum(low <= rate < high for rate in rates) for low, high in pairwise(bounds)]
            if rates:
                found.add_day(sum(rates) / len(rates), max(rates), zones)
    return found


def measured_tables(environments: Iterable[Mapping[str, Sequence[Mapping[str, Json]]]]) -> Measured:
    """Return the measures of published environments: of their records of days and nights."""
    found = Measured()
    for tables in environments:
        add_tables(found, tables)
    return found


def add_tables(found: Measured, tables: Mapping[str, Sequence[Mapping[str, Json]]]) -> None:
    """Count the days and nights of one published environment."""
    for night in tables.get("nights", ()):
        segments = cast("list[dict[str, str | int]]", night["segments"])
        found.add_night(cast("int", night["asleep"]), [(str(p["start"]), int(p["minutes"])) for p in segments])
    for day in tables.get("wearable_days", ()):
        if day["average_rate"] is not None:
            zones = [cast("int", day[f"zone_{name}"]) for name in _ZONES]
            found.add_day(cast("int", day["average_rate"]) / 10, cast("int", day["highest_rate"]), zones)


def measured_files(folder: Path) -> Measured | None:
    """Return the measures of the daily files in a folder, None where it holds none. Raise InputError for a bad row."""
    hearts, nights = find(folder, HEART_NAMES), find(folder, SLEEP_NAMES)
    if hearts is None or nights is None:
        return None
    found = Measured()
    for night in read_nights(nights, ["real"]).values():
        found.add_night(night.asleep, [(segment.start, segment.minutes) for segment in night.segments])
    for heart in read_hearts(hearts, ["real"]).values():
        found.add_day(heart.average_tenths / 10, heart.highest, heart.zone_minutes)
    return found


def _bed(segments: Sequence[tuple[str, int]]) -> int:
    """Return when the longest stretch of sleep began, in minutes after the noon before."""
    stretches: list[tuple[dt.datetime, dt.datetime]] = []
    for text, minutes in segments:
        start = dt.datetime.fromisoformat(text)
        end = start + dt.timedelta(minutes=minutes)
        if stretches and start - stretches[-1][1] < dt.timedelta(minutes=_BREAK):
            stretches[-1] = stretches[-1][0], end
        else:
            stretches.append((start, end))
    start, _ = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
    return ((start.hour + 12) % 24) * 60 + start.minute
