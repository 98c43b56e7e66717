"""A folder of exports as signals per wearer."""

from __future__ import annotations

import datetime as dt
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.environments.folders import digest_of_files
from generators.environments.wearables.export_files.minutes import FILES, Series, complete, read_minutes
from generators.environments.wearables.export_files.summaries import (
    HEART_NAMES,
    SLEEP_NAMES,
    read_hearts,
    read_nights,
)
from generators.environments.wearables.export_files.table import find
from generators.environments.wearables.physiology.signals import MINUTES, Day, Signals
from generators.inputs import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from generators.environments.wearables.physiology.signals import HeartSummary, Metric, Night

_REST = 10


@dataclass(frozen=True, slots=True)
class Wearables:
    """What a folder of exports holds."""

    signals: Mapping[str, Signals]
    """By the Id of the wearer, in order of Id."""
    sha256: str
    """Over the names and bytes of the files read, so that the content decides what is made from it."""

    def of(self, index: int) -> Signals:
        """Return the signals of user `index`: wearers take turns."""
        return [*self.signals.values()][index % len(self.signals)]


def export_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are read, the four minute files first. Raise InputError where one lacks."""
    if not folder.is_dir():
        raise refuse(str(folder), "", "", "is not a folder", "give the folder that holds the exports")
    found: list[Path] = []
    for form in FILES:
        path = find(folder, form.names)
        if path is None:
            raise refuse(str(folder), "", "", f"holds no {form.names[0]}", "the four minute files belong together")
        found.append(path)
    return [*found, *(path for names in (HEART_NAMES, SLEEP_NAMES) if (path := find(folder, names)))]


def read_wearables(folder: Path) -> Wearables:
    """Return the signals of the wearers in a folder of exports; there are no workouts, no file tells of any.

    A day of which a minute lacks in one of the files was not recorded; only the last one may end early. METs below
    rest, as some exports have, are read as rest.

    Raises:
        InputError: naming the file, the row and the field of the first fault, and the way out.
    """
    read = export_files(folder)
    series: dict[Metric, Series] = {
        form.metric: read_minutes(path, form) for form, path in zip(FILES, read, strict=False)
    }
    wearers = sorted(set[str]().union(*series.values()))
    if not wearers:
        raise refuse(read[0].name, "", "", "holds no row", "export the files again")
    hearts: dict[tuple[str, str], HeartSummary] = {}
    nights: dict[tuple[str, str], Night] = {}
    if path := find(folder, HEART_NAMES):
        hearts = read_hearts(path, wearers)
    if path := find(folder, SLEEP_NAMES):
        nights = read_nights(path, wearers)
    found: dict[str, Signals] = {}
    for wearer in wearers:
        days = _days(wearer, series, hearts)
        if not any(day.device is not None and day.minutes == MINUTES for day in days):
            raise refuse(read[0].name, "", "", f"has no whole day of Id {wearer}", "leave the wearer out of the files")
        own = [nights[wearer, day.date] for day in days if (wearer, day.date) in nights]
        found[wearer] = Signals(tuple(days), tuple(own), ())
    return Wearables(found, digest_of_files(read))


def _days(wearer: str, series: Mapping[Metric, Series], hearts: Mapping[tuple[str, str], HeartSummary]) -> list[Day]:
    """Return the days from the first to the last one of a wearer that any file holds."""
    own: dict[Metric, dict[int, array[int]]] = {
        metric: by_wearer.get(wearer, {}) for metric, by_wearer in series.items()
    }
    ordinals = sorted(set[int]().union(*own.values()))
    unseen = array("i", [-1]) * MINUTES
    spent = [value for values in own["calories"].values() for value in values if value >= 0]
    basal = min(spent, default=0)
    days: list[Day] = []
    for ordinal in range(ordinals[0], ordinals[-1] + 1):
        values: dict[Metric, array[int]] = {metric: by_day.get(ordinal, unseen) for metric, by_day in own.items()}
        minutes = complete(values, last=ordinal == ordinals[-1])
        date = dt.date.fromordinal(ordinal).isoformat()
        days.append(_day(date, values, minutes, hearts.get((wearer, date))) if minutes else bare_day(date, basal))
    return days


def _day(date: str, values: Mapping[Metric, array[int]], minutes: int, heart: HeartSummary | None) -> Day:
    shown = {metric: series[:minutes].tolist() for metric, series in values.items()}
    return Day(
        date=date,
        device=0,
        steps=bytes(shown["steps"]),
        mets=bytes(max(_REST, value) for value in shown["mets"]),
        intensity=bytes(shown["intensity"]),
        heart_rate=bytes(minutes),
        calories=b"".join(value.to_bytes(2, "little") for value in shown["calories"]),
        heart=heart,
    )


def bare_day(date: str, basal: int, minutes: int = MINUTES) -> Day:
    """Return a day that no device recorded: rest, at the least energy that the wearer spent in any minute."""
    return Day(
        date=date,
        device=None,
        steps=bytes(minutes),
        mets=bytes([_REST]) * minutes,
        intensity=bytes(minutes),
        heart_rate=bytes(minutes),
        calories=basal.to_bytes(2, "little") * minutes,
    )
