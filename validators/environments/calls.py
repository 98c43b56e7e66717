"""Random legal and illegal calls: none raises or fails inside, errors and reads change nothing, no invariant breaks."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

import orjson

from services.runtime.algebra import NO_ROW, Scope
from services.runtime.state import dump_tables
from services.runtime.streams import Stream
from services.runtime.tools import UNIVERSAL_ERRORS
from validators.environments.attempts import Seen, draw_attempt, opening, weighted_tools
from validators.environments.form import schema_faults
from validators.environments.records import state_hash

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.environment import Environment, Session
    from validators.environments.attempts import Attempt
    from validators.environments.context import Case

CALLS = 60
"""Calls tried on each environment."""
OPENING_CALLS = 15
"""At most so many of them are example calls of reads, to begin with."""
BEFORE_GATES = frozenset(
    {"UNKNOWN_TOOL", "WRONG_SIDE", "TOOL_NOT_AVAILABLE", "INVALID_ARGUMENTS", "CONFIRMATION_REQUIRED"}
)
"""Errors of calls that end before any gate is asked."""


def call_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield what goes wrong in a fixed random session of this environment."""
    env = case.open()
    stream = Stream(case.record.seed, "calls")
    tools, first = weighted_tools(env.catalogue.tools), stream.sample(opening(env.catalogue.tools), OPENING_CALLS)
    seen = Seen(ids=[key for table in case.base.tables.values() for key in table], now=case.record.now)
    rules = case.context.rules.hold(case, case.record.tables)
    hash_before = env.state_hash()
    with ExitStack() as held:
        for number in range(1, CALLS + 1):
            attempt = (
                first[number - 1] if number <= len(first) else draw_attempt(stream, tools, seen, env.session.unlocked)
            )
            if attempt.confirmed and attempt.fault == "none":
                env.confirm(attempt.tool, attempt.arguments)
            gate, before = _first_closed(env, attempt), env.snapshot()
            result = env.call(attempt.tool, attempt.arguments, side=attempt.side)
            error = cast("dict[str, Json] | None", result.get("error"))
            hash_after = env.state_hash()
            faults = [
                *(_answer_faults(env.catalogue, attempt, error, gate) if error or not _is_quiet(env, gate) else ()),
                *(_quiet_faults(env, attempt, result, gate) if error is None else ()),
                *_change_faults(env, attempt, error, before.session, hash_after != hash_before),
            ]
            if hash_after != hash_before:
                held.enter_context(rules.patched(env.state_.delta(before.overlay)))
                faults += rules.broken(rules.invariants, env.now)
            yield from (f"call {number}, {attempt.tool}: {fault}" for fault in faults)
            hash_before = hash_after
            orjson.dumps(result)
            if error is None:
                seen.note(result, write=_writes(env.catalogue, attempt))
            tally.update(calls=1, errors=error is not None, writes=error is None and _writes(env.catalogue, attempt))
    yield from _end_faults(case, env)


def _writes(catalogue: Catalogue, attempt: Attempt) -> bool:
    tool = catalogue.tools.get(attempt.tool)
    return tool is not None and tool.write


def _first_closed(env: Environment, attempt: Attempt) -> str:
    """Return the first gate of a call that is closed, or nothing; a call that is broken never gets to its gates."""
    if attempt.fault != "none":
        return ""
    tool = env.catalogue.tools[attempt.tool]
    scope = Scope(env.state_, env.now, {**tool.defaults, **tool.fixed, **attempt.arguments})
    return next((name for name in tool.gates if env.catalogue.gates[name].closed(NO_ROW, scope)), "")


def _is_quiet(env: Environment, gate: str) -> bool:
    return bool(gate) and env.catalogue.gates[gate].gate.quiet


def _quiet_faults(env: Environment, attempt: Attempt, result: Mapping[str, Json], gate: str) -> Iterator[str]:
    """Yield what is wrong with the result of a call: it is not available exactly where a quiet gate is closed."""
    if attempt.fault != "none":
        return
    closed = gate if _is_quiet(env, gate) else ""
    if env.unavailable != closed or (result.get("available") is False) != bool(closed):
        yield f"gate {closed or 'none'} is closed and it shows that of {env.unavailable or 'none'} in {sorted(result)}"
    if closed and set(result) != {"available", *env.catalogue.gates[closed].gate.details}:
        yield f"gate {closed} is closed and the result tells more: {sorted(result)}"


def _answer_faults(catalogue: Catalogue, attempt: Attempt, error: dict[str, Json] | None, gate: str) -> Iterator[str]:
    """Yield what is wrong with the answer to a call of which `gate` is the first closed gate."""
    if error is None:
        if gate:
            yield f"it succeeds although gate {gate} is closed"
        return
    code, tool = str(error.get("code")), catalogue.tools.get(attempt.tool)
    if code == "INTERNAL_ERROR":
        yield f"it fails inside: {error.get('message')}"
    elif code not in (UNIVERSAL_ERRORS if tool is None else catalogue.errors_of(tool)):
        yield f"it returns {code}, which is not declared"
    if attempt.fault != "none":
        return
    if code == "INVALID_ARGUMENTS":
        yield f"arguments that fit its schema are refused: {error.get('message')}"
    told = str(error.get("gate", ""))
    ahead = code in BEFORE_GATES or (not told and tool is not None and tool.before is not None)
    if told != gate and not ahead:
        yield f"gate {gate or 'none'} is closed and it returns {code} for {told or 'no gate'}"


def _change_faults(
    env: Environment, attempt: Attempt, error: dict[str, Json] | None, before: Session, changed: bool
) -> Iterator[str]:
    """Yield changes that an error or a read made."""
    if changed and not (error is None and _writes(env.catalogue, attempt)):
        yield "a read changes the state" if error is None else "an error changes the state"
    if error is not None and env.session != before:
        yield "an error changes the session"


def _end_faults(case: Case, env: Environment) -> Iterator[str]:
    expected = state_hash(dump_tables(env.state_))
    if env.state_hash() != expected:
        yield f"at the end the incremental hash is {env.state_hash()}, the records give {expected}"
    for table, changes in env.delta().items():
        for key, (_, after) in changes.items():
            if after is not None:
                found = schema_faults(after, case.context.forms.tables[table])
                yield from (f"at the end {table} {key} breaks its schema: {fault}" for fault in found)
