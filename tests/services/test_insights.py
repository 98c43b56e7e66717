"""Recommendations follow from what is passed and from the person; plots are records."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.base import Json
from schemas.profile_facts import RISKS, SPORTS
from services.insights.sports import TRAINS
from tests.services import sample
from tests.services.refusals.lifestyle import MEMBER, plot
from tests.services.sample import Row, code_of, done

PROFILE: Row = sample.TABLES["profile"][0]


def advise(*records: tuple[str, float, float, float], **wanted: Json) -> dict[str, Any]:
    """Return the recommendation for workouts of (sport, minutes, calories, azm), `wanted` also changing the profile."""
    asked: dict[str, Any] = {"preference": "cardio", "intensity": "medium"}
    profile = {**PROFILE, **{key: value for key, value in wanted.items() if key in PROFILE}}
    env = sample.environment(**MEMBER, profile=[profile])
    listed: list[Json] = [
        dict(zip(("sport_type", "duration_minutes", "calories", "azm"), record, strict=True)) for record in records
    ]
    given: dict[str, Any] = asked | {key: value for key, value in wanted.items() if key not in PROFILE}
    return done(env, "recommend_sports", recent_sports_records=listed, **given)


def test_defect_D26_nothing_is_divided_by_a_number_of_records_that_is_none() -> None:
    found = advise()
    assert (found["sport_type"], found["duration_minutes"]) == ("running", 30)
    assert (found["calories"], found["azm"], found["based_on_records"]) == (None, None, 0)


def test_defect_D26_a_recommendation_is_worked_out_from_the_records() -> None:
    records = (("Running", 40, 400, 38), ("running", 25, 240, 20.5), ("cycling", 100, 700, 60))
    for intensity, percent in (("low", 70), ("medium", 100), ("high", 130)):
        found = advise(*records, intensity=intensity)
        minutes = int(32.5 * percent / 100 + 0.5)
        assert found["sport_type"] == "running"  # preferred, although more minutes were cycled
        assert found["duration_minutes"] == minutes
        assert found["calories"] == int(640 * minutes / 65 + 0.5)
        assert found["azm"] == int(58.5 * minutes / 65 + 0.5)
        assert found["based_on_records"] == 2
    assert advise(*records, sport_preferences=[])["sport_type"] == "cycling"
    assert advise(("golf", 50, 200, 5), sport_preferences=[])["based_on_records"] == 1
    assert advise(*records) == advise(*reversed(records))


@pytest.mark.parametrize(("minutes", "length"), [(5, 10), (400, 180), (10.4, 10), (10.5, 11)])
def test_lengths_are_whole_minutes_within_bounds(minutes: float, length: int) -> None:
    found = advise(("running", minutes, 10 * minutes, minutes))
    assert found["duration_minutes"] == length
    assert (found["calories"], found["azm"]) == (10 * length, length)


@pytest.mark.parametrize("preference", TRAINS)
@pytest.mark.parametrize("age", [18, 60, 90])
@pytest.mark.parametrize("risks", [[], ["heart_disease"], ["arthritis"], ["arthritis", "heart_disease"]])
def test_a_recommended_sport_trains_what_is_asked_for_and_suits_the_person(
    preference: str, age: int, risks: list[Json]
) -> None:
    found = advise(age=age, health_risks=risks, preference=preference, intensity="high")
    facts = SPORTS[found["sport_type"]]
    assert found["sport_type"] in TRAINS[preference]  # type: ignore[index]
    assert age <= facts.max_age
    spared = {RISKS[risk].spares for risk in RISKS if risk in risks}
    assert not (facts.impact and "impact" in spared) and not (facts.effort == 3 and "effort" in spared)
    assert found["intensity"] == ("medium" if "effort" in spared else "high")
    assert found["avoids"] == sorted(spared)


def foods(goal: str, *exclude: Json, diets: tuple[str, ...] = ()) -> list[str]:
    """Return the names of the foods that are recommended."""
    env = sample.environment(profile=[{**PROFILE, "dietary_restrictions": list(diets)}])
    found: Any = done(env, "recommend_health_food", goal=goal, exclude=list(exclude))
    return [food["name"] for food in found["foods"]]


def test_recommended_foods_are_the_best_by_the_stated_measure() -> None:
    # Milk is a drink, and drinks are recommended for nothing.
    assert foods("more_fiber") == ["Almonds", "Rice cakes", "Oatmeal"]
    assert foods("less_sugar") == ["Oatmeal", "Rice cakes", "Almonds"]
    assert foods("lose_weight") == ["Oatmeal", "Rice cakes", "Almonds"]
    assert foods("build_muscle") == ["Almonds", "Oatmeal", "Rice cakes"]


def test_diets_and_exclusions_are_left_out() -> None:
    assert foods("more_fiber", diets=("gluten_free",)) == ["Almonds", "Rice cakes"]
    assert foods("more_fiber", "nuts") == foods("more_fiber", "Almond") == ["Rice cakes", "Oatmeal"]
    assert foods("more_fiber", "grains", diets=("nut_free",)) == []
    assert foods("more_fiber", "shellfish") == foods("more_fiber")  # known, though no food here holds it
    env = sample.environment(profile=[{**PROFILE, "dietary_restrictions": ["gluten_free", "carnivore"]}])
    found = done(env, "recommend_health_food", goal="less_fat", exclude=[])
    assert (found["respected"], found["not_checked"]) == (["gluten_free"], ["carnivore"])


def test_defect_D26_a_plot_is_kept_as_a_record() -> None:
    env = sample.environment()
    made = done(
        env,
        "plot_time_series",
        start_time="2025-06-08T00:00:00",
        granularity="day",
        time_series=[8120, 6404.5, 0.0625],
        unit="steps",
    )
    assert {key: made[key] for key in ("points", "start_time", "end_time", "min", "max", "unit")} == {
        "points": 3,
        "start_time": "2025-06-08T00:00:00",
        "end_time": "2025-06-10T00:00:00",
        "min": 0.063,
        "max": 8120,
        "unit": "steps",
    }
    ((_, record),) = env.delta()["plots"].values()
    assert record is not None
    assert record["values_thousandths"] == [8_120_000, 6_404_500, 63]
    assert (record["start"], record["granularity"]) == ("2025-06-08T00:00:00", "day")
    assert "http" not in str(made)


@pytest.mark.parametrize(
    ("granularity", "start", "fits"), [("minute", "11:56", 5), ("hour", "08:00", 5), ("hour", "08:01", 4)]
)
def test_defect_D28_a_plot_ends_now_at_the_latest(granularity: str, start: str, fits: int) -> None:
    env = sample.environment()
    for count in (fits, fits + 1):
        series = plot([1] * count, f"2025-06-10T{start}:00", granularity)
        assert code_of(env.call("plot_time_series", series)) == ("IN_FUTURE" if count > fits else "")


def test_defect_D26_recommendations_do_not_depend_on_the_day() -> None:
    arguments: dict[str, Json] = {"goal": "less_sugar", "exclude": []}
    june, march = sample.environment(), sample.environment("2025-03-29T08:00:00")
    assert june.call("recommend_health_food", arguments) == march.call("recommend_health_food", arguments)
