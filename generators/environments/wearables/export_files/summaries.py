"""The daily files: heart rates and nights, which name no minutes."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, cast

from generators.environments.wearables.export_files.table import rows
from generators.environments.wearables.physiology.signals import MINUTES, HeartSummary, Night, Segment
from generators.inputs import refuse, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from generators.environments.wearables.export_files.table import Cells

HEART_NAMES = ("daily_heartrate.csv", "heartrate_summary.csv")
SLEEP_NAMES = ("daily_sleep.csv", "sleep_summary.csv")
ZONES = ("zone_Below_minutes", "zone_Fat Burn_minutes", "zone_Cardio_minutes", "zone_Peak_minutes")
_RATES = (30, 220)
_STAGES = ("light", "deep", "rem")
_LOST = 10
"""Minutes that a device may have lost between start and end of a segment."""


def read_hearts(path: Path, wearers: Sequence[str]) -> dict[tuple[str, str], HeartSummary]:
    """Return heart summaries by wearer and date. Raise InputError for the first bad row."""
    found: dict[tuple[str, str], HeartSummary] = {}
    columns = ("Date", "resting_hr", "avg_hr", "max_hr", "min_hr", *ZONES)
    for cells, key in _keyed(path, columns, wearers):
        resting, highest, lowest = (cells.whole(name, *_RATES) for name in ("resting_hr", "max_hr", "min_hr"))
        average = cells.rounded("avg_hr", *_RATES, parts=10)
        if not 10 * lowest <= average <= 10 * highest:
            raise cells.refuse("avg_hr", f"{cells.values['avg_hr']} is not between min_hr and max_hr")
        if sum(cells.number_of(zone, 0, MINUTES) for zone in ZONES) > MINUTES + 1:
            raise cells.refuse(ZONES[0], "the zones of the day sum to more than 1,440 minutes")
        below, fat_burn, cardio, peak = (cells.rounded(zone, 0, MINUTES) for zone in ZONES)
        found[key] = HeartSummary(resting, average, highest, lowest, (below, fat_burn, cardio, peak))
    return found


def read_nights(path: Path, wearers: Sequence[str]) -> dict[tuple[str, str], Night]:
    """Return nights by wearer and date. Raise InputError for the first bad row, and where sums do not agree."""
    found: dict[tuple[str, str], Night] = {}
    totals = ("total_sleep_minutes", "total_light_minutes", "total_deep_minutes", "total_rem_minutes")
    for cells, key in _keyed(path, ("Date", *totals, "segments_json"), wearers):
        whole, *stages = (cells.whole(name, 0, MINUTES) for name in totals)
        segments, sums = _segments(cells, dt.date.fromisoformat(key[1]))
        if sum(stages) != whole:
            raise cells.refuse(totals[0], f"{whole} is not the sum of light, deep and rem")
        for stage, total, told in zip(_STAGES, stages, sums, strict=True):
            if total != told:
                raise cells.refuse(f"total_{stage}_minutes", f"{total} is not the sum over the segments, {told}")
        if segments:
            found[key] = Night(key[1], tuple(segments), *stages, wake=0)
    return found


def _keyed(path: Path, columns: Sequence[str], wearers: Sequence[str]) -> Iterator[tuple[Cells, tuple[str, str]]]:
    """Yield the rows with their wearer and date, each pair once."""
    seen: set[tuple[str, str]] = set()
    for cells in rows(path, columns, ("Id",)):
        if not cells.has("Id") and len(wearers) > 1:
            fault = f"is missing, while the minute files hold {len(wearers)} wearers"
            raise refuse(path.name, "row 1", "Id", fault, "add the column, or leave the file out")
        wearer = cells.text("Id") if cells.has("Id") else wearers[0]
        key = wearer, cells.date("Date").isoformat()
        if key in seen:
            raise cells.refuse("Date", f"{key[1]} is there twice for this wearer")
        seen.add(key)
        yield cells, key


def _segments(cells: Cells, date: dt.date) -> tuple[list[Segment], list[int]]:
    """Return the episodes of a night, whose stages within are not told, and the minutes of each stage."""
    try:
        given: object = json.loads(cells.text("segments_json"))
    except ValueError:
        given = None
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in cast("list[object]", given)):
        raise cells.refuse("segments_json", "is not a list of segments in JSON")
    segments: list[Segment] = []
    sums = [0, 0, 0]
    for item in cast("list[dict[str, object]]", given):
        start, end = (_time(cells, item, name) for name in ("start_time", "end_time"))
        length, *stages = (
            _count(cells, item, name) for name in ("duration_minutes", *(f"{s}_minutes" for s in _STAGES))
        )
        begun = dt.datetime.combine(date, dt.time(8))
        if not begun <= start <= begun + dt.timedelta(days=1):
            raise cells.refuse("segments_json", f"{start.isoformat()} is not within a day from 08:00 of the date")
        if sum(stages) != length or not -1 <= (end - start).total_seconds() // 60 - length <= _LOST:
            raise cells.refuse("segments_json", f"the segment at {start.isoformat()} does not last what its parts say")
        segments.append(Segment(start.replace(second=0).isoformat(), length, "asleep"))
        sums = [total + part for total, part in zip(sums, stages, strict=True)]
    return sorted(segments, key=lambda segment: segment.start), sums


def _time(cells: Cells, item: dict[str, object], name: str) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(str(item.get(name)))
    except ValueError:
        found = None
    if found is None or found.tzinfo is not None:
        raise cells.refuse("segments_json", f"{name} {shown(item.get(name))} is not a local time")
    return found


def _count(cells: Cells, item: dict[str, object], name: str) -> int:
    value = item.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MINUTES:
        raise cells.refuse("segments_json", f"{name} {shown(value)} is not a number of minutes")
    return value
