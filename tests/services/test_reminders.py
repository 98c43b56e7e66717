"""Reminders: validated times and days, one normal form, ids."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.base import Json
from services.reminders.records import WEEKDAYS
from tests.services import sample
from tests.services.refusals.lifestyle import REMINDER, RULE
from tests.services.sample import code_of, done, refused


@pytest.mark.parametrize(
    ("days", "kept"),
    [
        ([], list(WEEKDAYS)),
        (["Sun", "Mon"], ["Mon", "Sun"]),
        (["Wed", "Wed", "Tue"], ["Tue", "Wed"]),
        (list(WEEKDAYS), list(WEEKDAYS)),
    ],
)
def test_days_are_kept_in_the_order_of_the_week(days: list[Json], kept: list[str]) -> None:
    env = sample.environment()
    made = done(env, "create_daily_reminder", title="Stretch", time_of_day="07:05", repeat_days=days)
    assert made["repeat_days"] == kept
    assert done(env, "list_daily_reminders") == {"reminders": [made]}


def test_defect_D22_a_reminder_comes_at_a_time_and_on_days_that_there_are() -> None:
    env = sample.environment()
    assert refused(env, "create_daily_reminder", title="x", time_of_day="99:99", repeat_days=[]) == "INVALID_TIME"
    for days in (["Funday"], ["mon"], "Mon", [1], None):
        wrong: dict[str, Any] = {**REMINDER, "repeat_days": days}
        assert refused(env, "create_daily_reminder", **wrong) == "INVALID_ARGUMENTS"


def test_defect_D65_reminders_have_ids_and_may_hold_a_rule() -> None:
    rule = {"rule_metric": "steps", "rule_comparison": "at_least", "rule_value": 8000, "rule_period": "day"}
    env = sample.environment(
        reminders=[
            {"id": "rem_2", **REMINDER, "title": "Reach 8,000 steps", **rule},
            {"id": "rem_1", **REMINDER, **dict.fromkeys(RULE)},
        ]
    )
    listed: Any = done(env, "list_daily_reminders")["reminders"]
    assert [one["reminder_id"] for one in listed] == ["rem_2", "rem_1"]
    assert listed[0]["rule"] == {
        "metric": "steps",
        "comparison": "at_least",
        "value": 8000,
        "unit": "steps",
        "period": "day",
    }
    assert "rule" not in listed[1]


def test_a_reminder_is_deleted_after_a_yes() -> None:
    env = sample.environment(reminders=[{"id": "rem_1", **REMINDER, **dict.fromkeys(RULE)}])
    assert code_of(env.call("delete_daily_reminder", {"reminder_id": "rem_1"})) == "CONFIRMATION_REQUIRED"
    env.confirm("delete_daily_reminder", {"reminder_id": "rem_1"})
    assert done(env, "delete_daily_reminder", reminder_id="rem_1") == {"deleted": "rem_1"}
    assert done(env, "list_daily_reminders") == {"reminders": []}
