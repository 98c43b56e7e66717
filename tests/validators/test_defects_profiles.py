"""Known defect of how a published environment of this kind checked its persons, not repeated here.

D62: only the names of keys and the words of the summary were looked at; lengths, values and consistency were not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services import open_environment
from services.runtime.state import dump_tables
from tests.environments import environment, world
from tests.environments import failed as environment_faults
from tests.validators.test_profile_checks import broken, failed, put

WRONG: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "too many risks": (put("health_risks", ["asthma", "gout", "hypertension", "migraine"]), "profile.schema"),
    "a risk that nobody knows": (put("health_risks", ["moonsickness"]), "profile.schema"),
    "a diet twice": (put("dietary_restrictions", ["vegetarian", "vegetarian"]), "profile.diets"),
    "no sport": (put("preferences.sport", []), "profile.schema"),
    "food against the diet": (put("preferences.food", ["salmon", "tofu"]), "profile.preferences"),
    "a goal that does not follow": (put("daily_goal.steps", 12_000), "profile.goals"),
    "a goal out of bounds": (put("daily_goal.AZM", 1_000), "profile.schema"),
    "another age with the doctor": (put("medical_view.basic_info.age", 41), "profile.medical_view"),
    "less known to the doctor": (put("medical_view.health_risks", ["asthma"]), "profile.medical_view"),
    "a body that is none": (put("body.weight_kg", 20), "profile.schema"),
    "an empty summary": (put("narrative", "Astrid is fine."), "profile.narrative_length"),
}


@pytest.mark.parametrize("name", WRONG)
def test_defect_D62_a_person_is_checked_in_values_lengths_and_consistency(name: str) -> None:
    change, check = WRONG[name]
    assert check in failed(broken(change))


@pytest.mark.parametrize("index", range(0, 40, 8))
def test_defect_D62_both_views_of_a_made_person_agree_with_the_tables(index: int) -> None:
    tables: Any = dump_tables(open_environment(environment(index), world()).state_)
    (own,), (medical,) = tables["profile"], tables["med_profile"]
    for field in ("name", "age", "gender"):
        assert own[field] == medical[field]
    assert set(own["health_risks"]) <= set(medical["health_risks"])
    assert environment_faults(environment(index)) == {}
