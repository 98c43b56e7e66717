"""Random conversations about what devices recorded: what holds after every single call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.base import Json
from services.runtime.environment import Environment
from services.runtime.families import for_member
from services.runtime.tools import Tool
from services.sources.platforms import FAMILY, SOURCES
from tests.effort import amount
from tests.services import sample, wearing
from tests.services.test_sessions import CATALOGUE, check_everything, one_call

TOOLS = {tool.name: tool for name in ("wearables", "sources") for tool in CATALOGUE.services[name].tools}
ODD = st.sampled_from(["", " ", "2025-02-30", "20250601", "25:00", "9:00", "null", "größe"])
DAYS = st.sampled_from([*wearing.DATES, *wearing.DATES[-4:], "2025-05-11", "2025-06-11"])
CLOCKS = st.sampled_from([f"{hour:02d}:{minute:02d}" for hour in (0, 7, 11, 12, 17, 23) for minute in (0, 1, 59)])
HOURS = st.integers(-1, 25)
NAMES = st.sampled_from(["fitbit", "fitbit", "oura", "withings", "pager", ""])
POOLS: dict[str, st.SearchStrategy[Any]] = {
    "date": DAYS | DAYS | DAYS | ODD,
    "start_date": DAYS | DAYS | DAYS | ODD,
    "end_date": DAYS | DAYS | DAYS | ODD,
    "source_name": NAMES,
    "goal_type": st.sampled_from(["steps", "AZM", "mets", "calories_burn", "naps"]),
    "value": st.sampled_from([1, 150, 70_000, 70_000.0, 10_000_000, 0, -5, 2.5, None]),
    "allow": st.booleans(),
}


def start() -> Environment:
    """An environment with connected and other sources, everything found."""
    env = sample.environment(permissions=sample.permissions(raw_data=True))
    env.session = env.session._replace(unlocked=frozenset(FAMILY.feature(source) for source in SOURCES))
    return env


def arguments_of(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a tool, mostly such that it can succeed."""
    properties: Any = tool.schema["properties"]
    required: Any = tool.schema["required"]
    known: dict[str, st.SearchStrategy[Any]] = {
        name: HOURS if schema.get("type") == "integer" and name in ("start", "end") else POOLS.get(name, CLOCKS | ODD)
        for name, schema in properties.items()
    }
    optional = {name: pool for name, pool in known.items() if name not in required}
    return st.fixed_dictionaries({name: known[name] for name in required}, optional=optional)


def as_called(tool: Tool) -> st.SearchStrategy[Tool]:
    if tool.family is None:
        return st.just(tool)
    return st.sampled_from(["fitbit", "fitbit", "oura", "withings"]).map(lambda member: for_member(tool, member))


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
@settings(max_examples=10)
@given(data=st.data())
def test_any_arguments_are_answered_and_keep_the_rules(tool: Tool, data: st.DataObject) -> None:
    env = start()
    one = data.draw(as_called(tool))
    for _ in range(3):
        one_call(env, one.name, data.draw(arguments_of(one)), one.side)
        one = data.draw(as_called(tool))
    wrong: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
        st.sampled_from(["date", "source_name", "x"]), st.sampled_from([None, 3, "", [1]])
    )
    one_call(env, one.name, dict(data.draw(wrong)), one.side)


@settings(max_examples=amount(8, 25))
@given(data=st.data())
def test_what_is_available_follows_connections_and_permissions(data: st.DataObject) -> None:
    """Through any sequence of switches a day is available exactly while the source that recorded it is connected."""
    env = start()
    sources: Any = {row["id"]: row["source"] for row in wearing.TABLES["source_days"]}
    connected, raw = {"fitbit": True, "oura": False}, True
    for _ in range(data.draw(st.integers(1, 6))):
        if data.draw(st.booleans()):
            source, allow = data.draw(st.sampled_from(["fitbit", "oura", "withings"])), data.draw(st.booleans())
            if "error" not in env.call("update_source", {"source_name": source, "allow": allow}, "user"):
                connected[source] = allow
        else:
            raw = data.draw(st.booleans())
            env.call("set_raw_data_permission", {"allow": raw}, "user")
        date = data.draw(st.sampled_from(wearing.DATES))
        seen = connected.get(sources[date], False)
        assert env.call("get_daily_summary", {"date": date})["available"] is seen
        whole: dict[str, Json] = {"start_date": wearing.DATES[0], "end_date": wearing.DATES[-1]}
        dates = [day for day in wearing.DATES if connected.get(sources[day], False)]
        assert env.call("get_range_summary", whole).get("dates", []) == dates
        for source in ("fitbit", "oura"):
            result: Any = env.call(f"{source}-get_intraday_steps", {"date": date, "end": "00:05"})
            if not raw:
                assert result["error"]["gate"] == "RAW"
            elif not connected[source]:
                assert result["error"]["gate"] == "CONNECTED"
            else:
                assert result["available"] is (sources[date] == source)
    check_everything(env)
