"""Every check of profiles catches the profile that is broken for it, and good profiles pass them all."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from generators.profiles import make_profile
from language.terms import key
from schemas.profile import Profile
from tests.effort import amount
from validators.profiles import PROFILE_CHECKS, ProfileContext, check_block, check_profile
from validators.profiles.duplicates import similarity
from validators.profiles.narrative import VOCABULARY

ROOT = Path(__file__).resolve().parents[2]

GOOD: dict[str, Any] = {
    "user_id": "u000007",
    "index": 7,
    "name": {"given": "Astrid", "family": "Vargholm"},
    "age": 40,
    "gender": "female",
    "household": {"adults": 2, "children": 1},
    "locale": "en-GB",
    "body": {"height_cm": 165, "weight_kg": 60},
    "activity": "light",
    "health_risks": ["hypertension", "migraine"],
    "dietary_restrictions": ["low_sodium", "vegetarian"],
    "preferences": {"sport": ["swimming", "yoga"], "food": ["tofu", "lentil_soup"]},
    "daily_goal": {"steps": 8500, "calories_intake": 1750, "calories_burn": 1750, "AZM": 25, "mets": 20000},
    "budget": {"weekly_food_cents": 20000, "monthly_wellness_cents": 4500},
    "style": "formal",
    "medical_view": {
        "basic_info": {"name": "Astrid Vargholm", "age": 40, "gender": "female"},
        "health_risks": ["asthma", "hypertension", "migraine"],
        "dietary_restrictions": ["low_sodium", "vegetarian"],
    },
    "narrative": (
        "Astrid Vargholm is a 40-year-old woman. She lives in a household of two adults and one child. "
        "Her known health risks: hypertension and migraine. Her diet is low-sodium and vegetarian. "
        "She enjoys swimming and yoga. Her favourite foods are tofu and lentil soup. "
        "Her daily goal is 8,500 steps. In an ordinary week she is lightly active. "
        "She is 165 cm tall and weighs 60 kg. She plans to eat 1,750 kcal a day. "
        "Her household plans $200 a week for food. She sets aside $45.00 a month for wellness."
    ),
    "stated": [],
}


def broken(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    record = copy.deepcopy(GOOD)
    change(record)
    return record


def put(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Return a change that sets the field at a dotted path."""
    *parents, last = path.split(".")

    def change(record: dict[str, Any]) -> None:
        for parent in parents:
            record = record[parent]
        record[last] = value

    return change


