"""Every standing gate answers as declared: closed by its closing patch, open after the effect that its remedy has."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

from schemas.goal import FieldIs
from services.runtime.algebra import NO_ROW, Scope, compile_expr, compile_pred, slots_of
from services.runtime.records import Record, from_data, to_data
from services.runtime.state import Base, State

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping

    from schemas.base import Json
    from schemas.goal import Write
    from services.runtime.declare import Gate, Only
    from services.runtime.environment import Environment
    from services.runtime.tools import Tool
    from validators.environments.context import Case


NO_TABLES = State(Base({}, {}, 0))
_TO_BE_TOLD = "waits for the user to tell"


def gate_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield gates that do not close or open, and those whose remedy or probe does something else than declared."""
    catalogue = case.context.catalogue
    for name, compiled in sorted(catalogue.gates.items()):
        gate = compiled.gate
        if not gate.standing:
            tally["by_arguments"] += 1
            slots = _trial(case, gate)
            if slots and None not in slots.values():
                tally["tried"] += 1
                yield from _closing_faults(case, gate, slots)
                yield from _remedy_faults(case, gate, slots)
            continue
        if not gate.closing:
            yield f"gate {name} declares no closing patch, so nothing shows that it closes"
            continue
        tally["standing"] += 1
        shown = 0
        starts = _Starts(case, gate)
        for tool in (tool for _, tool in sorted(catalogue.tools.items()) if name in tool.gates):
            faults = _tool_faults(case, gate, catalogue.sample(tool), starts)
            shown += faults is not None
            yield from faults or ()
        if not shown:
            yield f"no tool's example gets as far as gate {name}"
        yield from _remedy_faults(case, gate, {})
        yield from _probe_faults(case, gate)


def _trial(case: Case, gate: Gate) -> dict[str, Json]:
    """Return arguments that the gate can be tried with in this environment."""
    scope = Scope(State(case.base), case.record.now, {})
    return {name: cast("Json", compile_expr(value)(NO_ROW, scope)) for name, value in gate.trial.items()}


def _closing_faults(case: Case, gate: Gate, slots: Mapping[str, Json]) -> Iterator[str]:
    """Yield a fault unless the closing patch closes a gate for these arguments, and its opposite opens it."""
    closed = case.context.catalogue.gates[gate.name].closed
    for state, writes in (("closed", gate.closing), ("open", gate.opened)):
        base = patched(case, case.base, writes, slots)
        if writes and closed(NO_ROW, Scope(State(base), case.record.now, slots)) != (state == "closed"):
            yield f"gate {gate.name} is not {state} after the patch that should make it so"


class _Starts:
    """The states in which the tools behind a gate are tried, each made once: many tools have the same gates."""

    def __init__(self, case: Case, gate: Gate) -> None:
        self._case = case
        self._gate = gate
        self._made: dict[tuple[tuple[str, ...], bool], Base] = {}

    def at(self, names: tuple[str, ...], *, closed: bool) -> Base:
        """Return the state in which of the gates `names` this one is closed or open, and the others are open."""
        if (names, closed) not in self._made:
            gates = [self._case.context.catalogue.gates[name].gate for name in names]
            others = [one for one in gates if one.standing and one.name != self._gate.name]
            opened = patched(self._case, self._case.base, [write for one in others for write in one.opened])
            writes = self._gate.closing if closed else self._gate.opened
            self._made[names, closed] = patched(self._case, opened, writes)
        return self._made[names, closed]


def _tool_faults(case: Case, gate: Gate, tool: Tool, starts: _Starts) -> list[str] | None:
    """Return what is wrong with a gated tool; None when its example is refused ahead of all gates."""
    answer = _attempt(case, starts.at(tool.gates, closed=True), tool)
    if tool.before is not None and "gate" not in answer and answer.get("code") in tool.errors:
        return None
    faults: list[str] = []
    if answer.get("code") != gate.code or answer.get("gate") != gate.name:
        faults.append(f"gate {gate.name} is closed and {tool.name} answers {_shown(answer)}")
    answer = _attempt(case, starts.at(tool.gates, closed=False), tool)
    if answer.get("gate") == gate.name or answer.get("code") in {"INVALID_ARGUMENTS", "INTERNAL_ERROR"}:
        faults.append(f"gate {gate.name} is open and {tool.name} answers {_shown(answer)}")
    return faults


def _remedy_faults(case: Case, gate: Gate, slots: Mapping[str, Json]) -> Iterator[str]:
    """Yield a fault unless the remedy opens the gate, and by exactly what the gate declares where it is one call.

    `slots` are the arguments of the blocked call. Where the user would have to tell what to open, nothing is tried.
    """
    if gate.remedy is None:
        return
    closed = patched(case, case.base, gate.closing, slots)
    env = case.open(closed)
    problem = _open(env, gate, Blocked(slots))
    if problem == _TO_BE_TOLD:
        return
    if problem:
        yield f"the remedy {gate.remedy.tool} of gate {gate.name} {problem}"
    elif case.context.catalogue.gates[gate.name].closed(NO_ROW, Scope(env.state_, env.now, slots)):
        yield f"the remedy {gate.remedy.tool} of gate {gate.name} leaves it closed"
    elif gate.remedy.prepare is None and env.state_hash() != f"{patched(case, closed, gate.effect, slots).hash:032x}":
        yield f"the remedy {gate.remedy.tool} of gate {gate.name} does not have the declared effect"


