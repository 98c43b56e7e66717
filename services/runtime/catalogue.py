"""All services together: tables, tools, gates and invariants by name.

Services are found through the entry-point group `pausegen.services`; nothing else in the core names one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, cast

from services.runtime.algebra import compile_expr, compile_pred

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from services.runtime.algebra import ExprFn, PredFn
    from services.runtime.declare import Gate, Invariant, Service, Side, Table, TransactionKind
    from services.runtime.records import Record
    from services.runtime.tools import Tool


@dataclass(frozen=True, slots=True)
class CompiledGate:
    """A gate with its condition and error details ready to run."""

    gate: Gate
    closed: PredFn
    details: Mapping[str, ExprFn]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the installed services declare, by name."""

    services: Mapping[str, Service]
    tables: Mapping[str, Table]
    world_tables: Mapping[str, Table]
    tools: Mapping[str, Tool]
    gates: Mapping[str, CompiledGate]
    invariants: Mapping[str, Invariant]
    kinds: Mapping[str, TransactionKind]
    table_of: Mapping[type[Record], str]

    def tools_of(self, side: Side) -> list[Tool]:
        """Return the tools of one side, by name."""
        return [tool for _, tool in sorted(self.tools.items()) if tool.side == side]


def _by_name(kind: str, pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, item in pairs:
        if name in found:
            msg = f"two services declare the {kind} {name!r}"
            raise ValueError(msg)
        found[name] = item
    return found


def build_catalogue(services: Iterable[Service]) -> Catalogue:
    """Return the catalogue of `services`. Raise ValueError when two declare the same name or a tool names an unknown gate."""
    listed = sorted(services, key=lambda service: service.name)
    tables = cast("dict[str, Table]", _by_name("table", ((t.name, t) for s in listed for t in s.tables)))
    world = cast("dict[str, Table]", _by_name("world table", ((t.name, t) for s in listed for t in s.world_tables)))
    tools = cast("dict[str, Tool]", _by_name("tool", ((t.name, t) for s in listed for t in s.tools)))
    gates = cast("dict[str, Gate]", _by_name("gate", ((g.name, g) for s in listed for g in s.gates)))
    for item in tools.values():
        for name in item.gates:
            if name not in gates:
                msg = f"tool {item.name!r} names the unknown gate {name!r}"
                raise ValueError(msg)
    return Catalogue(
        services={service.name: service for service in listed},
        tables=tables,
        world_tables=world,
        tools=tools,
        gates={
            name: CompiledGate(
                gate, compile_pred(gate.closed), {key: compile_expr(value) for key, value in gate.details.items()}
            )
            for name, gate in gates.items()
        },
        invariants=cast(
            "dict[str, Invariant]", _by_name("invariant", ((i.name, i) for s in listed for i in s.invariants))
        ),
        kinds=cast(
            "dict[str, TransactionKind]",
            _by_name("transaction kind", ((k.name, k) for s in listed for k in s.transaction_kinds)),
        ),
        table_of={table.record: table.name for table in (*tables.values(), *world.values())},
    )


@cache
def installed_catalogue() -> Catalogue:
    """Return the catalogue of all installed services, loaded once."""
    return build_catalogue(entry.load() for entry in sorted(entry_points(group="pausegen.services"), key=lambda e: e.name))
