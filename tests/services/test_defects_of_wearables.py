"""Known defects of a published environment in wearables and sources, each with a test that it is not repeated here."""

from __future__ import annotations

import re
from typing import Any

import pytest

from schemas.base import Json
from services import open_environment
from services.runtime.catalogue import installed_catalogue
from services.runtime.environment import Environment
from services.sources.platforms import FAMILY, SOURCES
from tests.environments import environment as made
from tests.environments import world
from tests.services import sample, wearing
from tests.services.sample import code_of, done, permissions, refused
from tests.services.wearing import MINUTES, MISSING, OURA_DAYS

TOOLS = installed_catalogue().tools
FULL_DAY, TODAY = "2025-06-09", "2025-06-10"
ON_A_DAY: dict[str, dict[str, Json]] = {
    "get_daily_summary": {},
    "get_daily_sleep_summary": {},
    **{f"get_hourly_{name}": {"start": 0, "end": 24} for name in ("steps", "calories", "mets", "activity")},
}
ON_A_RANGE = ("get_range_summary", "get_sport_records")
OF_A_SOURCE = tuple(name for name, tool in TOOLS.items() if tool.family == FAMILY)


def rows(index: int, table: str) -> list[dict[str, Any]]:
    return made(index).tables[table]


def opened(index: int) -> Environment:
    """An environment as it is made, with every source connected and raw data allowed."""
    env = open_environment(made(index), world())
    done(env, "set_raw_data_permission", "user", allow=True)
    for row in rows(index, "sources"):
        done(env, "update_source", "user", source_name=row["id"], allow=True)
    return env


def with_tools() -> Environment:
    """The sample with raw data allowed and the tools of fitbit found."""
    env = sample.environment(permissions=permissions(raw_data=True))
    done(env, "get_source_features", source_name="fitbit")
    return env


# D1: workouts changed on every reload, and were not those of the minutes.


@pytest.mark.parametrize("index", range(0, 40, 8))
def test_defect_D1_workouts_are_records_that_every_opening_shows_alike(index: int) -> None:
    days: dict[str, Json] = {"start_date": "2024-01-01", "end_date": "2027-12-31"}
    first = opened(index).call("get_sport_records", days)
    assert opened(index).call("get_sport_records", days) == first
    shown: Any = first["records"]
    assert {w["workout_id"] for w in shown} == {row["id"] for row in rows(index, "workouts")}


def test_defect_D1_a_workout_is_what_its_minutes_say() -> None:
    env = with_tools()
    records: Any = done(env, "get_sport_records", start_date="2025-05-12", end_date=TODAY)["records"]
    workout = records[0]
    window: dict[str, Json] = {
        "date": workout["start_time"][:10],
        "start": workout["start_time"][11:16],
        "end": workout["end_time"][11:16],
    }

    def points(name: str) -> list[Any]:
        found: Any = done(env, f"fitbit-get_intraday_{name}", "assistant", **window)["points"]
        return [point["value"] for point in found]

    assert len(points("steps")) == workout["duration_minutes"]
    assert sum(points("steps")) == workout["steps"]
    assert round(sum(points("calories")), 2) == workout["calories"]
    assert sum(level >= 2 for level in points("intensities")) == workout["azm"]


# D2: the sleep tool always returned zeros.


def test_defect_D2_a_night_shows_its_sleep() -> None:
    night = done(sample.environment(), "get_daily_sleep_summary", date=FULL_DAY)
    assert (night["total_sleep_minutes"], night["light_minutes"], night["segment_count"]) == (470, 320, 1)


@pytest.mark.parametrize("index", range(6))
def test_defect_D2_every_recorded_night_of_a_made_user_is_shown(index: int) -> None:
    env = opened(index)
    for row in rows(index, "nights"):
        night: Any = done(env, "get_daily_sleep_summary", date=row["id"])
        assert night["available"] is True and night["total_sleep_minutes"] == row["asleep"] > 0


# D3: branches connected and disconnected every source of one shared store.


def test_defect_D3_connections_of_one_conversation_reach_no_other() -> None:
    record = sample.record()
    first, second = open_environment(record, sample.WORLD), open_environment(record, sample.WORLD)
    for source in ("fitbit", "oura"):
        done(first, "update_source", "user", source_name=source, allow=False)
    assert done(first, "get_daily_summary", date=FULL_DAY)["available"] is False
    assert done(second, "get_daily_summary", date=FULL_DAY)["available"] is True
    assert open_environment(record, sample.WORLD).state_hash() == second.state_hash() == record.state_hash


def test_defect_D3_made_environments_have_connected_and_disconnected_sources() -> None:
    connected = [[row["connected"] for row in rows(index, "sources")] for index in range(60)]
    assert any(all(one) for one in connected) and any(not any(one) for one in connected)
    assert any(any(one) and not all(one) for one in connected)


# D23: gates were uneven: sleep and weekly plans had none, and a day that was not there came back as zeros.