class Blocked(NamedTuple):
    """The call that met a closed gate."""

    arguments: Mapping[str, Json]
    beside: Mapping[str, Json] = {}
    """The result that the arguments were taken from."""


def _open(env: Environment, gate: Gate, blocked: Blocked, depth: int = 0) -> str:
    """Open a gate as an assistant and its user would, the gates on the way too; return what went wrong, or nothing."""
    remedy = gate.remedy
    if remedy is None or depth > len(env.catalogue.gates):
        return f"ends at gate {gate.name}, which nothing opens"
    probed = _call(env, gate.probe.tool, dict(gate.probe.arguments)) if gate.probe is not None else {}
    prepared: Mapping[str, Json] = {}
    if remedy.prepare is not None:
        prepared, problem = _called(env, remedy.prepare.tool, dict(remedy.prepare.arguments), {}, depth)
        if problem:
            return problem
    slots = {name: _value(place, probed, prepared, blocked) for name, place in remedy.values.items()}
    found = {name: _chosen(only, probed, blocked) for name, only in remedy.chosen.items()}
    if None in found.values():
        return _TO_BE_TOLD
    scope = Scope(env.state_, env.now, {**slots, **found})
    if not compile_pred(remedy.shows)(NO_ROW, scope):
        return f"is not called for: the probe of {gate.name} does not show that it is closed"
    arguments = {key: cast("Json", compile_expr(value)(NO_ROW, scope)) for key, value in remedy.arguments.items()}
    return _called(env, remedy.tool, arguments, prepared, depth)[1]


def _chosen(only: Only, probed: dict[str, Json], blocked: Blocked) -> Json:
    scope = Scope(NO_TABLES, "", blocked.arguments)
    wanted = {name: compile_expr(value)(NO_ROW, scope) for name, value in only.where.items()}
    rows = cast("list[dict[str, Json]]", _at(probed, only.path))
    fitting = [row[only.field] for row in rows if all(row[name] == value for name, value in wanted.items())]
    return fitting[0] if len(fitting) == 1 else None


def _value(place: tuple[str, ...], probed: dict[str, Json], prepared: Mapping[str, Json], blocked: Blocked) -> Json:
    """Return the value at a place."""
    match place[0]:
        case "argument":
            return blocked.arguments[place[1]]
        case "beside":
            # It stands in the object that the argument was taken from.
            return _at(dict(blocked.beside), place[2:])
        case "prepared":
            return _at(dict(prepared), place[1:])
        case _:
            return _at(probed, place[1:])


def _called(
    env: Environment, name: str, arguments: dict[str, Json], beside: Mapping[str, Json], depth: int
) -> tuple[Mapping[str, Json], str]:
    """Return the result of a call, gates opened on its way, and what went wrong, or nothing."""
    for _ in range(len(env.catalogue.tools[name].gates) + 1):
        result = _call(env, name, arguments)
        error = cast("dict[str, Json] | None", result.get("error"))
        closed = env.unavailable if error is None else str(error.get("gate", ""))
        if error is None and not closed:
            return result, ""
        if not closed:
            return {}, f"fails: {name} answers {cast('dict[str, Json]', error)['code']}"
        problem = _open(env, env.catalogue.gates[closed].gate, Blocked(arguments, beside), depth + 1)
        if problem:
            return {}, problem
    return {}, f"fails: {name} stays blocked"


def _call(env: Environment, name: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
    tool = env.catalogue.tools[name]
    if tool.behind:
        env.session = env.session._replace(unlocked=env.session.unlocked | {tool.behind})
    if tool.confirm:
        env.confirm(name, arguments)
    return env.call(name, arguments, side=tool.side)


def _probe_faults(case: Case, gate: Gate) -> Iterator[str]:
    """Yield a fault unless the probe shows whether the gate is closed, as far as the probe alone can show it."""
    probe, remedy = gate.probe, gate.remedy
    if probe is None or remedy is None:
        return
    read = {name: remedy.values.get(name, ("chosen",)) for name in sorted(slots_of(remedy.shows))}
    if any(place[0] != "probe" for place in read.values()):
        return
    shows = compile_pred(remedy.shows)
    for closed, writes in ((True, gate.closing), (False, gate.opened)):
        env = case.open(patched(case, case.base, writes))
        result = env.call(probe.tool, dict(probe.arguments), side=env.catalogue.tools[probe.tool].side)
        slots = {name: _value(place, result, {}, Blocked({})) for name, place in read.items()}
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


def patched(case: Case, base: Base, writes: Iterable[Write], slots: Mapping[str, Json] = MappingProxyType({})) -> Base:
    """Return `base` after writes of single records with given values. Raise ValueError for anything else."""
    scope = Scope(State(base), case.record.now, slots)
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
    return base.with_changes(changes) if changes else base


def _replaced(record: Record, write: Write, scope: Scope) -> Record:
    fields: dict[str, Json] = {}
    for name, rule in write.fields.items():
        if not isinstance(rule, FieldIs):
            msg = f"a patch of {write.table} must give {name!r} a value"
            raise ValueError(msg)
        fields[name] = cast("Json", compile_expr(rule.value)(NO_ROW, scope))
    return from_data(type(record), {**to_data(record), **fields})
