"""Refusals of records, reminders and insights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemas.base import Json
from services.runtime.environment import Environment
from tests.services import sample
from tests.services.refusals import Case, made

MEMBER = {"membership": sample.member_until("2025-06-10")}
LOGGED = sample.meal("meal_1", "08:00", ("oatmeal", 2500))
SESSION: sample.Row = {
    "id": "session_1",
    "session_type": "study",
    "start": "2025-06-10T09:00:00",
    "end": "2025-06-10T10:00:00",
    "note": None,
}
REMINDER: dict[str, Any] = {"title": "Stretch", "time_of_day": "20:30", "repeat_days": ["Mon"]}
JUNE: dict[str, Json] = {"start_date": "2025-06-01", "end_date": "2025-06-30"}
WORKOUT: dict[str, Json] = {"sport_type": "running", "duration_minutes": 40, "calories": 400, "azm": 38}


def eaten(
    name: str = "Oatmeal", value: float = 250, unit: str = "g", time: str = "2025-06-10T08:00:00"
) -> dict[str, Any]:
    """Return the arguments of a meal of one food."""
    return {"timestamp": time, "items": [{"name": name, "amount": {"value": value, "unit": unit}}]}


def session(
    start: str = "09:00:00", end: str = "10:00:00", day: str = "2025-06-10", kind: str = "study"
) -> dict[str, Any]:
    """Return the arguments of a session on one day."""
    return {"start_time": f"{day}T{start}", "end_time": f"2025-06-10T{end}", "session_type": kind}


def plot(values: list[Json], start: str = "2025-06-08T00:00:00", granularity: str = "day") -> dict[str, Any]:
    """Return the arguments of a plot."""
    return {"start_time": start, "granularity": granularity, "time_series": values}


def advised(**record: Json) -> dict[str, Any]:
    """Return the arguments of a recommendation from one workout."""
    return {"recent_sports_records": [{**WORKOUT, **record}], "preference": "cardio", "intensity": "low"}


def reminded(**tables: list[sample.Row]) -> Callable[[], Environment]:
    """Return a maker of environments that have the usual reminder."""
    return made(reminders=[{"id": "rem_1", **REMINDER, **dict.fromkeys(RULE)}], **tables)


RULE = ("rule_metric", "rule_comparison", "rule_value", "rule_period")
CASES = [
    *(
        Case(tool, code, {**JUNE, **wrong})
        for tool in ("get_meal_records", "get_session_records")
        for code, wrong in (
            ("INVALID_DATE", {"start_date": "2025-06-31"}),
            ("INVALID_DATE", {"end_date": "20250630"}),
            ("INVALID_DATE", {"end_date": "June"}),
            ("INVALID_RANGE", {"end_date": "2025-05-31"}),
        )
    ),
    Case("analysis_meal", "RECORD_NOT_FOUND", {"record_id": "meal_1"}),
    Case("analysis_meal", "RECORD_NOT_FOUND", {"record_id": "session_1"}, made(sessions=[SESSION])),
    Case("delete_record", "RECORD_NOT_FOUND", {"record_id": "meal_1"}),
    Case("delete_record", "RECORD_NOT_FOUND", {"record_id": "meal_1_0"}, made(**LOGGED)),
    *(
        Case("create_meal_record", "INVALID_TIME", eaten(time=time))
        for time in ("2025-06-10", "08:00", "2025-06-10T25:00:00", "2025-02-30T08:00:00", "2025-06-10T08:00:00Z")
    ),
    Case("create_meal_record", "IN_FUTURE", eaten(time="2025-06-10T12:00:01")),
    Case("create_meal_record", "TIME_TAKEN", eaten(time="2025-06-10T08:00"), made(**LOGGED)),
    Case("create_meal_record", "MEAL_EMPTY", {"timestamp": "2025-06-10T08:00:00", "items": []}),
    Case("create_meal_record", "FOOD_NOT_FOUND", eaten("Unicorn steak")),
    Case("create_meal_record", "UNIT_NOT_FOR_FOOD", eaten("Milk", 200, "g")),
    Case("create_meal_record", "UNIT_NOT_FOR_FOOD", eaten("Oatmeal", 200, "ml")),
    Case("create_meal_record", "UNIT_NOT_FOR_FOOD", eaten("Oatmeal", 2, "handfuls")),
    *(
        Case("create_meal_record", "AMOUNT_OUT_OF_RANGE", eaten(value=value, unit=unit))
        for value, unit in ((0, "g"), (-5, "g"), (0.04, "g"), (5000.1, "g"), (6, "kg"), (1e15, "g"), (21, "piece"))
    ),
    *(
        Case("create_session_record", "INVALID_TIME", session(start))
        for start in ("9:00", "24:00:00", "09:00:00.5", "09:60:00")
    ),
    Case("create_session_record", "IN_FUTURE", session(end="12:00:01")),
    Case("create_session_record", "INVALID_RANGE", session("10:00:00", "09:00:00")),
    Case("create_session_record", "INVALID_RANGE", session("10:00:00", "10:00:00")),
    Case("create_session_record", "TOO_LONG", session("09:59:59", day="2025-06-09")),
    Case("create_session_record", "TIME_TAKEN", session(), made(sessions=[SESSION])),
    Case("create_session_record", "TYPE_EMPTY", session(kind=" ")),
    *(
        Case("create_daily_reminder", "INVALID_TIME", {**REMINDER, "time_of_day": time})
        for time in ("99:99", "24:00", "7:30", "19:60", "7pm", "")
    ),
    Case("create_daily_reminder", "TITLE_EMPTY", {**REMINDER, "title": ""}),
    Case("create_daily_reminder", "REMINDER_EXISTS", REMINDER, reminded()),
    Case("delete_daily_reminder", "REMINDER_NOT_FOUND", {"reminder_id": "rem_1"}),
    Case("recommend_sports", "SUBSCRIPTION_REQUIRED", advised()),
    *(
        Case("recommend_sports", "INVALID_RECORD", advised(**wrong), made(**MEMBER))
        for wrong in ({"duration_minutes": 0}, {"calories": -1}, {"azm": -0.5}, {"duration_minutes": 1e9})
    ),
    Case("recommend_sports", "PROFILE_NOT_FOUND", advised(), made(**MEMBER, profile=[])),
    Case("recommend_health_food", "PROFILE_NOT_FOUND", {"goal": "less_fat", "exclude": []}, made(profile=[])),
    Case("recommend_health_food", "EXCLUSION_UNKNOWN", {"goal": "less_fat", "exclude": ["nuts", "plutonium"]}),
    Case("plot_time_series", "SERIES_EMPTY", plot([])),
    Case("plot_time_series", "TOO_MANY_POINTS", plot([1] * 1441, "2025-06-09T00:00:00", "minute")),
    Case("plot_time_series", "INVALID_VALUE", plot([1, -1e10])),
    Case("plot_time_series", "INVALID_TIME", plot([1], "yesterday")),
    Case("plot_time_series", "IN_FUTURE", plot([1, 2, 3, 4])),
    Case("plot_time_series", "IN_FUTURE", plot([1], "9999-12-31T00:00:00")),
]
