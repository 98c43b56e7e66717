"""Every standing gate answers as declared: closed by its closing patch, open after the effect that its remedy has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from schemas.goal import FieldIs
from services.runtime.algebra import NO_ROW, Scope, compile_expr, compile_pred, slots_of
from services.runtime.records import Record, from_data, to_data
from services.runtime.state import State

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping

    from schemas.base import Json
    from schemas.goal import Write
    from services.runtime.declare import Gate
    from services.runtime.environment import Environment
    from services.runtime.state import Base
    from services.runtime.tools import Tool
    from validators.environments.context import Case


def gate_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield gates that do not close or open, and those whose remedy or probe does something else than declared."""
    catalogue = case.context.catalogue
    for name, compiled in sorted(catalogue.gates.items()):
        gate = compiled.gate
        if not gate.standing:
            tally["by_arguments"] += 1
            continue
        if not gate.closing:
            yield f"gate {name} declares no closing patch, so nothing shows that it closes"
            continue
        tally["standing"] += 1
        shown = 0
        for tool in (tool for _, tool in sorted(catalogue.tools.items()) if name in tool.gates):
            faults = _tool_faults(case, gate, tool)
            shown += faults is not None
            yield from faults or ()
        if not shown:
            yield f"no tool's example gets as far as gate {name}"
        yield from _remedy_faults(case, gate)
        yield from _probe_faults(case, gate)


def _tool_faults(case: Case, gate: Gate, tool: Tool) -> list[str] | None:
    """Return what is wrong with a gated tool; None when its example is refused ahead of all gates."""
    gates = [case.context.catalogue.gates[name].gate for name in tool.gates]
    others = [one for one in gates if one.standing and one.name != gate.name]
    opened = patched(case, case.base, [write for one in others for write in one.opened])
    answer = _attempt(case, patched(case, opened, gate.closing), tool)
    if tool.before is not None and "gate" not in answer and answer.get("code") in tool.errors:
        return None
    faults: list[str] = []
    if answer.get("code") != gate.code or answer.get("gate") != gate.name:
        faults.append(f"gate {gate.name} is closed and {tool.name} answers {_shown(answer)}")
    answer = _attempt(case, patched(case, opened, gate.opened), tool)
    if answer.get("gate") == gate.name or answer.get("code") in {"INVALID_ARGUMENTS", "INTERNAL_ERROR"}:
        faults.append(f"gate {gate.name} is open and {tool.name} answers {_shown(answer)}")
    return faults


def _remedy_faults(case: Case, gate: Gate) -> Iterator[str]:
    """Yield a fault unless the remedy opens the gate, and by exactly what the gate declares where it is one call."""
    if gate.remedy is None:
        return
    closed = patched(case, case.base, gate.closing)
    env = case.open(closed)
    problem = _open(env, gate, {})
    if problem:
        yield f"the remedy {gate.remedy.tool} of gate {gate.name} {problem}"
    elif case.context.catalogue.gates[gate.name].closed(NO_ROW, Scope(env.state_, env.now, {})):
        yield f"the remedy {gate.remedy.tool} of gate {gate.name} leaves it closed"
    elif gate.remedy.prepare is None and env.state_hash() != f"{patched(case, closed, gate.effect).hash:032x}":
        yield f"the remedy {gate.remedy.tool} of gate {gate.name} does not have the declared effect"


def _open(env: Environment, gate: Gate, beside: Mapping[str, Json], depth: int = 0) -> str:
    """Open a gate as an assistant and its user would, the gates on the way too; return what went wrong, or nothing.

    `beside` is the result that the blocked call took its arguments from.
    """
    remedy = gate.remedy
    if remedy is None or depth > len(env.catalogue.gates):
        return f"ends at gate {gate.name}, which nothing opens"
    results: dict[str, Mapping[str, Json]] = {"beside": beside}
    if gate.probe is not None:
        results["probe"] = _call(env, gate.probe.tool, dict(gate.probe.arguments))
    if remedy.prepare is not None:
        results["prepared"], problem = _called(env, remedy.prepare.tool, dict(remedy.prepare.arguments), {}, depth)
        if problem:
            return problem
    # The value beside an argument stands in the object that the argument was taken from.
    paths = {
        name: (place[0], place[2:] if place[0] == "beside" else place[1:]) for name, place in remedy.values.items()
    }
    slots = {name: _at(dict(results[source]), path) for name, (source, path) in paths.items()}
    scope = Scope(env.state_, env.now, slots)
    arguments = {key: cast("Json", compile_expr(value)(NO_ROW, scope)) for key, value in remedy.arguments.items()}
    return _called(env, remedy.tool, arguments, results.get("prepared", {}), depth)[1]