def say(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    """Return a change that replaces a phrase of the narrative."""

    def change(record: dict[str, Any]) -> None:
        assert old in record["narrative"]
        record["narrative"] = record["narrative"].replace(old, new)

    return change


def failed(record: dict[str, Any]) -> dict[str, str]:
    return {verdict.check: verdict.reason for verdict in check_profile(record, ProfileContext()) if not verdict.passed}


def test_the_good_profile_passes() -> None:
    assert failed(GOOD) == {}


def test_made_profiles_pass_every_check() -> None:
    for seed, blocks in ((1, amount(5, 20)), (2, amount(3, 10))):
        for block in range(blocks):
            profiles = [make_profile(seed, 10 * block + place) for place in range(10)]
            for profile, verdicts in zip(profiles, check_block(profiles), strict=True):
                assert [verdict for verdict in verdicts if not verdict.passed] == [], profile
                assert len(verdicts) == 1 + len(PROFILE_CHECKS)


LAST_FACTS = "She is 165 cm tall and weighs 60 kg. She plans to eat 1,750 kcal a day. "
IMPACT = {"health_risks": ["low_back_pain"], "preferences": {"sport": ["running"], "food": ["tofu", "lentil_soup"]}}


def stated(**facts: str) -> Callable[[dict[str, Any]], None]:
    """Return a change that says facts of the user, dots of the fields written as double underscores."""
    return put("stated", [{"field": name.replace("__", "."), "value": value} for name, value in facts.items()])


BROKEN: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("profile.schema", put("age", 17), "17"),
    ("profile.schema", put("age", "40"), "40"),
    ("profile.schema", put("gender", "other"), "other"),
    ("profile.schema", put("nickname", "Asti"), "nickname"),
    ("profile.schema", lambda record: record.pop("locale"), "locale"),
    ("profile.schema", put("health_risks", ["bad_luck"]), "bad_luck"),
    ("profile.schema", put("health_risks", ["asthma", "gout", "migraine", "acid_reflux"]), "too long"),
    ("profile.schema", put("budget.weekly_food_cents", 123.5), "123.5"),
    ("profile.identity", put("index", 8), "u000007"),
    ("profile.household", put("age", 19), "not plausible"),
    ("profile.body", put("body.weight_kg", 120), "body-mass index"),
    ("profile.body", put("body.height_cm", 190), "height"),
    ("profile.health_risks", put("health_risks", ["osteoporosis"]), "starts at 50"),
    ("profile.health_risks", put("health_risks", ["obesity"]), "body-mass index"),
    ("profile.health_risks", put("health_risks", ["prediabetes", "type_2_diabetes"]), "excludes"),
    ("profile.health_risks", put("health_risks", ["celiac_disease"]), "needs the diet gluten_free"),
    ("profile.health_risks", put("health_risks", ["migraine", "migraine"]), "2 times"),
    ("profile.diets", put("dietary_restrictions", ["vegan", "lactose_free"]), "vegan covers lactose_free"),
    ("profile.diets", put("dietary_restrictions", ["vegetarian", "pescatarian"]), "covers"),
    ("profile.diets", put("dietary_restrictions", ["halal", "halal"]), "2 times"),
    ("profile.preferences", put("preferences.food", ["tofu", "pork_ribs"]), "pork_ribs is not vegetarian"),
    ("profile.preferences", put("preferences.food", ["tofu", "cheese"]), "cheese is not low_sodium"),
    ("profile.preferences", put("preferences.food", ["tofu", "tofu"]), "2 times"),
    ("profile.preferences", lambda record: record.update(IMPACT), "running with low_back_pain"),
    ("profile.goals", put("daily_goal.steps", 9000), "daily_goal.steps is 9000"),
    ("profile.goals", put("daily_goal.calories_burn", 1800), "the formula gives 1750"),
    ("profile.goals", put("daily_goal.AZM", 30), "AZM"),
    ("profile.goals", put("daily_goal.mets", 20500), "mets"),
    ("profile.budget", put("budget.weekly_food_cents", 3000), "plausible for this household"),
    ("profile.medical_view", put("medical_view.basic_info.age", 41), "medical_view.age is 41"),
    ("profile.medical_view", put("medical_view.basic_info.name", "Astrid Vargholme"), "medical_view.name"),
    ("profile.medical_view", put("medical_view.basic_info.gender", "male"), "medical_view.gender"),
    ("profile.medical_view", put("medical_view.health_risks", ["hypertension"]), "does not know migraine"),
    ("profile.medical_view", put("medical_view.dietary_restrictions", []), "does not know vegetarian"),
    (
        "profile.medical_view",
        put("medical_view.dietary_restrictions", ["low_sodium", "vegan", "vegetarian"]),
        "vegan covers vegetarian",
    ),
    (
        "profile.medical_view",
        put("medical_view.health_risks", ["hypertension", "migraine", "osteoporosis"]),
        "osteoporosis at 40",
    ),
    ("profile.narrative_length", say(LAST_FACTS, ""), "words"),
    ("profile.narrative_length", say("She enjoys", "She enjoys " + "and enjoys " * 30), "words"),
    ("profile.narrative", say("40-year-old", "41-year-old"), "41 for age"),
    ("profile.narrative", say("two adults", "three adults"), "3 for household.adults"),
    ("profile.narrative", say("one child", "two children"), "2 for household.children"),
    ("profile.narrative", say("8,500 steps", "9,500 steps"), "9500 for daily_goal.steps"),
    ("profile.narrative", say("1,750 kcal", "1,700 kcal"), "1700 for daily_goal.calories_intake"),
    ("profile.narrative", say("165 cm", "166 cm"), "body.height_cm"),
    ("profile.narrative", say("60 kg", "61 kg"), "body.weight_kg"),
    ("profile.narrative", say("$200", "$210"), "21000 for budget.weekly_food_cents"),
    ("profile.narrative", say("$45.00", "$46.00"), "4600 for budget.monthly_wellness_cents"),
    ("profile.narrative", say("She enjoys", "In 3 clubs she enjoys"), "tells what 3 means"),
    ("profile.narrative", say("She enjoys", "Since 3 May 2020 she enjoys"), "no fact is a date"),
    ("profile.narrative", say("She enjoys", "At 80% effort she enjoys"), "no fact is a percent"),
    ("profile.narrative", say("swimming and yoga", "swimming, running and yoga"), "states running"),
    ("profile.narrative", say("swimming and yoga", "swimming"), "leaves out yoga"),
    ("profile.narrative", say("tofu and lentil soup", "tofu"), "leaves out lentil_soup"),
    ("profile.narrative", say("hypertension and migraine", "hypertension, asthma and migraine"), "states asthma"),
    ("profile.narrative", say("low-sodium and vegetarian", "vegetarian"), "leaves out low_sodium"),
    ("profile.narrative", say("lightly active", "very active"), "says very active"),
    ("profile.narrative", say("woman", "man"), "says man"),
    ("profile.narrative", say("She enjoys", "She has no dietary restrictions and enjoys"), "says otherwise"),
    ("profile.narrative", say("She enjoys", "She lives alone and enjoys"), "says otherwise"),
    ("profile.narrative", say("She enjoys", "He enjoys"), "more than one person"),
    ("profile.narrative", say("She enjoys", "Ingrid enjoys"), "may be a name"),
    ("profile.narrative", say("She enjoys", "With Ingrid she enjoys"), "'Ingrid' is not the user's name"),
    ("profile.narrative", say("Astrid Vargholm", "Astrid"), "does not name Astrid Vargholm"),
    ("profile.narrative", say(" is a 40-year-old woman", ""), "leaves out age"),
    ("profile.names", put("name.family", "Vargholm3"), "Vargholm3"),
    ("profile.names", put("name.given", "Dr"), "Dr"),
    ("profile.privacy", say("She enjoys", "Write to astrid@example.org as she enjoys"), "e-mail"),
    ("profile.privacy", say("She enjoys", "Call +44 20 7946 0958 as she enjoys"), "phone"),
    ("profile.privacy", say("She enjoys", "At 12 Long Lane she enjoys"), "street address"),
    ("profile.privacy", say("She enjoys", "As 078-05-1120 she enjoys"), "identity number"),
    ("profile.privacy", say("She enjoys", "At www.example.org she enjoys"), "web address"),
    ("profile.privacy", say("She enjoys", "Born in spring she enjoys"), "date of birth"),
    ("profile.privacy", put("medical_view.basic_info.name", "Astrid 4111 1111 1111 1111"), "card"),
    ("profile.stated", stated(age__from="41"), "age.from is '41'"),
    ("profile.stated", stated(age__to="39"), "age.to is '39'"),
    ("profile.stated", stated(name__given="Ingrid"), "name.given is 'Ingrid'"),
    ("profile.stated", stated(gender="male"), "gender is 'male'"),
    ("profile.stated", stated(household__children="0"), "household.children is '0'"),
    ("profile.stated", stated(health_risks="gout"), "health_risks is 'gout'"),
    ("profile.stated", stated(dietary_restrictions="none"), "dietary_restrictions is 'none'"),
    ("profile.stated", stated(preferences__food="pizza"), "preferences.food is 'pizza'"),
]


