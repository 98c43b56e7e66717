"""Nights and workouts: their figures are those of their minutes, and they lie where they can."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

from validators.wearables.arrays import MINUTES, minutes_since_0001, rows_by_id, window_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from schemas.base import Json
    from validators.environments.context import Case
    from validators.wearables.arrays import Row, Window

_STAGES = ("light", "deep", "rem", "wake")
_NIGHT_BEGINS = "08:00"
_MODERATE, _VIGOROUS = 30, 60
"""Mean tenths of a MET from which a workout is moderate, and vigorous."""


def workout_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield workouts that are not what the minutes of their time say."""
    window = window_of(case)
    rows = sorted(rows_by_id(case.record, "workouts").values(), key=lambda row: str(row["start"]))
    for one, other in pairwise(rows):
        if str(other["start"]) < str(one["end"]):
            yield f"workouts {one['id']} and {other['id']} overlap"
    for row in rows:
        if window is None:
            yield f"workout {row['id']} has no minutes"
            continue
        tally["workouts"] += 1
        start, end = window.at(str(row["start"])), window.at(str(row["end"]))
        if not 0 <= start < end <= window.minutes:
            yield f"workout {row['id']} goes from {row['start']} to {row['end']}, outside of the recorded minutes"
            continue
        wanted = _workout(window, start, end)
        yield from (
            f"workout {row['id']}: {name} is {row[name]}, its minutes give {value}"
            for name, value in wanted.items()
            if row[name] != value
        )


def _workout(window: Window, start: int, end: int) -> dict[str, Json]:
    mets, length = int(window.flat("mets")[start:end].sum()), end - start
    return {
        "calories": int(window.flat("calories")[start:end].sum()),
        "azm": int((window.flat("intensity")[start:end] > 1).sum()),
        "steps": int(window.flat("steps")[start:end].sum()),
        "intensity": "light" if mets < _MODERATE * length else "moderate" if mets < _VIGOROUS * length else "vigorous",
    }


def night_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield nights whose stages do not sum to their figures, or that lie where no device could record them."""
    window = window_of(case)
    days = rows_by_id(case.record, "wearable_days")
    for date, row in rows_by_id(case.record, "nights").items():
        tally["nights"] += 1
        segments = cast("list[Row]", row["segments"])
        yield from (f"night {date}: {fault}" for fault in _place_faults(date, segments, case.record.now))
        yield from (f"night {date}: {fault}" for fault in _stage_faults(row, segments))
        if date not in days:
            yield f"night {date} begins on a day that was not recorded"
        elif window is not None and days[date]["by_minute"] is True:
            yield from (f"night {date}: {fault}" for fault in _worn_faults(segments, window))


def _stage_faults(row: Row, segments: list[Row]) -> Iterator[str]:
    spent = {stage: sum(cast("int", s["minutes"]) for s in segments if s["stage"] == stage) for stage in _STAGES}
    slept = sum(cast("int", s["minutes"]) for s in segments if s["stage"] != "wake")
    if any(s["stage"] == "asleep" for s in segments):
        # How much of each stage there was is told without when: only their sum can be checked.
        if sum(cast("int", row[stage]) for stage in ("light", "deep", "rem")) != row["asleep"]:
            yield "stages do not sum to sleep"
    else:
        yield from (
            f"{stage} is {row[stage]}, its segments give {spent[stage]}"
            for stage in _STAGES
            if row[stage] != spent[stage]
        )
    if row["asleep"] != slept:
        yield f"asleep is {row['asleep']}, its segments give {slept}"


def _place_faults(date: str, segments: list[Row], now: str) -> Iterator[str]:
    begins = minutes_since_0001(f"{date}T{_NIGHT_BEGINS}:00")
    if not segments:
        yield "it has no segments"
    spans = [_span(segment) for segment in segments]
    for (_, end), (start, _), segment in zip(spans, spans[1:], segments[1:], strict=False):
        if start < end:
            yield f"the segment at {segment['start']} begins before the one before it ends"
    yield from (f"the segment at {s['start']} has no minutes" for s in segments if cast("int", s["minutes"]) <= 0)
    if spans and not begins <= spans[0][0] < begins + MINUTES:
        yield f"it begins at {segments[0]['start']}, which belongs to another night"
    latest = minutes_since_0001(now)
    if any(end > latest for _, end in spans):
        yield f"it ends later than now ({now})"


def _worn_faults(segments: list[Row], window: Window) -> Iterator[str]:
    rates, first = window.flat("heart_rate"), minutes_since_0001(f"{window.first.isoformat()}T00:00:00")
    for segment in segments:
        start, end = (minute - first for minute in _span(segment))
        if not 0 <= start < end <= window.minutes or not rates[start:end].all():
            yield f"no device was worn in the segment at {segment['start']}"


def _span(segment: Row) -> tuple[int, int]:
    """Return the first minute of a segment and the one after it, from the start of day 1."""
    start = minutes_since_0001(str(segment["start"]))
    return start, start + cast("int", segment["minutes"])
