"""Are body and budget plausible, and are the goals those that the published formulas give?

Energy: Mifflin-St Jeor (1990) times an activity factor; 500 kcal a day less from a body-mass index of 30, 250 more
below 18.5, with a floor. Steps: the ranges of Paluch et al. (2022). Active zone minutes: a share of 150-300 a week.
The formulas stand here a second time, in exact fractions, on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor

from schemas.profile import DailyGoal, Profile
from schemas.profile_facts import RISKS
from validators.profiles.consistency import body_mass_index
from validators.profiles.context import ProfileContext

_LEVELS = {
    "sedentary": (Fraction("1.2"), 0, 20),
    "light": (Fraction("1.375"), 500, 25),
    "moderate": (Fraction("1.55"), 1500, 35),
    "active": (Fraction("1.725"), 2000, 45),
}
"""Per activity: factor on resting energy, steps beyond the lower end of the range, active zone minutes a day."""
_GENDERS = {"female": (-161, 1200), "male": (5, 1500), "non_binary": (-78, 1350)}
"""Per gender: constant of the equation, least kcal to eat a day."""
_BMI = (17, 40)
"""kg/m² outside which a person is not plausible as an ordinary user."""
_HEIGHTS = {"female": (145, 181), "male": (158, 194), "non_binary": (145, 194)}
"""cm per gender, about three standard deviations around the mean."""
_ADULT_WEEK, _CHILD_WEEK = (5_000, 11_500), (3_500, 8_500)
"""Cents a week of food per head, from below the thrifty to above the liberal plan of the USDA (2024)."""


def body_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield a height or a body-mass index that is not plausible."""
    low, high = _HEIGHTS[profile.gender]
    if not low <= profile.body.height_cm <= high:
        yield f"a height of {profile.body.height_cm} cm is not between {low} and {high}"
    if not _BMI[0] <= body_mass_index(profile) <= _BMI[1]:
        yield f"a body-mass index of {float(body_mass_index(profile)):.1f} is not between {_BMI[0]} and {_BMI[1]}"


def _rounded(number: Fraction, step: int) -> int:
    """Return the multiple of `step` nearest to `number`, the higher one when two are."""
    return floor(number / step + Fraction(1, 2)) * step


def expected_goals(profile: Profile) -> DailyGoal:
    """Return the goals that the formulas give."""
    factor, more_steps, minutes = _LEVELS[profile.activity]
    constant, least = _GENDERS[profile.gender]
    body, index = profile.body, body_mass_index(profile)
    resting = 10 * body.weight_kg + Fraction("6.25") * body.height_cm - 5 * profile.age + constant
    burn = _rounded(resting * factor, 50)
    eaten = burn - 500 if index >= 30 else burn + 250 if index < Fraction("18.5") else burn
    careful = {RISKS[risk].spares for risk in profile.health_risks} - {"nothing"}
    steps = (6000 if profile.age >= 60 else 8000) + more_steps
    return DailyGoal(
        steps=steps - 1000 if careful else steps,
        calories_intake=max(eaten, least),
        calories_burn=burn,
        AZM=minutes - 5 if careful else minutes,
        mets=_rounded(24 * 60 * 10 * factor, 500),
    )


def goal_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield goals that differ from the formulas."""
    stated, expected = profile.daily_goal.model_dump(), expected_goals(profile).model_dump()
    for goal, value in expected.items():
        if stated[goal] != value:
            yield f"daily_goal.{goal} is {stated[goal]}, the formula gives {value}"


def budget_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield a food budget that does not feed the household or would feed two."""
    household, food = profile.household, profile.budget.weekly_food_cents
    low, high = (
        household.adults * adult + household.children * child
        for adult, child in zip(_ADULT_WEEK, _CHILD_WEEK, strict=True)
    )
    if not low <= food <= high:
        yield f"budget.weekly_food_cents is {food}, plausible for this household is {low} to {high}"