def _called(
    env: Environment, name: str, arguments: dict[str, Json], beside: Mapping[str, Json], depth: int
) -> tuple[Mapping[str, Json], str]:
    """Return the result of a call, gates opened on its way, and what went wrong, or nothing."""
    for _ in range(len(env.catalogue.tools[name].gates) + 1):
        result = _call(env, name, arguments)
        error = cast("dict[str, Json] | None", result.get("error"))
        if error is None:
            return result, ""
        closed = str(error.get("gate", ""))
        if not closed:
            return {}, f"fails: {name} answers {error['code']}"
        problem = _open(env, env.catalogue.gates[closed].gate, beside, depth + 1)
        if problem:
            return {}, problem
    return {}, f"fails: {name} stays blocked"


def _call(env: Environment, name: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
    tool = env.catalogue.tools[name]
    if tool.behind:
        env.session = replace(env.session, unlocked=env.session.unlocked | {tool.behind})
    if tool.confirm:
        env.confirm(name, arguments)
    return env.call(name, arguments, side=tool.side)


def _probe_faults(case: Case, gate: Gate) -> Iterator[str]:
    """Yield a fault unless the probe shows whether the gate is closed, as far as the probe alone can show it."""
    probe, remedy = gate.probe, gate.remedy
    if probe is None or remedy is None:
        return
    read = {name: remedy.values[name] for name in sorted(slots_of(remedy.shows))}
    if any(source != "probe" for source, *_ in read.values()):
        return
    shows = compile_pred(remedy.shows)
    for closed, writes in ((True, gate.closing), (False, gate.opened)):
        env = case.open(patched(case, case.base, writes))
        result = env.call(probe.tool, dict(probe.arguments), side=env.catalogue.tools[probe.tool].side)
        slots = {name: _at(result, path[1:]) for name, path in read.items()}
        if shows(NO_ROW, Scope(env.state_, env.now, slots)) != closed:
            yield f"gate {gate.name} is {'closed' if closed else 'open'} and its probe {probe.tool} shows otherwise"


def _at(value: Json, path: Iterable[str]) -> Json:
    """Return the part of a result at `path`. Raise KeyError when there is none."""
    for key in path:
        value = cast("dict[str, Json]", value)[key]
    return value


def _attempt(case: Case, base: Base, tool: Tool) -> dict[str, Json]:
    """Return the error that the tool's example call gives, unlocked and confirmed; empty when it succeeds."""
    return cast("dict[str, Json]", _call(case.open(base), tool.name, tool.example).get("error", {}))


def _shown(answer: dict[str, Json]) -> str:
    return str(answer.get("code", "a result"))


def patched(case: Case, base: Base, writes: Iterable[Write]) -> Base:
    """Return `base` after writes of single records with given values. Raise ValueError for anything else."""
    scope = Scope(State(base), case.record.now, {})
    changes: list[tuple[str, str, Record | None]] = []
    for write in writes:
        if write.rows or write.id is None or write.op == "create":
            msg = f"a patch of {write.table} must name the record it changes"
            raise ValueError(msg)
        if write.when is not None and not compile_pred(write.when)(NO_ROW, scope):
            continue
        key = str(compile_expr(write.id)(NO_ROW, scope))
        record = base.tables[write.table].get(key)
        if record is None:
            msg = f"a patch changes {write.table} {key!r}, which does not exist"
            raise ValueError(msg)
        changes.append((write.table, key, None if write.op == "delete" else _replaced(record, write, scope)))
    return base.with_changes(changes)


def _replaced(record: Record, write: Write, scope: Scope) -> Record:
    fields: dict[str, Json] = {}
    for name, rule in write.fields.items():
        if not isinstance(rule, FieldIs):
            msg = f"a patch of {write.table} must give {name!r} a value"
            raise ValueError(msg)
        fields[name] = cast("Json", compile_expr(rule.value)(NO_ROW, scope))
    return from_data(type(record), {**to_data(record), **fields})
