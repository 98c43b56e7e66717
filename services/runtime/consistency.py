"""Contradictions between the declarations of services, each as a sentence; without them a catalogue can be built."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import msgspec

from services.runtime.algebra import slots_of
from services.runtime.families import for_member
from services.runtime.records import fields_of
from services.runtime.tools import UNIVERSAL_ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from services.runtime.declare import Gate, Remedy, Service, Table
    from services.runtime.tools import Tool


_CALLABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names of functions that model providers accept."""


def faults(services: Sequence[Service]) -> Iterator[str]:
    """Yield what contradicts itself in the declarations of all `services` together."""
    yield from _repeated(services)
    yield from _family_faults(tool for service in services for tool in service.tools)
    tables = {table.name: table for service in services for table in (*service.tables, *service.world_tables)}
    tools = {tool.name: tool for service in services for tool in service.tools}
    gates = {gate.name: gate for service in services for gate in service.gates}
    for table in tables.values():
        yield from _table_faults(table, set(tables))
    for tool in tools.values():
        yield from _tool_faults(tool, tools, gates, set(tables))
    for gate in gates.values():
        yield from _gate_faults(gate, tools, set(tables))
    for service in services:
        for invariant in (*service.invariants, *service.seeding, *service.world_rules):
            for slot in sorted(slots_of(invariant.holds)):
                yield f"invariant {invariant.name!r} uses the slot {slot!r}"


def _repeated(services: Sequence[Service]) -> Iterator[str]:
    named: dict[str, list[str]] = {
        "service": [service.name for service in services],
        "table": [table.name for service in services for table in (*service.tables, *service.world_tables)],
        "tool": [tool.name for service in services for tool in service.tools],
        "gate": [gate.name for service in services for gate in service.gates],
        "invariant": [
            one.name for service in services for one in (*service.invariants, *service.seeding, *service.world_rules)
        ],
        "transaction kind": [kind.name for service in services for kind in service.transaction_kinds],
        "named expression": [name for service in services for name in service.named],
        "id prefix": [table.prefix for service in services for table in service.tables],
    }
    for kind, names in named.items():
        for name in _twice(names):
            yield f"two services declare the {kind} {name!r}"
    records = [table.record for service in services for table in (*service.tables, *service.world_tables)]
    for record in _twice([record.__qualname__ for record in records if records.count(record) > 1]):
        yield f"two tables hold records of the type {record}"


def _family_faults(tools: Iterable[Tool]) -> Iterator[str]:
    """Yield names of tools of families that no call could have, or that another tool has."""
    listed = list(tools)
    names = [one.name for tool in listed for one in _offered(tool)]
    for tool in listed:
        if tool.family is not None and not tool.family.members:
            yield f"tool {tool.name!r} is offered for nobody"
    for name in names:
        if not _CALLABLE.fullmatch(name):
            yield f"{name!r} is no name that a call can have"
    for name in _twice(names):
        yield f"two tools are called {name!r}"


def _offered(tool: Tool) -> list[Tool]:
    return [tool] if tool.family is None else [for_member(tool, member) for member in tool.family.members]


def _twice(names: Iterable[str]) -> list[str]:
    listed = sorted(names)
    return sorted({name for name, following in itertools.pairwise(listed) if name == following})


def _table_faults(table: Table, tables: set[str]) -> Iterator[str]:
    fields = set(fields_of(table.record))
    view = () if table.view is None else (*table.view.keys, *table.view.sums)
    for name in (*table.references, *view, *table.stamps, *table.observed, *table.indexes):
        if name not in fields:
            yield f"table {table.name!r} names the unknown field {name!r}"
    for name in table.references.values():
        if name not in tables:
            yield f"table {table.name!r} refers to the unknown table {name!r}"
    for field in msgspec.structs.fields(table.record):
        bad = _mutable_or_inexact(msgspec.inspect.type_info(field.type))
        if bad:
            yield f"field {field.name!r} of table {table.name!r} is {bad}"


