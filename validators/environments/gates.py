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
    from collections.abc import Iterable, Iterator

    from schemas.base import Json
    from schemas.goal import Write
    from services.runtime.declare import Gate
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
    opened = patched(case, case.base, [write for one in others for write in one.effect])
    answer = _attempt(case, patched(case, opened, gate.closing), tool)
    if tool.before is not None and "gate" not in answer and answer.get("code") in tool.errors:
        return None
    faults: list[str] = []
    if answer.get("code") != gate.code or answer.get("gate") != gate.name:
        faults.append(f"gate {gate.name} is closed and {tool.name} answers {_shown(answer)}")
    answer = _attempt(case, patched(case, opened, gate.effect), tool)
    if answer.get("gate") == gate.name or answer.get("code") in {"INVALID_ARGUMENTS", "INTERNAL_ERROR"}:
        faults.append(f"gate {gate.name} is open and {tool.name} answers {_shown(answer)}")
    return faults


def _remedy_faults(case: Case, gate: Gate) -> Iterator[str]:
    """Yield a fault unless the remedy changes exactly what the gate declares; one with drawn values is left out."""
    remedy = gate.remedy
    if remedy is None or any(slots_of(value) for value in remedy.arguments.values()):
        return
    closed = patched(case, case.base, gate.closing)
    scope = Scope(State(closed), case.record.now, {})
    arguments = {key: cast("Json", compile_expr(value)(NO_ROW, scope)) for key, value in remedy.arguments.items()}
    env = case.open(closed)
    result = env.call(remedy.tool, arguments, side=env.catalogue.tools[remedy.tool].side)
    expected = f"{patched(case, closed, gate.effect).hash:032x}"
    if "error" in result or env.state_hash() != expected:
        yield f"the remedy {remedy.tool} of gate {gate.name} does not have the declared effect"


def _probe_faults(case: Case, gate: Gate) -> Iterator[str]:
    """Yield a fault unless the probe shows whether the gate is closed, as far as the probe alone can show it."""
    probe, remedy = gate.probe, gate.remedy
    if probe is None or remedy is None or any(source != "probe" for source, *_ in remedy.values.values()):
        return
    shows = compile_pred(remedy.shows)
    for closed, writes in ((True, gate.closing), (False, gate.effect)):
        env = case.open(patched(case, case.base, writes))
        result = env.call(probe.tool, dict(probe.arguments), side=env.catalogue.tools[probe.tool].side)
        slots = {name: _at(result, path[1:]) for name, path in remedy.values.items()}
        if shows(NO_ROW, Scope(env.state_, env.now, slots)) != closed:
            yield f"gate {gate.name} is {'closed' if closed else 'open'} and its probe {probe.tool} shows otherwise"


def _at(value: Json, path: Iterable[str]) -> Json:
    """Return the part of a result at `path`. Raise KeyError when there is none."""
    for key in path:
        value = cast("dict[str, Json]", value)[key]
    return value


def _attempt(case: Case, base: Base, tool: Tool) -> dict[str, Json]:
    """Return the error that the tool's example call gives, unlocked and confirmed; empty when it succeeds."""
    env = case.open(base)
    if tool.behind:
        env.session = replace(env.session, unlocked=frozenset({tool.behind}))
    if tool.confirm:
        env.confirm(tool.name, tool.example)
    return cast("dict[str, Json]", env.call(tool.name, tool.example, side=tool.side).get("error", {}))


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
