"""The checks of wearables, for the group of checks that services bring."""

from __future__ import annotations

from validators.environments.extra import ServiceChecks
from validators.wearables.days import day_faults
from validators.wearables.goals import goal_faults
from validators.wearables.spans import night_faults, workout_faults
from validators.wearables.sums import sum_faults

CHECKS = ServiceChecks(
    state=(
        ("wearables.days", day_faults),
        ("wearables.nights", night_faults),
        ("wearables.workouts", workout_faults),
        ("wearables.sums", sum_faults),
    ),
    fresh=(("wearables.goals", goal_faults),),
)
