"""Signals that a user is given instead of modelled ones: of a wearer's exports, or those an environment holds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, cast

from generators.environments import odds
from generators.environments.folders import FolderInput
from generators.environments.wearables.export_files import export_files, fitted, read_wearables
from generators.environments.wearables.physiology.signals import (
    METRICS,
    MINUTES,
    Day,
    HeartSummary,
    Night,
    Segment,
    Signals,
)
from services.runtime.blobs import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from generators.environments.folders import Rows
    from generators.environments.wearables.export_files import Wearables
    from generators.environments.wearables.physiology.signals import Stage
    from schemas.base import Json

Worn: TypeAlias = Callable[[Sequence[dt.date], dt.datetime], Signals]
"""Returns the signals of a window of days that ends at a time."""
_ZONES = ("zone_below", "zone_fat_burn", "zone_cardio", "zone_peak")


@dataclass(frozen=True, slots=True)
class Exports:
    """The wearers of a folder, who take turns among users."""

    folder: Path
    wearables: Wearables

    @property
    def sha256(self) -> str:
        """Return the digest of the files read."""
        return self.wearables.sha256

    def of(self, index: int) -> Worn:
        """Return the signals of the user of an index."""
        return partial(fitted, self.wearables.of(index))

    def lines(self) -> Iterator[str]:
        """Yield a line for all wearers, and one for each."""
        yield self.summary()
        for name, signals in self.wearables.signals.items():
            yield f"wearer {name}: {_told(signals)}"

    def summary(self) -> str:
        """Return what was found, in one line."""
        signals = self.wearables.signals.values()
        days = sum(_whole(one) for one in signals)
        nights = sum(len(one.nights) for one in signals)
        return f"{self.folder}: {len(signals)} wearers, {days} whole days, {nights} nights"


def _told(signals: Signals) -> str:
    rates = sum(day.heart is not None for day in signals.days)
    first, last = signals.days[0].date, signals.days[-1].date
    parts = f"{_whole(signals)} whole days, {len(signals.nights)} nights, heart rates of {rates} days"
    return f"{first} to {last}, {parts}"


def _whole(signals: Signals) -> int:
    return sum(day.device is not None and day.minutes == MINUTES for day in signals.days)


def taken(tables: Rows, blobs: Mapping[str, str]) -> Worn | None:
    """Return the signals that an environment holds, None where they were modelled or there are none.

    What is modelled follows from the METs; a file brings calories of its own.
    """
    described = {str(row["id"]): row for row in tables["signals"]}
    if not described or described["calories"]["derived"] is True:
        return None
    signals = _signals(tables, blobs, str(described["calories"]["first_day"]))
    return lambda days, now: signals


def _signals(tables: Rows, blobs: Mapping[str, str], first_day: str) -> Signals:
    series = {name: unpack(blobs[name], width * MINUTES * odds.WINDOW_DAYS) for name, width in METRICS.items()}
    recorded = {str(row["id"]): row["source"] is not None for row in tables["source_days"]}
    summaries = {str(row["id"]): row for row in tables["wearable_days"] if row["by_minute"] is False}
    days: list[Day] = []
    for number in range(-(-len(series["steps"]) // MINUTES)):
        date = (dt.date.fromisoformat(first_day) + dt.timedelta(days=number)).isoformat()
        cut = {
            name: series[name][number * MINUTES * width : (number + 1) * MINUTES * width]
            for name, width in METRICS.items()
        }
        heart = _heart(summaries[date]) if date in summaries else None
        days.append(Day(date=date, device=0 if recorded[date] else None, **cut, heart=heart))
    return Signals(tuple(days), tuple(_night(row) for row in tables["nights"]), ())


def _heart(row: Mapping[str, Json]) -> HeartSummary:
    names = ("resting_rate", "average_rate", "highest_rate", "lowest_rate", *_ZONES)
    resting, average, highest, lowest, *zones = (cast("int", row[name]) for name in names)
    below, fat_burn, cardio, peak = zones
    return HeartSummary(resting, average, highest, lowest, (below, fat_burn, cardio, peak))


def _night(row: Mapping[str, Json]) -> Night:
    segments = tuple(
        Segment(str(part["start"]), cast("int", part["minutes"]), cast("Stage", part["stage"]))
        for part in cast("Sequence[Mapping[str, Json]]", row["segments"])
    )
    light, deep, rem, wake = (cast("int", row[name]) for name in ("light", "deep", "rem", "wake"))
    return Night(str(row["id"]), segments, light, deep, rem, wake)


FOLDER = FolderInput(export_files, lambda folder: Exports(folder, read_wearables(folder)), taken)
"""Exports of wearers."""
