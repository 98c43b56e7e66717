"""Sources: discovery, minutes in windows, weekly goals, connections."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.base import Json
from services.runtime.catalogue import installed_catalogue
from services.runtime.environment import Environment
from services.sources.platforms import DEVICES, FAMILY, SOURCES
from tests.services import sample
from tests.services.sample import code_of, done, permissions, refused
from tests.services.wearing import MINUTES, MISSING, OURA_DAYS

FULL_DAY, TODAY = "2025-06-09", "2025-06-10"
SERIES = {"steps": "steps", "calories": "calories", "mets": "mets", "intensities": "intensity"}
OFFERED = sorted(
    f"fitbit-{name}" for name in ("create_activity_plan", "get_activity_plan", *(f"get_intraday_{s}" for s in SERIES))
)


def found() -> Environment:
    """An environment in which the tools of fitbit were found."""
    env = sample.environment(permissions=permissions(raw_data=True))
    done(env, "get_source_features", source_name="fitbit")
    return env


def names(env: Environment) -> list[str]:
    offered: Any = env.tools()
    return [entry["function"]["name"] for entry in offered]


# --- discovery -------------------------------------------------------------------------------------------------------


def test_finding_a_source_shows_its_tools_and_offers_them() -> None:
    env = sample.environment(permissions=permissions(raw_data=True))
    before = names(env)
    result: Any = done(env, "get_source_features", source_name="fitbit")
    assert result["source"] == "fitbit"
    assert [entry["function"]["name"] for entry in result["tools"]] == OFFERED
    assert sorted({*names(env)} - {*before}) == OFFERED
    assert env.delta() == {}


def test_tools_of_a_source_are_behind_the_discovery_of_that_source() -> None:
    env = sample.environment(
        permissions=permissions(raw_data=True),
        sources=[{"id": "fitbit", "connected": True}, {"id": "oura", "connected": True}],
    )
    assert refused(env, "fitbit-get_activity_plan") == "TOOL_NOT_AVAILABLE"
    done(env, "get_source_features", source_name="fitbit")
    done(env, "fitbit-get_activity_plan")
    for other in ("oura", "withings"):
        assert refused(env, f"{other}-get_activity_plan") == "TOOL_NOT_AVAILABLE"


def test_the_catalogue_counts_tools_of_sources_once() -> None:
    tools = [tool for tool in installed_catalogue().tools.values() if tool.family == FAMILY]
    assert sorted(tool.name for tool in tools) == sorted(name.replace("fitbit", "<source>") for name in OFFERED)
    for source in SOURCES:
        assert f"{source}-get_intraday_steps" in installed_catalogue().tools


def test_a_closed_gate_of_a_source_says_what_is_missing() -> None:
    env = sample.environment()
    error: Any = env.call("get_source_features", {"source_name": "fitbit"})["error"]
    assert (error["gate"], error["permission"]) == ("RAW", "allow_raw_data_access")
    done(env, "set_raw_data_permission", "user", allow=True)
    error = env.call("get_source_features", {"source_name": "oura"})["error"]
    assert (error["gate"], error["source"]) == ("CONNECTED", "oura")
    done(env, "update_source", "user", source_name="oura", allow=True)
    done(env, "get_source_features", source_name="oura")


# --- minutes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize(
    ("window", "first", "last"),
    [
        ({}, 0, 1440),
        ({"start": "17:30"}, 1050, 1440),
        ({"end": "00:01"}, 0, 1),
        ({"start": "17:00", "end": "18:00"}, 1020, 1080),
        ({"start": "23:59", "end": "24:00"}, 1439, 1440),
    ],
)
def test_a_window_holds_its_minutes(name: str, window: dict[str, Json], first: int, last: int) -> None:
    result: Any = done(found(), f"fitbit-get_intraday_{name}", "assistant", date=FULL_DAY, **window)
    assert (result["available"], result["source"], result["recorded_until"]) == (True, "fitbit", "24:00")
    assert [point["time"] for point in result["points"]] == [f"{m // 60:02d}:{m % 60:02d}" for m in range(first, last)]
    unit = 100 if name == "calories" else 1
    values = MINUTES[FULL_DAY][SERIES[name]][first:last]
    assert [point["value"] for point in result["points"]] == [value / unit for value in values]


def test_a_minute_belongs_to_one_window() -> None:
    env = found()
    whole: Any = done(env, "fitbit-get_intraday_steps", date=FULL_DAY)
    parts: list[Any] = [
        done(env, "fitbit-get_intraday_steps", date=FULL_DAY, start=start, end=end)
        for start, end in (("00:00", "09:00"), ("09:00", "09:01"), ("09:01", "24:00"))
    ]
    assert [point for part in parts for point in part["points"]] == whole["points"]


@pytest.mark.parametrize("date", [MISSING, *OURA_DAYS, "2025-05-11", "2025-06-11"])
def test_days_that_the_source_did_not_record_are_not_available(date: str) -> None:
    env = found()
    assert done(env, "fitbit-get_intraday_steps", date=date) == {"available": False, "date": date, "source": "fitbit"}
    done(env, "update_source", "user", source_name="oura", allow=True)
    assert done(env, "fitbit-get_intraday_steps", date=date)["available"] is False


def test_each_source_gives_its_own_days() -> None:
    env = found()
    done(env, "update_source", "user", source_name="oura", allow=True)
    done(env, "get_source_features", source_name="oura")
    result: Any = done(env, "oura-get_intraday_steps", date=OURA_DAYS[0], start="12:00", end="12:30")
    assert [point["value"] for point in result["points"]] == MINUTES[OURA_DAYS[0]]["steps"][720:750]
    assert done(env, "oura-get_intraday_steps", date=FULL_DAY)["available"] is False


# --- weekly goals ----------------------------------------------------------------------------------------------------

GOALS: dict[str, Json] = {"steps": 60_000, "AZM": None, "mets": None, "calories_burn": 15_000}


def test_weekly_goals_are_kept_at_the_source() -> None:
    env = found()
    assert done(env, "fitbit-get_activity_plan") == {"source": "fitbit", "weekly_goal": GOALS}
    assert done(env, "fitbit-create_activity_plan", goal_type="AZM", value=150) == {
        "source": "fitbit",
        "goal_type": "AZM",
        "value": 150,
    }
    assert done(env, "fitbit-get_activity_plan")["weekly_goal"] == {**GOALS, "AZM": 150}
    done(env, "fitbit-create_activity_plan", goal_type="steps", value=70_000)
    assert done(env, "fitbit-get_activity_plan")["weekly_goal"] == {**GOALS, "AZM": 150, "steps": 70_000}
    assert set(env.delta()) == {"activity_plans"} and set(env.delta()["activity_plans"]) == {"fitbit"}


@pytest.mark.parametrize("value", [0, -5, 10_000_001, 2.5, "70000", None])
def test_a_weekly_goal_is_a_positive_whole_number(value: Json) -> None:
    assert refused(found(), "fitbit-create_activity_plan", goal_type="steps", value=value) == "INVALID_ARGUMENTS"


# --- connections -----------------------------------------------------------------------------------------------------


def settings(env: Environment) -> dict[str, Any]:
    return done(env, "get_system_settings")


def test_a_source_is_connected_and_disconnected() -> None:
    env = sample.environment()
    start = env.state_hash()
    assert done(env, "update_source", "user", source_name="oura", allow=True) == {"source": "oura", "connected": True}
    assert {m["source"]: m["connected"] for m in settings(env)["marketplaces"]} == {"fitbit": True, "oura": True}
    assert set(env.delta()) == {"sources"}
    done(env, "update_source", "user", source_name="oura", allow=True)
    done(env, "update_source", "user", source_name="oura", allow=False)
    assert env.state_hash() == start


@pytest.mark.parametrize("source", [name for name in SOURCES if name not in ("fitbit", "oura")])
def test_a_new_source_comes_with_its_usual_device(source: str) -> None:
    env = sample.environment(permissions=permissions(raw_data=True))
    done(env, "update_source", "user", source_name=source, allow=True)
    (device,) = [device for device in settings(env)["devices"] if device["source"] == source]
    assert device["type"] == DEVICES[source][0]  # type: ignore[index]
    done(env, "get_source_features", source_name=source)
    plan: Any = done(env, f"{source}-get_activity_plan")
    assert plan["weekly_goal"] == dict.fromkeys(GOALS)
    assert done(env, f"{source}-get_intraday_steps", date=FULL_DAY)["available"] is False
    done(env, f"{source}-create_activity_plan", goal_type="mets", value=140_000)
    assert done(env, f"{source}-get_activity_plan")["weekly_goal"] == {**dict.fromkeys(GOALS), "mets": 140_000}


def test_only_the_user_connects_sources() -> None:
    assert refused(sample.environment(), "update_source", source_name="oura", allow=True) == "WRONG_SIDE"


def test_taking_a_permission_or_a_connection_back_closes_what_was_found() -> None:
    env = found()
    done(env, "set_raw_data_permission", "user", allow=False)
    assert refused(env, "fitbit-get_activity_plan") == "PERMISSION_DENIED"
    done(env, "set_raw_data_permission", "user", allow=True)
    done(env, "update_source", "user", source_name="fitbit", allow=False)
    assert refused(env, "fitbit-get_intraday_steps", date=FULL_DAY) == "SOURCE_NOT_CONNECTED"
    assert code_of(env.call("get_daily_summary", {"date": FULL_DAY})) == ""
