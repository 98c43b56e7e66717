"""Goals of a day derived from what a person's own devices recorded.

Of the days before today with at least `WORN_LEAST` worn minutes, five or more, the usual value is taken, the median
(the lower of two middle ones); for active zone minutes, which are none on many days, the mean, rounded half up. The
goal is above it, a tenth for steps and active zone minutes, a twentieth for energy and METs, rounded up
to a step of the scale, within the bounds that any profile keeps to. With fewer days there is no goal of one's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WORN_LEAST = 600
DAYS_LEAST = 5


class DayTotals(NamedTuple):
    """What a day adds up to."""

    date: str
    worn: int
    """Minutes with a heart rate."""
    steps: int
    calories: int
    """Hundredths of a kcal."""
    azm: int
    mets: int
    """Tenths of a MET."""


class Scale(NamedTuple):
    """How a goal follows from the usual value."""

    percent: int
    step: int
    least: int
    most: int


STEPS = Scale(110, 500, 3_000, 15_000)
CALORIES = Scale(105, 50, 800, 5_000)
AZM = Scale(110, 5, 10, 90)
METS = Scale(105, 500, 14_400, 30_000)


@dataclass(frozen=True, slots=True)
class OwnGoals:
    """Goals of a day that follow from a person's own days."""

    steps: int
    calories_burn: int
    """kcal, resting energy included."""
    azm: int
    mets: int
    """Tenths of a MET."""


def own_goals(days: Iterable[DayTotals], today: str) -> OwnGoals | None:
    """Return the goals that follow from the days before `today`, None where too few were recorded."""
    used = [day for day in days if day.date < today and day.worn >= WORN_LEAST]
    if len(used) < DAYS_LEAST:
        return None
    azm = sum(day.azm for day in used)
    return OwnGoals(
        steps=raised(_median([day.steps for day in used]), STEPS),
        calories_burn=raised(_median([day.calories for day in used]) // 100, CALORIES),
        azm=raised((2 * azm + len(used)) // (2 * len(used)), AZM),
        mets=raised(_median([day.mets for day in used]), METS),
    )


def raised(usual: int, scale: Scale) -> int:
    """Return the goal of a usual value: raised by the percentage, up to the next step, within the bounds."""
    steps = -(-usual * scale.percent // (100 * scale.step))
    return min(scale.most, max(scale.least, steps * scale.step))


def _median(values: Sequence[int]) -> int:
    return sorted(values)[(len(values) - 1) // 2]
