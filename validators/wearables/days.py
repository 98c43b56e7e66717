"""Days: hours, totals, active zone minutes and heart rates are what the minutes add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from validators.wearables.arrays import HOURS, MINUTES, by_hour, rows_by_id, window_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from schemas.base import Json
    from validators.environments.context import Case
    from validators.wearables.arrays import Grid, Row, Window

_REST, _UNWORN = 10, 0
_HALF_HOUR = 30
_NEVER = 1 << 30
"""More than any sum of heart rates."""
_ZONES = {"zone_below": (30, 89), "zone_fat_burn": (90, 109), "zone_cardio": (110, 139), "zone_peak": (140, 220)}
_LEVELS = ("sedentary", "light", "fairly", "very")
_HEART = ("worn", "resting_rate", "average_rate", "highest_rate", "lowest_rate", *_ZONES)
MET_BOUNDS = (16, 30, 60)
"""Tenths of a MET from which a minute counts as light, moderate and vigorous."""


def day_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield days whose record is not what their minutes say, and series that do not fit the window or each other."""
    window = window_of(case)
    recorded = rows_by_id(case.record, "wearable_days")
    if window is None:
        if recorded:
            yield "days are recorded, and there are no series"
        return
    yield from _window_faults(case, window)
    yield from _series_faults(window)
    expected = _expected(window)
    sources = rows_by_id(case.record, "source_days")
    if set(sources) != set(window.days):
        yield f"sources are told for {len(sources)} days, the series have {len(window.days)}"
    for number, date in enumerate(window.days):
        row = recorded.get(date)
        if row is None:
            if any(window.series[name][number].any() for name in ("steps", "heart_rate")):
                yield f"{date}: something was recorded on a day without a record"
            continue
        tally["days"] += 1
        wanted = expected[number]
        fields = [name for name in wanted if row["by_minute"] is True or name not in _HEART]
        yield from (f"{date}: {f} is {row[f]}, its minutes give {wanted[f]}" for f in fields if row[f] != wanted[f])
        if row["by_minute"] is not True:
            yield from _summary_faults(date, row, window.series["heart_rate"][number])


def _window_faults(case: Case, window: Window) -> Iterator[str]:
    """Yield a fault unless the series end with the last minute that was over."""
    now = window.at(case.record.now)
    if window.minutes != now:
        yield f"the series have {window.minutes} minutes, and {now} are over"


def _series_faults(window: Window) -> Iterator[str]:
    """Yield values that no minute can have, and intensities and calories that do not follow from the METs."""
    mets, intensity, rates, steps = (window.flat(name) for name in ("mets", "intensity", "heart_rate", "steps"))
    if steps.max(initial=0) > 250:
        yield "more than 250 steps in a minute"
    if mets.min(initial=_REST) < _REST:
        yield "less than 10 tenths of a MET in a minute"
    if intensity.max(initial=0) > 3:
        yield "an intensity above 3"
    worn = rates[rates != _UNWORN]
    if len(worn) and not 30 <= worn.min() <= worn.max() <= 220:
        yield "a heart rate that is not from 30 to 220"
    if window.derived["intensity"] and not np.array_equal(intensity, np.digitize(mets, MET_BOUNDS)):
        yield "intensities do not follow from the METs"
    if window.derived["calories"]:
        yield from _calorie_faults(mets, window.flat("calories"))


def _calorie_faults(mets: Grid, calories: Grid) -> Iterator[str]:
    """Yield a fault unless one body weight explains all calories: METs x 3.5 x kg / 200 kcal a minute, half up."""
    told = np.full(256, -1, np.int64)
    told[mets] = calories
    if not np.array_equal(told[mets], calories):
        yield "no body weight explains calories that differ between minutes of the same METs"
        return
    found = np.flatnonzero(told >= 0)
    for weight in range(38, 181):
        # Hundredths of a kcal from tenths of a MET: m / 10 x 3.5 x kg / 200 x 100 = 14 m kg / 80.
        if ((2 * 14 * found * weight + 80) // 160 == told[found]).all():
            return
    yield "no body weight explains the calories of all minutes by their METs"


def _expected(window: Window) -> list[dict[str, Json]]:
    """Return what the record of each day must say."""
    sums = {name: by_hour(window.series[name]) for name in ("steps", "mets", "calories")}
    intensity = window.series["intensity"].copy()
    intensity.reshape(-1)[window.minutes :] = -1
    levels = [by_hour((intensity == level).astype(np.int64)) for level in range(len(_LEVELS))]
    found: list[dict[str, Json]] = []
    hearts = _hearts(window.series["heart_rate"])
    for number, heart in enumerate(hearts):
        minutes = min(MINUTES, window.minutes - number * MINUTES)
        day: dict[str, Json] = {"minutes": minutes}
        for name, hours in sums.items():
            day[name] = cast("Json", hours[number])
            day[f"total_{name}"] = int(window.series[name][number].sum())
        for name, hours in zip(_LEVELS, levels, strict=True):
            day[name] = cast("Json", hours[number])
        day["azm"] = int((window.series["intensity"][number, :minutes] >= 2).sum())
        found.append(day | heart)
    return found


def _hearts(rates: Grid) -> list[dict[str, Json]]:
    """Return what the heart rates of each day come to; a minute that is not over has none, as one not worn."""
    counts, sums = (rates > 0).sum(axis=1).tolist(), rates.sum(axis=1).tolist()
    highest, lowest = rates.max(axis=1).tolist(), np.where(rates > 0, rates, _NEVER).min(axis=1).tolist()
    zones = {name: ((rates >= low) & (rates <= high)).sum(axis=1).tolist() for name, (low, high) in _ZONES.items()}
    return [
        {
            "worn": count,
            "resting_rate": resting,
            "average_rate": _half_up(10 * sums[number], count) if count else None,
            "highest_rate": highest[number] if count else None,
            "lowest_rate": lowest[number] if count else None,
            **{name: minutes[number] for name, minutes in zones.items()},
        }
        for number, (count, resting) in enumerate(zip(counts, _resting(rates), strict=True))
    ]


def _resting(rates: Grid) -> list[int | None]:
    """Return the resting heart rate of each day: the least of half an hour worn without a gap."""
    sums, gaps = _half_hours(rates), _half_hours((rates == 0).astype(np.int64))
    least = np.where(gaps == 0, sums, _NEVER).min(axis=1).tolist()
    return [None if total == _NEVER else _half_up(total, _HALF_HOUR) for total in least]


def _half_hours(grid: Grid) -> Grid:
    """Return the sum over every half hour of each day, by its first minute."""
    until = np.cumsum(grid, axis=1)
    until[:, _HALF_HOUR:] -= until[:, :-_HALF_HOUR].copy()
    return until[:, _HALF_HOUR - 1 :]


def _half_up(numerator: int, denominator: int) -> int:
    quotient, rest = divmod(numerator, denominator)
    return quotient + (2 * rest >= denominator)


def _summary_faults(date: str, row: Row, rates: Grid) -> Iterator[str]:
    """Yield what is wrong with heart rates that a file told of a whole day."""
    if rates.any():
        yield f"{date}: heart rates are said not to be known by the minute, and there are some"
    if sum(cast("int", row[zone]) for zone in _ZONES) != row["worn"]:
        yield f"{date}: zones do not sum to worn minutes"


def total_of(row: Row, name: str) -> int:
    """Return the sum of the hours of a record."""
    hours = cast("list[int]", row[name])
    if len(hours) != HOURS:
        msg = f"{name} of {row['id']} has {len(hours)} hours"
        raise ValueError(msg)
    return sum(hours)
