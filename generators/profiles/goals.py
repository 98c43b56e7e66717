"""Daily goals computed from body, age, activity and health risks, in integers.

- Energy burnt: resting energy by Mifflin-St Jeor (Am J Clin Nutr 1990;51:241-247) times the activity factor.
- Energy eaten: the same; 500 kcal less from a body-mass index of 30 on, 250 more below 18.5, never below the floor
  (deficit and floors: NHLBI Practical Guide to obesity in adults, 2000).
- Steps: 8,000-10,000 below 60 years and 6,000-8,000 from 60 on (Paluch et al., Lancet Public Health 2022;7:e219-e228).
- Active zone minutes: 150-300 moderate minutes a week (WHO guidelines on physical activity, 2020), over seven days.
- METs: 1,440 minutes times the activity factor, in tenths.
Whoever should spare joints or heart aims 1,000 steps and 5 minutes lower.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.profile import Activity, Body, DailyGoal, Gender
from schemas.profile_facts import RISKS, Risk

_FACTORS: dict[Activity, int] = {"sedentary": 1_200, "light": 1_375, "moderate": 1_550, "active": 1_725}
"""Activity factor in thousandths."""
_CONSTANTS: dict[Gender, int] = {"female": -161, "male": 5, "non_binary": -78}
"""The equation's last term in kcal; the mean of both where gender does not tell."""
_MORE_STEPS: dict[Activity, int] = {"sedentary": 0, "light": 500, "moderate": 1_500, "active": 2_000}
_ZONE_MINUTES: dict[Activity, int] = {"sedentary": 20, "light": 25, "moderate": 35, "active": 45}
_FLOORS: dict[Gender, int] = {"female": 1_200, "male": 1_500, "non_binary": 1_350}
"""kcal that nobody should go below."""
_RESTING_METS = 14_400
"""Tenths of a MET over a day of rest."""


def daily_goal(gender: Gender, age: int, body: Body, activity: Activity, risks: Sequence[Risk]) -> DailyGoal:
    """Return the goals of a day."""
    factor = _FACTORS[activity]
    resting_hundredths = 1_000 * body.weight_kg + 625 * body.height_cm - 500 * age + 100 * _CONSTANTS[gender]
    burn = _nearest(resting_hundredths * factor, 100_000, 50)
    squared = body.height_cm**2
    shift = -500 if body.weight_kg * 10_000 >= 30 * squared else 250 if body.weight_kg * 20_000 < 37 * squared else 0
    spared = any(RISKS[risk].spares != "nothing" for risk in risks)
    return DailyGoal(
        steps=(8_000 if age < 60 else 6_000) + _MORE_STEPS[activity] - 1_000 * spared,
        calories_intake=max(burn + shift, _FLOORS[gender]),
        calories_burn=burn,
        AZM=_ZONE_MINUTES[activity] - 5 * spared,
        mets=_nearest(_RESTING_METS * factor, 1_000, 500),
    )


def _nearest(numerator: int, denominator: int, step: int) -> int:
    """Return numerator / denominator rounded half up to a multiple of `step`."""
    return (2 * numerator + denominator * step) // (2 * denominator * step) * step
