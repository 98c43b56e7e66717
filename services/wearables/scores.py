"""How a day is scored against the user's daily goals: documented formulas on what was recorded, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from services.wearables.shown import half_up

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.base import Json
    from services.account.records import Profile
    from services.wearables.records import WearableDay

FULL = 100
LOW_RATE = 60
"""Resting heart rate, beats a minute, that scores fully."""
POINTS_PER_BEAT = 2
"""Taken off for each beat above it."""
ACTIVITY_WEIGHT, HEART_WEIGHT = 2, 1
TERMS = (
    "A daily goal is reached when the day's total is at least the goal: steps, kcal burned, active zone minutes.",
    f"The activity score of a day is the mean over these goals of the share that was reached, in whole percent and at "
    f"most {FULL}; shares and mean are rounded half up.",
    f"The heart score of a day is {FULL} up to a resting heart rate of {LOW_RATE} and {POINTS_PER_BEAT} points less "
    f"for each beat above it, never below 0; a day without a resting heart rate has none.",
    f"The overall score weighs activity {ACTIVITY_WEIGHT} to {HEART_WEIGHT} against heart, rounded half up; without a "
    "heart score it is the activity score.",
)
"""The rules above in words, made of the constants that the code uses."""


class Score(NamedTuple):
    """Points from 0 to 100."""

    activity: int
    heart: int | None
    overall: int

    def shown(self) -> dict[str, Json]:
        """Return the score as tools show it."""
        return {"activity_score": self.activity, "hr_score": self.heart, "overall": self.overall}


def reached(day: WearableDay, profile: Profile) -> dict[str, bool]:
    """Return which daily goals the day reached."""
    return {goal: value >= wanted for goal, (value, wanted) in _against(day, profile).items()}


def _against(day: WearableDay, profile: Profile) -> dict[str, tuple[int, int]]:
    """Return the value of each goal and the goal, in one unit."""
    return {
        "steps": (day.total_steps, profile.goal_steps),
        "calories_burn": (day.total_calories, 100 * profile.goal_calories_burn),
        "AZM": (day.azm, profile.goal_azm),
    }


def score(day: WearableDay, profile: Profile) -> Score:
    """Return the score of a day."""
    shares = [FULL if value >= goal else half_up(FULL * value, goal) for value, goal in _against(day, profile).values()]
    activity = half_up(sum(shares), len(shares))
    heart = None
    if day.resting_rate is not None:
        heart = max(0, FULL - POINTS_PER_BEAT * max(0, day.resting_rate - LOW_RATE))
    return Score(activity, heart, overall(activity, heart))


def overall(activity: int, heart: int | None) -> int:
    """Return the overall score."""
    if heart is None:
        return activity
    return half_up(ACTIVITY_WEIGHT * activity + HEART_WEIGHT * heart, ACTIVITY_WEIGHT + HEART_WEIGHT)


def mean(scores: Iterable[Score]) -> Score:
    """Return the means of the scores of some days, of heart scores over the days that have one; rounded half up."""
    listed = list(scores)
    hearts = [one.heart for one in listed if one.heart is not None]
    return Score(
        activity=half_up(sum(one.activity for one in listed), len(listed)),
        heart=half_up(sum(hearts), len(hearts)) if hearts else None,
        overall=half_up(sum(one.overall for one in listed), len(listed)),
    )
