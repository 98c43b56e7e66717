"""Meals and sessions: nutrition by arithmetic, units, ranges of days, and what is logged and deleted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import Json
from services.records.meals import MEAL_HOURS, meal_type_at
from services.records.nutrition import PER_TENTHS, energy_dkcal
from services.runtime.environment import Environment
from tests.services import sample
from tests.services.refusals.lifestyle import SESSION, eaten
from tests.services.sample import code_of, done

FOODS: dict[str, Any] = {str(row["name"]): row for row in sample.SHARED["foods"]}


def logged(env: Environment, *items: tuple[str, float, str], time: str = "2025-06-10T08:00:00") -> dict[str, Json]:
    """Log a meal and return its nutrition."""
    listed: list[Json] = [{"name": name, "amount": {"value": value, "unit": unit}} for name, value, unit in items]
    meal = done(env, "create_meal_record", timestamp=time, items=listed)
    return done(env, "analysis_meal", record_id=meal["record_id"])


# D20: logged meals got the nutrition of a random canned meal.


def test_defect_D20_nutrition_follows_from_what_was_eaten() -> None:
    env = sample.environment()
    found = logged(env, ("Oatmeal", 250, "g"), ("Milk", 200, "ml"))
    # Per 100 g: 24 dg protein, 103 carbs, 15 fat, 17 fiber; per 100 ml of milk 34, 49, 35, 0.
    assert found["protein_g"] == 12.8  # 2.5 x 2.4 + 2 x 3.4
    assert found["carbs_g"] == 35.6  # 25.75 + 9.8 = 35.55, half up
    assert found["fat_g"] == 10.8  # 3.75 + 7.0 = 10.75, half up
    assert found["fiber_g"] == 4.3  # 4.25, half up
    oats, milk = energy_dkcal(24, 103, 15, 17), energy_dkcal(34, 49, 35, 0)
    exact = (2500 * oats + 2000 * milk) / PER_TENTHS
    assert found["calories"] == int(exact + 0.5) / 10


def test_defect_D20_the_same_meal_has_the_same_nutrition_and_nothing_has_none() -> None:
    env = sample.environment()
    first = logged(env, ("Rice cakes", 36, "g"))
    again = logged(env, ("rice cake", 2, "piece"), time="2025-06-09T20:00:00")
    assert {**first, "record_id": ""} == {**again, "record_id": ""}
    other = logged(sample.environment("2025-06-11T12:00:00"), ("Rice cakes", 36, "g"))
    assert {**first, "record_id": ""} == {**other, "record_id": ""}
    assert logged(env, ("Milk", 0.1, "ml"), time="2025-06-08T20:00:00")["calories"] == 0.1


@pytest.mark.parametrize(
    ("time", "kind"),
    [
        ("04:59", "snack"),
        ("05:00", "breakfast"),
        ("10:29", "breakfast"),
        ("10:30", "snack"),
        ("11:30", "lunch"),
        ("14:29", "lunch"),
        ("14:30", "snack"),
        ("17:30", "dinner"),
        ("21:29", "dinner"),
        ("21:30", "snack"),
        ("23:59", "snack"),
    ],
)
def test_defect_D20_lunch_and_dinner_are_told_apart_as_in_made_records(time: str, kind: str) -> None:
    assert meal_type_at(f"2025-06-09T{time}:00") == kind
    meal = done(sample.environment(), "create_meal_record", **eaten(time=f"2025-06-09T{time}:00"))
    assert meal["meal_type"] == kind
    assert {one for _, _, one in MEAL_HOURS} == {"breakfast", "lunch", "dinner"}


@given(st.lists(st.tuples(st.sampled_from(sorted(FOODS)), st.integers(1, 3000)), min_size=1, max_size=4))
def test_a_meal_in_parts_is_the_meal_at_once(items: list[tuple[str, int]]) -> None:
    env = sample.environment()
    listed = [(name, amount / 10, str(FOODS[name]["measure"])) for name, amount in items]
    halves = [(name, part / 10, str(FOODS[name]["measure"])) for name, amount in items for part in _parts(amount)]
    whole, parts = logged(env, *listed), logged(env, *halves, time="2025-06-10T09:00:00")
    assert {**whole, "record_id": ""} == {**parts, "record_id": ""}


def _parts(amount: int) -> list[int]:
    return [part for part in (amount // 2, amount - amount // 2) if part]


@pytest.mark.parametrize(
    ("name", "value", "unit", "shown"),
    [
        ("Oatmeal", 0.25, "kg", {"value": 250, "unit": "g"}),
        ("Oatmeal", 1, "OZ", {"value": 28.3, "unit": "g"}),
        ("oatmeal", 2, "serving", {"value": 500, "unit": "g"}),
        ("Milk", 0.2, "l", {"value": 200, "unit": "ml"}),
        ("Milk", 8, "fl_oz", {"value": 236.6, "unit": "ml"}),
        ("Almonds", 0.05, "g", {"value": 0.1, "unit": "g"}),
        ("Almonds", 5000, "g", {"value": 5000, "unit": "g"}),
    ],
)
def test_amounts_are_kept_in_tenths_of_what_the_food_is_measured_in(
    name: str, value: float, unit: str, shown: dict[str, Json]
) -> None:
    meal: Any = done(sample.environment(), "create_meal_record", **eaten(name, value, unit))
    assert meal["items"][0]["amount"] == shown


def test_an_unknown_food_is_refused_with_foods_that_are_alike() -> None:
    error: Any = sample.environment().call("create_meal_record", eaten("Rice pudding"))["error"]
    assert (error["food"], error["suggestions"]) == ("Rice pudding", ["Rice cakes"])
    error = sample.environment().call("create_meal_record", eaten("Milk", 3, "g"))["error"]
    assert error["units"] == ["ml", "l", "fl_oz", "piece", "serving"]


def test_defect_D29_ranges_of_days_hold_both_ends() -> None:
    env = sample.environment(
        **sample.meal("meal_1", "2025-06-08T00:00:00", ("oatmeal", 100)),
        sessions=[{**SESSION, "start": "2025-06-08T23:30:00", "end": "2025-06-09T00:10:00"}],
    )
    for first, last, count in (("08", "08", 1), ("07", "08", 1), ("08", "09", 1), ("09", "09", 0), ("06", "07", 0)):
        days: dict[str, Any] = {"start_date": f"2025-06-{first}", "end_date": f"2025-06-{last}"}
        meals: Any = done(env, "get_meal_records", **days)["meals"]
        sessions: Any = done(env, "get_session_records", **days)["sessions"]
        assert (len(meals), len(sessions)) == (count, count)
    assert sessions == []
    shown: Any = done(env, "get_session_records", start_date="2025-06-08", end_date="2025-06-08")["sessions"]
    assert shown[0]["duration_minutes"] == 40


@pytest.mark.parametrize("tool", ["create_meal_record", "create_session_record"])
def test_defect_D28_nothing_is_logged_ahead(tool: str) -> None:
    env = sample.environment()
    at: dict[str, tuple[dict[str, Json], ...]] = {
        "create_meal_record": (eaten(time=sample.NOW), eaten(time="2025-06-10T12:00:01")),
        "create_session_record": tuple(
            {"start_time": "2025-06-10T11:00:00", "end_time": f"2025-06-10T12:00:0{late}", "session_type": "study"}
            for late in (0, 1)
        ),
    }
    now, later = at[tool]
    assert code_of(env.call(tool, later)) == "IN_FUTURE"
    assert code_of(env.call(tool, now)) == ""


def test_deleting_a_meal_takes_its_items_and_leaves_others() -> None:
    tables = sample.meal("meal_1", "08:00", ("oatmeal", 2500), ("milk", 2000))
    other = sample.meal("meal_2", "09:00", ("almonds", 300))
    env = sample.environment(
        meals=[*tables["meals"], *other["meals"]],
        meal_items=[*tables["meal_items"], *other["meal_items"]],
        sessions=[SESSION],
    )
    env.confirm("delete_record", {"record_id": "meal_1"})
    assert done(env, "delete_record", record_id="meal_1") == {"deleted": "meal_1", "kind": "meal"}
    assert {table: set(rows) for table, rows in env.delta().items()} == {
        "meals": {"meal_1"},
        "meal_items": {"meal_1_0", "meal_1_1"},
    }
    env.confirm("delete_record", {"record_id": "session_1"})
    assert done(env, "delete_record", record_id="session_1")["kind"] == "session"
    assert code_of(env.call("delete_record", {"record_id": "meal_2"})) == "CONFIRMATION_REQUIRED"
    assert code_of(env.call("analysis_meal", {"record_id": "meal_1"})) == "RECORD_NOT_FOUND"


def test_a_logged_meal_is_listed_as_it_was_returned() -> None:
    env = sample.environment()
    meal = done(env, "create_meal_record", **eaten())
    session = done(
        env,
        "create_session_record",
        start_time="2025-06-09T23:30",
        end_time="2025-06-10T00:15:30",
        session_type="meditation",
        user_note="Slept well after.",
    )
    days: dict[str, Any] = {"start_date": "2025-06-09", "end_date": "2025-06-10"}
    assert done(env, "get_meal_records", **days) == {"meals": [meal]}
    assert done(env, "get_session_records", **days) == {"sessions": [session]}
    assert (session["duration_minutes"], session["user_note"]) == (45, "Slept well after.")