@pytest.mark.parametrize("tool", ON_A_DAY)
def test_defect_D23_every_tool_of_a_day_is_behind_the_same_gate(tool: str) -> None:
    assert "DATA" in TOOLS[tool].gates
    env = sample.environment(nights=[])
    for date in (MISSING, *OURA_DAYS, "2025-07-01"):
        assert env.call(tool, {"date": date, **ON_A_DAY[tool]}) == {"available": False, "date": date}


@pytest.mark.parametrize("tool", ON_A_RANGE)
def test_defect_D23_ranges_leave_out_days_that_are_not_there(tool: str) -> None:
    assert "DATA_RANGE" in TOOLS[tool].gates
    result: Any = done(sample.environment(), tool, start_date="2025-05-19", end_date="2025-05-21")
    assert result["dates"] == ["2025-05-19", "2025-05-21"]


@pytest.mark.parametrize("tool", OF_A_SOURCE)
def test_defect_D23_every_tool_of_a_source_is_behind_the_same_gates(tool: str) -> None:
    assert TOOLS[tool].gates[:2] == ("RAW", "CONNECTED") == TOOLS["get_source_features"].gates
    env, name = with_tools(), tool.replace("<source>", "fitbit")
    done(env, "set_raw_data_permission", "user", allow=False)
    assert refused(env, name, "assistant", **TOOLS[tool].example) == "PERMISSION_DENIED"
    done(env, "set_raw_data_permission", "user", allow=True)
    done(env, "update_source", "user", source_name="fitbit", allow=False)
    assert refused(env, name, "assistant", **TOOLS[tool].example) == "SOURCE_NOT_CONNECTED"


def test_defect_D23_a_freshly_connected_source_has_a_plan_without_goals() -> None:
    env = sample.environment(permissions=permissions(raw_data=True), activity_plans=[])
    done(env, "update_source", "user", source_name="polar_flow", allow=True)
    done(env, "get_source_features", source_name="polar_flow")
    plan: Any = done(env, "polar_flow-get_activity_plan")
    assert set(plan["weekly_goal"].values()) == {None}


def test_defect_D23_connecting_a_source_shows_its_days_at_once() -> None:
    env = sample.environment()
    assert done(env, "get_daily_summary", date=OURA_DAYS[0])["available"] is False
    done(env, "update_source", "user", source_name="oura", allow=True)
    day: Any = done(env, "get_daily_summary", date=OURA_DAYS[0])
    assert (day["available"], day["source"], day["device"]["type"]) == (True, "oura", "ring")


def test_defect_D23_what_is_hidden_is_in_no_result() -> None:
    env = sample.environment()
    for tool in (tool for tool in TOOLS.values() if not tool.write and tool.callable and not tool.behind):
        arguments = {**tool.example, **({"date": OURA_DAYS[0]} if "date" in tool.example else {})}
        result = env.call(tool.name, arguments, tool.side)
        if result.get("available") is False:
            assert "oura" not in str(result)


# D26: the score of a day was a function of the day of the month.


def test_defect_D26_a_score_follows_from_what_was_recorded() -> None:
    env = sample.environment()
    scores: dict[str, Any] = {
        date: done(env, "get_daily_summary", date=date)["system_score"]
        for date in wearing.DATES
        if date not in (MISSING, *OURA_DAYS)
    }
    assert len({str(score) for score in scores.values()}) > 1
    (profile,) = sample.TABLES["profile"]
    easy = {**profile, "goal_steps": 1, "goal_calories_burn": 1, "goal_azm": 1}
    day: Any = done(sample.environment(profile=[easy]), "get_daily_summary", date=FULL_DAY)
    assert day["system_score"]["activity_score"] == 100
    later = sample.environment("2025-06-20T12:00:00")
    assert done(later, "get_daily_summary", date=FULL_DAY)["system_score"] == scores[FULL_DAY]


# D28: data after now was served.


@pytest.mark.parametrize("index", range(0, 60, 5))
def test_defect_D28_nothing_that_was_recorded_is_later_than_now(index: int) -> None:
    now = made(index).now
    assert all(row["end"] <= now for row in rows(index, "workouts"))
    assert all(row["id"] < now[:10] for row in rows(index, "nights"))
    assert all(row["id"] <= now[:10] for row in rows(index, "wearable_days"))
    past = 60 * int(now[11:13]) + int(now[14:16])
    counts = {row["count"] for row in rows(index, "signals")}
    assert counts == {29 * 1440 + past}


