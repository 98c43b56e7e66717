"""What the minutes of a day add up to: the only place where records of days are computed from signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from services.wearables.records import WearableDay
from services.wearables.shown import HOURS, MINUTES, ZONES, half_up

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = "npt.NDArray[np.integer]"

REST_MINUTES = 30
"""Worn minutes in a row over which a resting heart rate is taken."""
_ZONE_OF = np.array([sum(rate >= zone.low for zone in ZONES) if rate else 0 for rate in range(256)], np.int64)
"""Heart rate -> 0 when not worn, then 1 to 4 for the zones."""


class Arrays(NamedTuple):
    """The minutes of one day, as many as are over, one value for each."""

    steps: Ints
    mets: Ints
    intensity: Ints
    heart_rate: Ints
    calories: Ints


def of_bytes(steps: bytes, mets: bytes, intensity: bytes, heart_rate: bytes, calories: bytes) -> Arrays:
    """Return series as they are stored: one byte a minute, and two of little-endian order for calories."""
    small = (np.frombuffer(raw, np.uint8) for raw in (steps, mets, intensity, heart_rate))
    return Arrays(*small, np.frombuffer(calories, "<u2"))  # type: ignore[misc]


def day_of(date: str, arrays: Arrays) -> WearableDay:
    """Return the record of a day from its minutes."""
    rates = arrays.heart_rate
    unworn, below, fat_burn, cardio, peak = np.bincount(_ZONE_OF[rates], minlength=1 + len(ZONES)).tolist()
    worn = rates[rates > 0]
    sedentary, light, fairly, very = (_hourly(arrays.intensity == level) for level in range(4))
    steps, mets, calories = _hourly(arrays.steps), _hourly(arrays.mets), _hourly(arrays.calories)
    return WearableDay(
        id=date,
        minutes=len(rates),
        steps=steps,
        mets=mets,
        calories=calories,
        sedentary=sedentary,
        light=light,
        fairly=fairly,
        very=very,
        total_steps=sum(steps),
        total_mets=sum(mets),
        total_calories=sum(calories),
        azm=sum(fairly) + sum(very),
        worn=len(rates) - unworn,
        resting_rate=resting_rate(rates),
        average_rate=half_up(10 * int(worn.sum(dtype=np.int64)), len(worn)) if len(worn) else None,
        highest_rate=int(worn.max()) if len(worn) else None,
        lowest_rate=int(worn.min()) if len(worn) else None,
        zone_below=below,
        zone_fat_burn=fat_burn,
        zone_cardio=cardio,
        zone_peak=peak,
    )


def resting_rate(rates: Ints) -> int | None:
    """Return the least mean over `REST_MINUTES` worn minutes in a row, rounded half up; None without any."""
    sums, worn = _running(rates), _running(rates > 0)
    whole = sums[(worn == REST_MINUTES).nonzero()]
    return half_up(int(whole.min()), REST_MINUTES) if len(whole) else None


def _running(series: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Ints:
    """Return the sum of each `REST_MINUTES` values in a row."""
    sums = np.concatenate(([0], np.cumsum(series, dtype=np.int64)))
    return sums[REST_MINUTES:] - sums[:-REST_MINUTES]


def _hourly(series: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the sums over the hours of the day."""
    whole = np.zeros(MINUTES, np.int64)
    whole[: len(series)] = series
    return tuple(whole.reshape(HOURS, MINUTES // HOURS).sum(axis=1).tolist())
