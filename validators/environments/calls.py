"""Random legal and illegal calls: none raises or fails inside, errors and reads change nothing, no invariant breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import orjson

from services.runtime.algebra import NO_ROW, Scope
from services.runtime.state import dump_tables
from services.runtime.streams import Stream
from services.runtime.tools import UNIVERSAL_ERRORS
from validators.environments.attempts import Seen, draw_attempt, opening, weighted_tools
from validators.environments.form import schema_faults
from validators.environments.invariants import broken
from validators.environments.records import state_hash

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from schemas.base import Json
    from services.runtime.environment import Environment, Snapshot
    from services.runtime.tools import Tool
    from validators.environments.attempts import Attempt
    from validators.environments.context import Case

CALLS = 60
"""Calls tried on each environment."""
CHECKED_EVERY = 30
"""Calls between two looks at the invariants."""
BEFORE_GATES = frozenset(
    {"UNKNOWN_TOOL", "WRONG_SIDE", "TOOL_NOT_AVAILABLE", "INVALID_ARGUMENTS", "CONFIRMATION_REQUIRED"}
)
"""Errors of calls that end before any gate is asked."""


def call_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield what goes wrong in a fixed random session of this environment."""
    catalogue, env = case.context.catalogue, case.open()
    stream = Stream(case.record.seed, "calls")
    tools, first = weighted_tools(catalogue.tools), opening(catalogue.tools)
    seen = Seen(ids=[key for table in case.base.tables.values() for key in table])
    for number in range(1, CALLS + 1):
        attempt = first[number - 1] if number <= len(first) else draw_attempt(stream, tools, seen)
        yield from (f"call {number}, {attempt.tool}: {fault}" for fault in _try(env, attempt, seen, tally))
        if number % CHECKED_EVERY == 0:
            found = broken(case.context.invariants, env.state_, env.now)
            yield from (f"after call {number}, {fault}" for fault in found)
    yield from _end_faults(case, env)


def _try(env: Environment, attempt: Attempt, seen: Seen, tally: Counter[str]) -> Iterator[str]:
    tool = env.catalogue.tools.get(attempt.tool)
    if attempt.confirmed and attempt.fault == "none":
        env.confirm(attempt.tool, attempt.arguments)
    before, hash_before = env.snapshot(), env.state_hash()
    gate = _first_closed(env, tool, attempt) if tool is not None else ""
    result = env.call(attempt.tool, attempt.arguments, side=attempt.side)
    orjson.dumps(result)
    error = cast("dict[str, Json] | None", result.get("error"))
    tally["calls"] += 1
    tally["errors"] += error is not None
    tally["writes"] += error is None and tool is not None and tool.write
    if error is not None:
        yield from _error_faults(env, tool, attempt, error, gate)
        yield from _change_faults(env, before, hash_before, "an error")
    else:
        seen.note(result, write=tool is not None and tool.write)
        if gate:
            yield f"it succeeds although gate {gate} is closed"
        if tool is not None and not tool.write and env.state_hash() != hash_before:
            yield "a read changes the state"


def _first_closed(env: Environment, tool: Tool, attempt: Attempt) -> str:
    """Return the first gate of a call that is closed, or nothing; a call that is broken never gets to its gates."""
    if attempt.fault != "none" or not tool.gates:
        return ""
    scope = Scope(env.state_, env.now, {**tool.defaults, **attempt.arguments})
    return next((name for name in tool.gates if env.catalogue.gates[name].closed(NO_ROW, scope)), "")


def _error_faults(
    env: Environment, tool: Tool | None, attempt: Attempt, error: dict[str, Json], gate: str
) -> Iterator[str]:
    code = str(error.get("code"))
    if code == "INTERNAL_ERROR":
        yield f"it fails inside: {error.get('message')}"
    elif code not in (UNIVERSAL_ERRORS if tool is None else env.catalogue.errors_of(tool)):
        yield f"it returns {code}, which is not declared"
    if attempt.fault == "none" and code == "INVALID_ARGUMENTS":
        yield f"arguments that fit its schema are refused: {error.get('message')}"
    if attempt.fault == "none" and code not in BEFORE_GATES and str(error.get("gate", "")) != gate:
        yield f"gate {gate or 'none'} is closed and it returns {code} for {error.get('gate', 'no gate')}"


def _change_faults(env: Environment, before: Snapshot, hash_before: str, what: str) -> Iterator[str]:
    if env.state_hash() != hash_before:
        yield f"{what} changes the state"
    if env.session != before.session:
        yield f"{what} changes the session"


def _end_faults(case: Case, env: Environment) -> Iterator[str]:
    expected = state_hash(dump_tables(env.state_))
    if env.state_hash() != expected:
        yield f"at the end the incremental hash is {env.state_hash()}, the records give {expected}"
    for table, changes in env.delta().items():
        for key, (_, after) in changes.items():
            if after is not None:
                found = schema_faults(after, case.context.forms.tables[table])
                yield from (f"at the end {table} {key} breaks its schema: {fault}" for fault in found)
