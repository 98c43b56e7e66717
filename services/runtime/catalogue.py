"""All services together: tables, tools, gates and invariants by name.

Services are found through the entry-point group `pausegen.services`; nothing else in the core names one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from services.runtime.algebra import compile_expr, compile_pred
from services.runtime.consistency import faults
from services.runtime.families import Tools, for_member
from services.runtime.tools import UNIVERSAL_ERRORS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

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
    tools: Tools
    gates: Mapping[str, CompiledGate]
    invariants: Mapping[str, Invariant]
    kinds: Mapping[str, TransactionKind]
    table_of: Mapping[type[Record], str]

    def tools_of(self, side: Side) -> list[Tool]:
        """Return the declared tools of one side, by name."""
        return [tool for _, tool in sorted(self.tools.items()) if tool.side == side]

    def offered(self, side: Side, unlocked: Collection[str]) -> list[Tool]:
        """Return the tools that one side can call when these features are unlocked, by name."""
        free = [tool for tool in self.tools.values() if not tool.behind]
        behind = [tool for feature in unlocked for tool in self.tools.by_feature.get(feature, [])]
        return sorted((tool for tool in (*free, *behind) if tool.side == side), key=lambda tool: tool.name)

    def sample(self, tool: Tool) -> Tool:
        """Return a declared tool as it can be called: one of a family for its first member."""
        return tool if tool.family is None else for_member(tool, tool.family.members[0])

    def errors_of(self, tool: Tool) -> dict[str, str]:
        """Return every error code that a call of `tool` may return, with when it does."""
        closed = [self.gates[name].gate for name in tool.gates]
        gates = {gate.code: gate.message for gate in closed if not gate.quiet}
        return {**UNIVERSAL_ERRORS, **gates, **tool.errors}


def build_catalogue(services: Iterable[Service]) -> Catalogue:
    """Return the catalogue of `services`. Raise ValueError naming every contradiction between their declarations."""
    listed = sorted(services, key=lambda service: service.name)
    found = list(faults(listed))
    if found:
        raise ValueError("; ".join(found))
    kinds = {kind.name: kind for service in listed for kind in service.transaction_kinds}
    kind_errors = {code: when for _, kind in sorted(kinds.items()) for code, when in kind.errors.items()}
    tables = {table.name: table for service in listed for table in service.tables}
    world = {table.name: table for service in listed for table in service.world_tables}
    return Catalogue(
        services={service.name: service for service in listed},
        tables=tables,
        world_tables=world,
        tools=Tools(
            {
                tool.name: replace(tool, errors={**kind_errors, **tool.errors}) if tool.settles else tool
                for service in listed
                for tool in service.tools
            }
        ),
        gates={gate.name: _compiled(_with_residue(gate, listed)) for service in listed for gate in service.gates},
        invariants={invariant.name: invariant for service in listed for invariant in service.invariants},
        kinds=kinds,
        table_of={table.record: table.name for table in (*tables.values(), *world.values())},
    )


def _with_residue(gate: Gate, services: Iterable[Service]) -> Gate:
    """Return the gate with what all services say an attempt that it blocked may leave."""
    left = tuple(allowed for service in services for allowed in service.residue.get(gate.name, ()))
    return replace(gate, residue=gate.residue + left)


def _compiled(gate: Gate) -> CompiledGate:
    details = {key: compile_expr(value) for key, value in gate.details.items()}
    return CompiledGate(gate, compile_pred(gate.closed), details)


@cache
def installed_catalogue() -> Catalogue:
    """Return the catalogue of all installed services, loaded once."""
    return build_catalogue(
        entry.load() for entry in sorted(entry_points(group="pausegen.services"), key=lambda e: e.name)
    )