def test_defect_D28_today_goes_as_far_as_now() -> None:
    env = with_tools()
    assert done(env, "get_daily_summary", date=TODAY)["recorded_until"] == "12:00"
    hours: Any = done(env, "get_hourly_steps", date=TODAY, start=0, end=24)["hours"]
    assert [hour["hour"] for hour in hours] == list(range(12))
    points: Any = done(env, "fitbit-get_intraday_steps", date=TODAY)["points"]
    assert (len(points), points[-1]["time"]) == (720, "11:59")
    late: Any = done(env, "fitbit-get_intraday_steps", date=TODAY, start="12:00", end="13:00")
    assert (late["points"], late["recorded_until"]) == ([], "12:00")
    assert done(env, "get_daily_sleep_summary", date=TODAY) == {"available": False, "date": TODAY}
    assert done(env, "get_daily_summary", date="2025-06-11") == {"available": False, "date": "2025-06-11"}


def test_defect_D28_an_hour_in_progress_has_the_minutes_that_are_over() -> None:
    env = sample.environment("2025-06-10T11:20:00")
    hours: Any = done(env, "get_hourly_activity", date=FULL_DAY, start=11, end=12)["hours"]
    assert sum(value for name, value in hours[0].items() if name.endswith("_minutes")) == 60


# D29: minute windows held their end, METs were on an unstated scale, and units were mixed up.


@pytest.mark.parametrize("metric", ["steps", "calories", "mets", "intensities"])
def test_defect_D29_an_hour_has_sixty_points(metric: str) -> None:
    points: Any = done(
        with_tools(), f"fitbit-get_intraday_{metric}", "assistant", date=FULL_DAY, start="17:00", end="18:00"
    )["points"]
    assert (len(points), points[0]["time"], points[-1]["time"]) == (60, "17:00", "17:59")


def test_defect_D29_windows_of_minutes_and_of_hours_agree() -> None:
    env = with_tools()
    points: Any = done(env, "fitbit-get_intraday_steps", date=FULL_DAY, start="08:00", end="12:00")["points"]
    hours: Any = done(env, "get_hourly_steps", date=FULL_DAY, start=8, end=12)["hours"]
    assert sum(point["value"] for point in points) == sum(hour["value"] for hour in hours)


def test_defect_D29_the_scale_of_METs_is_told_wherever_they_are_shown() -> None:
    named = [tool for tool in TOOLS.values() if re.search(r"\bMETs?\b|\bmets\b", f"{tool.summary} {tool.returns}")]
    assert len(named) >= 5
    for tool in named:
        assert "tenths of a MET" in f"{tool.summary} {tool.returns}", tool.name
    result = done(sample.environment(), "get_hourly_mets", date=FULL_DAY, start=0, end=1)
    assert result["unit"] == "tenths of a MET, summed over minutes"
    hours: Any = result["hours"]
    assert hours[0]["value"] == 600  # an hour of sleep


def test_defect_D29_energy_is_in_kcal_everywhere() -> None:
    for tool in TOOLS.values():
        assert not re.search(r"\bkJ\b", f"{tool.summary} {tool.returns} {tool.schema}")
    result = done(with_tools(), "fitbit-get_intraday_calories", date=FULL_DAY, start="00:00", end="00:01")
    assert result["unit"] == "kcal"
    # A minute of rest at 70 kg: 1 MET x 3.5 x 70 / 200 = 1.225 kcal, halves rounded up to hundredths.
    assert result["points"] == [{"time": "00:00", "value": 1.23}]
    assert MINUTES[FULL_DAY]["mets"][0] == 10


# D34: tools that were never discovered could be called.


@pytest.mark.parametrize("tool", OF_A_SOURCE)
def test_defect_D34_tools_of_a_source_need_its_discovery(tool: str) -> None:
    everything: list[sample.Row] = [{"id": source, "connected": True} for source in SOURCES]
    env = sample.environment(sample.NOW, permissions=permissions(raw_data=True), sources=everything)
    for source in SOURCES:
        name = tool.replace("<source>", source)
        assert refused(env, name, TOOLS[tool].side, **TOOLS[tool].example) == "TOOL_NOT_AVAILABLE"
    done(env, "get_source_features", source_name="garmin_connect")
    for source in SOURCES:
        code = code_of(env.call(tool.replace("<source>", source), TOOLS[tool].example))
        assert code == ("" if source == "garmin_connect" else "TOOL_NOT_AVAILABLE")


def test_defect_D34_a_discovery_that_was_refused_makes_nothing_available() -> None:
    env = sample.environment()
    assert refused(env, "get_source_features", source_name="fitbit") == "PERMISSION_DENIED"
    assert refused(env, "fitbit-get_activity_plan") == "TOOL_NOT_AVAILABLE"


# D65: workouts had neither id nor duration.


def test_defect_D65_workouts_have_an_id_and_a_duration() -> None:
    records: Any = done(sample.environment(), "get_sport_records", start_date="2025-05-12", end_date=TODAY)["records"]
    assert len({record["workout_id"] for record in records}) == len(records) > 0
    assert all(record["duration_minutes"] == 40 for record in records)
    wanted: Any = TOOLS["recommend_sports"].schema["properties"]
    needed = wanted["recent_sports_records"]["items"]["required"]
    assert set(needed) <= set(records[0])
