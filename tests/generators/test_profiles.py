"""Profiles are made from seed and index alone, are varied, and always have a narrative of the right length."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from generators.profiles import make_profile
from generators.profiles.goals import daily_goal
from generators.profiles.narrative import LONGEST, SHORTEST, narrative_data
from generators.profiles.people import draw_person
from schemas.base import canonical, digest_lines
from schemas.profile import Body, Profile
from schemas.profile_facts import DIETS, FOODS, RISKS, SPORTS
from services.runtime.streams import Stream

SEED = 11
PROFILES = [make_profile(SEED, index) for index in range(600)]
ROOT = Path(__file__).resolve().parents[2]


def test_the_same_seed_and_index_give_the_same_profile_in_any_process() -> None:
    program = (
        "from generators.profiles import make_profile; from schemas.base import digest_lines;"
        "print(digest_lines([make_profile(11, index).model_dump(mode='json') for index in range(40)]))"
    )
    expected = digest_lines([profile.model_dump(mode="json") for profile in PROFILES[:40]])
    for seed in ("0", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo"}
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected


def test_a_profile_depends_on_nobody_else() -> None:
    assert canonical(make_profile(SEED, 599)) == canonical(PROFILES[599])
    assert canonical(make_profile(SEED + 1, 599)) != canonical(PROFILES[599])
    assert PROFILES[17].user_id == "u000017"
    assert make_profile(SEED, 1_234_567).user_id == "u1234567"
    with pytest.raises(ValueError, match="negative"):
        make_profile(SEED, -1)


def test_a_profile_survives_json() -> None:
    for profile in PROFILES[:50]:
        assert Profile.model_validate_json(canonical(profile)) == profile


def test_ages_genders_and_styles_spread() -> None:
    ages = [profile.age for profile in PROFILES]
    assert min(ages) < 22
    assert max(ages) > 84
    assert 40 < mean(ages) < 55
    genders = Counter(profile.gender for profile in PROFILES)
    assert genders["female"] > 230
    assert genders["male"] > 230
    assert genders["non_binary"] > 5
    for values in (
        Counter(profile.style for profile in PROFILES),
        Counter(profile.activity for profile in PROFILES),
    ):
        assert min(values.values()) > 40


def test_every_entry_of_the_vocabularies_is_used() -> None:
    many = [*PROFILES, *(make_profile(SEED, index) for index in range(600, 1_400))]
    assert {risk for profile in many for risk in profile.medical_view.health_risks} == set(RISKS)
    assert {diet for profile in many for diet in profile.dietary_restrictions} == set(DIETS)
    assert {sport for profile in many for sport in profile.preferences.sport} == set(SPORTS)
    assert {food for profile in many for food in profile.preferences.food} == set(FOODS)


def test_health_risks_grow_with_age() -> None:
    young = [len(profile.health_risks) for profile in PROFILES if profile.age < 30]
    old = [len(profile.health_risks) for profile in PROFILES if profile.age >= 65]
    assert mean(young) + 0.5 < mean(old)
    assert 0 in young


def test_the_medical_view_sometimes_knows_more() -> None:
    more = [profile for profile in PROFILES if len(profile.medical_view.health_risks) > len(profile.health_risks)]
    assert len(PROFILES) * 0.05 < len(more) < len(PROFILES) * 0.5


def test_names_are_many_and_of_many_origins() -> None:
    data = json.loads((ROOT / "generators/profiles/data/names.json").read_text(encoding="utf-8"))
    given = [name for origin in data.values() for key in ("female", "male", "neutral") for name in origin[key]]
    family = [name for origin in data.values() for name in origin["family"]]
    assert len(set(given)) == len(given) >= 200
    assert len(set(family)) == len(family) >= 300
    assert not set(given) & set(family)
    assert len(data) >= 10
    full = {(profile.name.given, profile.name.family) for profile in PROFILES}
    assert len(full) > 500


def test_narratives_have_80_to_120_words_and_vary() -> None:
    lengths = [len(profile.narrative.split()) for profile in PROFILES]
    assert min(lengths) >= SHORTEST
    assert max(lengths) <= LONGEST
    assert len(set(lengths)) > 15
    openings = Counter(" ".join(profile.narrative.split()[:2]) for profile in PROFILES)
    assert max(openings.values()) < 150
    first = sum(profile.narrative.count(" I ") > 0 for profile in PROFILES)
    assert 200 < first < 400


BLANK = dict.fromkeys(
    "S s my My me given age noun steps intake burn azm activity height weight food_money wellness_money".split(), "x"
)
LEAST = BLANK | {
    "full": "Given Family",
    "a_age": "a 34",
    "adults": "two adults",
    "children": "one child",
    "risks": "gout",
    "diets": "vegan",
    "a_diets": "a vegan",
    "sports": "yoga",
    "foods": "tofu and pizza",
}
MOST = LEAST | {
    "noun": "non-binary person",
    "activity": "moderately active",
    "risks": "high cholesterol, chronic kidney disease and type 2 diabetes",
    "diets": "low-fat, low-sodium and low-sugar",
    "a_diets": "a low-fat, low-sodium and low-sugar",
    "sports": "table tennis, tai chi and strength training",
    "foods": "whole grain bread, dark chocolate, lentil soup and beef stew",
    "food_money": "135 dollars",
    "wellness_money": "135 dollars",
}
KEYS = {
    "identity": ("identity_first", "identity_third"),
    "household": ("alone", "together", "family"),
    "risks": ("risks", "risks_none"),
    "diets": ("diets", "diets_none"),
}


def words(fact: str, values: dict[str, str]) -> list[int]:
    """Return the number of words of each form of a fact; the three forms of a verb are one word."""
    forms = [form for key in KEYS.get(fact, (fact,)) for form in narrative_data()["forms"][key]]
    return [len(re.sub(r"\[[^]]*\]", "verb", form).format(**values).split()) for form in forms]


def test_any_choice_of_forms_keeps_the_limits() -> None:
    """What a narrative must say fits into 120 words, and all it may say fills 80."""
    optional = set(narrative_data()["optional"])
    needed = {"identity", "household", "risks", "diets", "sports", "foods", "steps"}
    assert sum(min(words(fact, LEAST)) for fact in needed | optional) >= SHORTEST
    assert sum(max(words(fact, MOST)) for fact in needed) <= LONGEST
    assert len(narrative_data()["skeletons"]) >= 8
    for skeleton in narrative_data()["skeletons"]:
        assert needed <= set(skeleton) <= needed | optional


def test_goals_by_hand() -> None:
    """A woman of 40, 165 cm and 60 kg rests at 600 + 1031.25 - 200 - 161 = 1270.25 kcal; times 1.375 is 1746.6."""
    goal = daily_goal("female", 40, Body(height_cm=165, weight_kg=60), "light", [])
    assert (goal.calories_burn, goal.calories_intake, goal.steps, goal.AZM) == (1_750, 1_750, 8_500, 25)
    assert goal.mets == 20_000
    heavy = daily_goal("male", 70, Body(height_cm=176, weight_kg=100), "sedentary", ["arthritis"])
    assert (heavy.calories_burn, heavy.calories_intake, heavy.steps, heavy.AZM) == (2_100, 1_600, 5_000, 15)


def test_people_are_drawn_within_the_limits() -> None:
    for index in range(300):
        person = draw_person(Stream(5, "people", index))
        assert 18 <= person.age <= 90
        assert person.household.adults >= 1
