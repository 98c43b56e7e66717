"""An executed example of every tool: its declared example on a made user, with ids and days that exist there.

Conditions are opened first. Arguments that the example makes up are replaced by what results showed under the same
name, until the call succeeds and has something to show.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.environment import Environment, Snapshot
    from services.runtime.tools import Tool

SEED = 7
USERS = 6
"""Users on whom examples are tried, until each tool has one."""
EXAMPLE_DAY = "2025-06-10"
"""The day that declared examples take for today."""
TRIES = 600
"""Combinations of arguments that are tried on one user."""
OPTIONS = 6
"""Values of one argument."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DEEPEST = 4


class Example(NamedTuple):
    """One call and what it returned."""

    tool: str
    """Name under which it was called."""
    arguments: dict[str, Json]
    result: dict[str, Json]

    @property
    def weight(self) -> int:
        """How much it shows: nothing available, nothing found, something."""
        if self.result.get("available") is False:
            return 0
        lists = [value for value in self.result.values() if isinstance(value, (list, dict))]
        return 2 if all(lists) else 1


@dataclass(slots=True)
class Known:
    """What results showed, by name, the latest first."""

    values: dict[str, list[Json]] = field(default_factory=dict[str, "list[Json]"])

    def note(self, result: Json) -> None:
        """Remember the texts and whole numbers in a result."""
        if isinstance(result, list):
            for item in result:
                self.note(item)
        elif isinstance(result, dict):
            for name, value in result.items():
                if isinstance(value, (list, dict)):
                    self.note(value)
                elif isinstance(value, (str, int)) and not isinstance(value, bool):
                    known = self.values.setdefault(name, [])
                    if value not in known:
                        known.insert(0, value)


def executed_examples(catalogue: Catalogue) -> dict[str, Example]:
    """Return an example of each declared tool, by name. Raise LookupError when one never succeeds."""
    found: dict[str, Example] = {}
    for user in range(USERS):
        for name, _, _, example in succeeding(user, catalogue):
            if name not in found or example.weight > found[name].weight:
                found[name] = example
        if all(name in found and found[name].weight == 2 for name in catalogue.tools):
            break
    missing = sorted(catalogue.tools.keys() - found.keys())
    if missing:
        msg = f"the example of {missing[0]} succeeds for none of {USERS} users"
        raise LookupError(msg)
    return found


def succeeding(user: int, catalogue: Catalogue) -> Iterator[tuple[str, Environment, Snapshot, Example]]:
    """Yield examples that succeed for one user: the declared tool, the environment, and the moment before the call.

    They are made once in order and twice backwards: one may prepare another.
    """
    env, known = _opened(user, catalogue), Known()
    declared = sorted(catalogue.tools.values(), key=lambda tool: (tool.write, tool.side == "user", tool.name))
    for tools in (declared, declared[::-1], declared[::-1]):
        for tool in tools:
            tried = _try(env, tool, known)
            if tried is not None:
                before, example = tried
                known.note(example.result)
                yield tool.name, env, before, example


def _opened(user: int, catalogue: Catalogue) -> Environment:
    """Return the environment of a user, its standing conditions open and every tool available."""
    from generators.environments import build_environment
    from generators.profiles import make_profile
    from generators.tasks.intent import Scene
    from generators.worlds import make_world
    from services import open_environment
    from services.runtime.environment import Environment

    profile = make_profile(SEED, user)
    world = make_world(SEED)
    record = build_environment(SEED, profile, world)
    start = open_environment(record, world)
    scene = Scene(profile, start.state_.base, catalogue, record.now, record.seed)
    for name, compiled in sorted(catalogue.gates.items()):
        if compiled.gate.standing:
            scene = scene.after(scene.set_gate(name, closed=False))
    env = Environment(scene.base, catalogue, now=record.now, seed=record.seed)
    env.session = env.session._replace(unlocked=frozenset(catalogue.tools.by_feature))
    return env


def _try(env: Environment, tool: Tool, known: Known) -> tuple[Snapshot, Example] | None:
    """Return the best example of a tool on this user and the moment before it, the user's yes given.

    A call that takes something away is undone.
    """
    best: tuple[Snapshot, Example] | None = None
    for one in _callable(env, tool):
        for arguments in islice(_variants(env, one, known), TRIES):
            start = env.snapshot()
            if one.confirm:
                env.confirm(one.name, arguments)
            before = env.snapshot()
            result = env.call(one.name, arguments, one.side)
            example = Example(one.name, arguments, result)
            if "error" in result or (best is not None and example.weight <= best[1].weight):
                env.restore(start)
                continue
            best = before, example
            if one.confirm or example.weight < 2:
                env.restore(start)
            if example.weight == 2:
                return best
    return best


def _callable(env: Environment, tool: Tool) -> list[Tool]:
    from services.runtime.families import for_member

    if tool.family is None:
        return [tool]
    held = {key for records in env.state_.base.tables.values() for key in records}
    return [for_member(tool, member) for member in tool.family.members if member in held]


def _variants(env: Environment, tool: Tool, known: Known) -> Iterator[dict[str, Json]]:
    """Yield the example's arguments as they are, and with values that results showed under their names."""
    example = {name: _moved(value, env.now) for name, value in tool.example.items()}
    options = [_options(name, value, known) for name, value in example.items()]
    for values in product(*options):
        yield dict(zip(example, values, strict=True))


def _options(name: str, value: Json, known: Known) -> list[Json]:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return [value]
    shown = known.values.get(name, known.values.get(name.removesuffix("_name"), []))
    return [value, *(one for one in shown[:OPTIONS] if type(one) is type(value) and one != value)]


def _moved(value: Json, now: str) -> Json:
    """Return an example with its days as far from today as they were from the day that examples take for today."""
    if isinstance(value, list):
        return [_moved(item, now) for item in value]
    if isinstance(value, dict):
        return {name: _moved(item, now) for name, item in value.items()}
    if not isinstance(value, str):
        return value
    shift = dt.date.fromisoformat(now[:10]) - dt.date.fromisoformat(EXAMPLE_DAY)
    return _DAY.sub(lambda day: (dt.date.fromisoformat(day[0]) + shift).isoformat(), value)


def shortened(value: Json, depth: int = 0) -> Json:
    """Return a result for people: two elements of each list, nothing deeper than four levels."""
    if isinstance(value, list):
        shown = [shortened(item, depth + 1) for item in value[:2]]
        more = len(value) - len(shown)
        return [*shown, f"… {more} more"] if more else shown
    if isinstance(value, dict):
        if depth >= _DEEPEST:
            return cast("Json", {"…": "…"} if value else {})
        return {name: shortened(item, depth + 1) for name, item in value.items()}
    return value
