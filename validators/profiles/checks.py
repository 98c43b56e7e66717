"""Runs every check on a profile. The profile may be plain data of any form; a malformed one fails every check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from schemas.base import Json
from schemas.certificate import Verdict
from schemas.profile import Profile
from validators.judging import judge
from validators.profiles.body_and_goals import body_faults, budget_faults, goal_faults
from validators.profiles.consistency import (
    diet_faults,
    household_faults,
    identity_faults,
    medical_view_faults,
    preference_faults,
    risk_faults,
)
from validators.profiles.context import ProfileContext
from validators.profiles.duplicates import near_duplicate_faults
from validators.profiles.form import schema_faults
from validators.profiles.narrative import length_faults, narrative_faults
from validators.profiles.privacy import name_faults, privacy_faults
from validators.profiles.stated import stated_faults

Check = Callable[[Profile, ProfileContext], Iterator[str]]

PROFILE_CHECKS: tuple[tuple[str, Check], ...] = (
    ("profile.identity", identity_faults),
    ("profile.household", household_faults),
    ("profile.body", body_faults),
    ("profile.health_risks", risk_faults),
    ("profile.diets", diet_faults),
    ("profile.preferences", preference_faults),
    ("profile.goals", goal_faults),
    ("profile.budget", budget_faults),
    ("profile.medical_view", medical_view_faults),
    ("profile.narrative_length", length_faults),
    ("profile.narrative", narrative_faults),
    ("profile.names", name_faults),
    ("profile.privacy", privacy_faults),
    ("profile.near_duplicate", near_duplicate_faults),
    ("profile.stated", stated_faults),
)
"""Name of each check beside `profile.schema`, and the function that yields the faults it finds, in plain words."""


def check_profile(record: Profile | Mapping[str, Json], context: ProfileContext) -> list[Verdict]:
    """Return one verdict per check, that of the JSON Schema first."""
    plain = record.model_dump(mode="json") if isinstance(record, Profile) else record

    @cache
    def parsed() -> Profile:
        return Profile.model_validate(plain)

    def run(check: Check) -> Callable[[], Iterator[str]]:
        return lambda: check(parsed(), context)

    return [
        judge("profile.schema", lambda: schema_faults(plain)),
        *(judge(name, run(check)) for name, check in PROFILE_CHECKS),
    ]


def check_block(records: Sequence[Profile | Mapping[str, Json]]) -> list[list[Verdict]]:
    """Return the verdicts on each profile of a block, in order; each is compared with those before it that passed."""
    kept: list[Profile] = []
    results: list[list[Verdict]] = []
    for record in records:
        verdicts = check_profile(record, ProfileContext(tuple(kept)))
        results.append(verdicts)
        if all(verdict.passed for verdict in verdicts):
            kept.append(Profile.model_validate(record))
    return results
