"""The executable environment: snapshots, tool calls, loading."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import sample
from benchmarks.budget import Result, number
from benchmarks.timing import cpu_per_call
from flows.tool_examples import USERS, succeeding
from schemas.base import canonical_text
from services import open_environment
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.sample import Person
    from schemas.base import Json
    from schemas.task import Task
    from services.runtime.declare import Side
    from services.runtime.environment import Environment, Snapshot

PER_TOOL = 8
"""Situations in which each tool is timed, at most."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A call that succeeds, and the moment before it."""

    env: Environment
    before: Snapshot
    tool: str
    """As it is declared."""
    arguments: Mapping[str, Json]
    side: Side
    called: str = ""
    """Name in the call, where it is another one."""

    def call(self) -> dict[str, Json]:
        """Go back to the moment and make the call."""
        self.env.restore(self.before)
        return self.env.call(self.called or self.tool, self.arguments, self.side)


def measure() -> list[Result]:
    """Return all figures of the runtime."""
    return [_snapshot(), _restore(), _tool_calls(), _load()]


def _written() -> Environment:
    """Return an environment in which something was written."""
    situation = next(s for s in situations() if s.env.catalogue.tools[s.tool].write)
    situation.call()
    return situation.env


def _snapshot() -> Result:
    env = _written()
    rate = 1 / cpu_per_call(env.snapshot)
    return Result("snapshots", "higher", 100_000, rate, "/s", "two references; the next write copies the overlay")


def _restore() -> Result:
    env = _written()
    rate = 1 / cpu_per_call(partial(env.restore, env.snapshot()))
    return Result("restores", "higher", 100_000, rate, "/s", "two references")


def _tool_calls() -> Result:
    found: dict[str, list[Situation]] = {}
    for situation in situations():
        found.setdefault(situation.tool, []).append(situation)
    cost = {name: median(cpu_per_call(s.call) for s in found[name][:PER_TOOL]) * 1e6 for name in sorted(found)}
    missing = sorted(installed_catalogue().tools.keys() - cost.keys())
    slowest = max(cost, key=lambda name: cost[name])
    limit = f"{len(cost)} of {len(cost) + len(missing)} tools; slowest {slowest} {number(cost[slowest])} us"
    details: dict[str, float | int | str] = {f"{name}_us": round(value, 2) for name, value in cost.items()}
    return Result("tool call, median over the catalogue", "lower", 50, median(cost.values()), "us", limit, details)


def situations() -> Iterator[Situation]:
    """Yield successful calls: those of gold plans, then executed examples of the other tools."""
    catalogue = installed_catalogue()
    seen: set[str] = set()
    for person in sample.people():
        for task in person.tasks:
            for situation in _of_plan(person, task):
                seen.add(situation.tool)
                yield situation
    for user in range(USERS):
        if seen >= set(catalogue.tools):
            break
        for name, env, before, example in succeeding(user, catalogue):
            if name not in seen:
                seen.add(name)
                side = catalogue.tools[name].side
                yield Situation(env, before, name, example.arguments, side, called=example.tool)


def _of_plan(person: Person, task: Task) -> Iterator[Situation]:
    env = sample.at_start(person, task)
    for step in task.plan.steps:
        if step.step == "confirm":
            env.confirm(step.tool, step.arguments)
        if step.step == "call":
            before = env.snapshot()
            situation = Situation(env, before, step.tool, step.arguments, step.side)
            yield situation
            situation.call()


def _load() -> Result:
    person = sample.people()[0]
    sample.at_start(person, person.tasks[0])
    row = person.environment.model_dump(mode="json", exclude={"tables", "blobs"})
    row["tables_json"] = canonical_text(person.environment.tables)
    row["blobs_json"] = canonical_text(person.environment.blobs)
    size, minutes = len(str(row["tables_json"])) / 1000, len(str(row["blobs_json"])) / 1000
    spent = cpu_per_call(lambda: open_environment(row)) * 1e3
    records = sum(len(rows) for rows in person.environment.tables.values())
    limit = f"JSON of {size:.0f} kB, {records} records validated and hashed, {minutes:.0f} kB of minutes decoded"
    return Result("load one published environment", "lower", 20, spent, "ms", limit)
