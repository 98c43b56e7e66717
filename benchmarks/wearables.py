"""Reading what devices recorded: every figure is of a result that is computed, not of one that was kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks import sample
from benchmarks.budget import Result
from benchmarks.timing import cpu_per_call
from services import open_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from services.runtime.environment import Environment

PUBLISHED = {"get_daily_summary": 111_000, "get_range_summary": 4_177_000, "get_hourly_steps": 34_000}
"""Microseconds that the published implementation of these tools takes on such a machine."""


def measure() -> list[Result]:
    """Return all figures of wearables."""
    env, source, dates = opened()
    day: Mapping[str, Json] = {"date": dates[len(dates) // 2]}
    return [
        _call(env, "get_daily_summary", day, 100, "one day"),
        _call(env, "get_range_summary", {"start_date": dates[0], "end_date": dates[-1]}, 1_000, f"{len(dates)} days"),
        _call(env, "get_hourly_steps", {**day, "start": 0, "end": 24}, 50, "24 hours"),
        _call(env, f"{source}-get_intraday_steps", {**day, "start": "17:00", "end": "18:00"}, 200, "60 minutes"),
    ]


def opened() -> tuple[Environment, str, list[str]]:
    """Return an environment in which everything recorded is available, its source, and the days it recorded."""
    for person in sample.people():
        days = [row for row in person.environment.tables["source_days"] if row["source"] is not None]
        sources = {str(row["source"]) for row in days}
        env = open_environment(person.environment, sample.world())
        env.call("set_raw_data_permission", {"allow": True}, "user")
        for source in sorted(sources):
            env.call("update_source", {"source_name": source, "allow": True}, "user")
            env.call("get_source_features", {"source_name": source})
        if len(sources) == 1 and days:
            return env, sources.pop(), [str(row["id"]) for row in days]
    msg = "none of the sample's users has one source that recorded the whole window"
    raise LookupError(msg)


def compute(env: Environment, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Make a call whose result is not there yet."""
    env.state_.base.kept.clear()
    return env.call(tool, arguments)


def _call(env: Environment, tool: str, arguments: Mapping[str, Json], budget: float, over: str) -> Result:
    spent = cpu_per_call(partial(compute, env, tool, arguments)) * 1e6
    name = tool.partition("-")[2] or tool
    then = f"; published implementation {PUBLISHED[name]:,} us" if name in PUBLISHED else ""
    return Result(name, "lower", budget, spent, "us", f"{over}, gates asked, result made anew{then}")