def _mutable_or_inexact(kind: msgspec.inspect.Type) -> str:
    """Return why a value of this type has no place in a record, or nothing."""
    match kind:
        case msgspec.inspect.FloatType() | msgspec.inspect.DecimalType():
            return "no integer and has more than one form"
        case msgspec.inspect.ListType() | msgspec.inspect.DictType() | msgspec.inspect.SetType():
            return "of a type that can be changed in place"
        case msgspec.inspect.AnyType() | msgspec.inspect.RawType():
            return "of no stated type"
        case msgspec.inspect.VarTupleType(item_type=inner):
            return _mutable_or_inexact(inner)
        case msgspec.inspect.StructType(cls=nested) if not nested.__struct_config__.frozen:
            return "of a type that can be changed in place"
        case msgspec.inspect.StructType(fields=fields):
            return next((bad for bad in (_mutable_or_inexact(field.type) for field in fields) if bad), "")
        case msgspec.inspect.UnionType(types=kinds) | msgspec.inspect.TupleType(item_types=kinds):
            return next((bad for bad in map(_mutable_or_inexact, kinds) if bad), "")
        case _:
            return ""


def _tool_faults(tool: Tool, tools: dict[str, Tool], gates: dict[str, Gate], tables: set[str]) -> Iterator[str]:
    arguments = {field.name for field in msgspec.structs.fields(tool.arguments)}
    known = arguments if tool.family is None else arguments | {tool.family.argument}
    for name in tool.gates:
        if name not in gates:
            yield f"tool {tool.name!r} names the unknown gate {name!r}"
            continue
        if gates[name].quiet and tool.write:
            yield f"tool {tool.name!r} writes, and gate {name!r} would let the call pass as if it had"
        missing = slots_of(gates[name].closed).union(*map(slots_of, gates[name].details.values())) - known
        if missing:
            yield f"gate {name!r} asks for {min(missing)!r}, which is no argument of tool {tool.name!r}"
    for code in sorted(set(tool.errors) & set(UNIVERSAL_ERRORS)):
        yield f"tool {tool.name!r} declares {code!r}, which every tool has"
    if not tool.summary:
        yield f"tool {tool.name!r} has no docstring"
    used = [name for other in tool.alternatives for name in (other.argument, other.scaled) if name]
    for name in (*used, *tool.example, *([tool.splits] if tool.splits else [])):
        if name not in arguments:
            yield f"tool {tool.name!r} has no argument {name!r}"
    if tool.unlocks and tool.unlocks not in {other.behind for other in tools.values()}:
        yield f"tool {tool.name!r} unlocks {tool.unlocks!r}, behind which there is nothing"
    if tool.undo is not None and tool.undo.tool not in tools:
        yield f"tool {tool.name!r} is undone by the unknown tool {tool.undo.tool!r}"
    if tool.approval is not None and tool.approval.table not in tables:
        yield f"tool {tool.name!r} approves records of the unknown table {tool.approval.table!r}"


def _gate_faults(gate: Gate, tools: dict[str, Tool], tables: set[str]) -> Iterator[str]:
    if gate.standing and slots_of(gate.closed):
        yield f"gate {gate.name!r} is declared as standing but depends on arguments"
    for role, name in (("probe", gate.probe and gate.probe.tool), ("remedy", gate.remedy and gate.remedy.tool)):
        if name and name not in tools:
            yield f"gate {gate.name!r} has the unknown tool {name!r} as its {role}"
    if gate.remedy is not None:
        yield from _remedy_faults(gate.name, gate.remedy, tools)
    asked = slots_of(gate.closed).union(*(slots_of(write) for write in (*gate.effect, *gate.closing)))
    if gate.trial and asked - set(gate.trial):
        yield f"gate {gate.name!r} is tried without a value of {min(asked - set(gate.trial))!r}"
    for write in (*gate.effect, *gate.closing, *gate.opening):
        if write.table not in tables:
            yield f"gate {gate.name!r} changes the unknown table {write.table!r}"


def _remedy_faults(gate: str, remedy: Remedy, tools: dict[str, Tool]) -> Iterator[str]:
    asked = [slots_of(remedy.shows), *map(slots_of, remedy.arguments.values())]
    missing = set[str]().union(*asked) - set(remedy.values) - set(remedy.chosen)
    if missing:
        yield f"gate {gate!r} does not say where its remedy's value {min(missing)!r} stands"
    prepared = {name for name, place in remedy.values.items() if place[0] == "prepared"}
    if prepared and remedy.prepare is None:
        yield f"gate {gate!r} prepares nothing, and its remedy's value {min(prepared)!r} stands there"
    if prepared & slots_of(remedy.shows):
        yield f"gate {gate!r} is shown by {min(prepared & slots_of(remedy.shows))!r}, which is only prepared afterwards"
    if remedy.prepare is not None and remedy.prepare.tool not in tools:
        yield f"gate {gate!r} has the unknown tool {remedy.prepare.tool!r} to prepare its remedy"