@pytest.mark.parametrize(("check", "change", "reason"), BROKEN, ids=[f"{row[0]}-{at}" for at, row in enumerate(BROKEN)])
def test_a_broken_profile_is_caught(check: str, change: Callable[[dict[str, Any]], None], reason: str) -> None:
    found = failed(broken(change))
    assert reason in found[check]


def test_sports_must_fit_age_activity_and_risks() -> None:
    def sport(name: str, **fields: object) -> str:
        record = broken(put("preferences.sport", [name]))
        return failed({**record, **fields}).get("profile.preferences", "")

    assert "football at 70 years" in sport("football", age=70, household={"adults": 2, "children": 0})
    assert "sedentary" in sport("rowing", activity="sedentary")
    assert "heart_disease" in sport("rowing", age=60, health_risks=["heart_disease"])
    assert sport("hiking") == ""


def test_a_profile_that_keeps_to_what_was_said_passes() -> None:
    facts = {"age__from": "35", "age__to": "40", "name__family": "Vargholm", "household__adults": "2"}
    more = {"health_risks": "migraine", "dietary_restrictions": "vegetarian", "preferences__sport": "yoga"}
    assert failed(broken(stated(**facts, **more))) == {}


def test_every_check_is_broken_by_some_test() -> None:
    names = {name for name, _ in PROFILE_CHECKS} | {"profile.schema"}
    assert names - {"profile.near_duplicate"} == {check for check, _, _ in BROKEN}


def test_a_near_duplicate_is_caught_and_names_do_not_hide_it() -> None:
    twin = broken(put("index", 8))
    twin["user_id"] = "u000008"
    twin["name"] = {"given": "Ingrid", "family": "Almdahlen"}
    twin["medical_view"]["basic_info"]["name"] = "Ingrid Almdahlen"
    twin["narrative"] = twin["narrative"].replace("Astrid Vargholm", "Ingrid Almdahlen").replace("$45.00", "$45")
    first, second = check_block([GOOD, twin])
    assert all(verdict.passed for verdict in first)
    assert [verdict.check for verdict in second if not verdict.passed] == ["profile.near_duplicate"]


def test_only_kept_profiles_of_the_block_are_compared() -> None:
    bad = broken(put("budget.weekly_food_cents", 3000))
    bad["index"], bad["user_id"] = 6, "u000006"
    _, second = check_block([bad, GOOD])
    assert all(verdict.passed for verdict in second)
    other = Profile.model_validate({**GOOD, "index": 17, "user_id": "u000017"})
    verdicts = check_profile(GOOD, ProfileContext((other,)))
    (verdict,) = [verdict for verdict in verdicts if not verdict.passed]
    assert verdict.check == "profile.near_duplicate"
    assert verdict.reason.startswith("ValueError: ")


def test_made_narratives_are_far_from_each_other() -> None:
    profiles = [make_profile(3, index) for index in range(40)]
    assert max(similarity(one, other) for one, other in combinations(profiles, 2)) < 0.6


@pytest.mark.parametrize("record", [{}, {"age": None}, {**GOOD, "narrative": 7}, {**GOOD, "preferences": None}])
def test_a_malformed_profile_fails_every_check(record: dict[str, Any]) -> None:
    verdicts = check_profile(record, ProfileContext())
    assert len(verdicts) == 1 + len(PROFILE_CHECKS)
    assert not any(verdict.passed for verdict in verdicts)
    assert all(verdict.reason for verdict in verdicts)


def test_an_empty_narrative_fails() -> None:
    found = failed(broken(put("narrative", "")))
    assert {"profile.narrative_length", "profile.narrative"} <= set(found)


def test_no_two_terms_of_the_vocabularies_read_alike() -> None:
    keys = [key(term) for term in VOCABULARY]
    assert len(set(keys)) == len(keys)


def test_the_checks_do_not_load_the_generators() -> None:
    program = "import sys, validators.profiles; print([name for name in sys.modules if name.startswith('generators')])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
