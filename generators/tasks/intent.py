"""What an intent brings: how to bind it to an environment, its goal, and the program a perfect assistant runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from schemas.task import Patch, Slot
from services.runtime.algebra import NO_ROW, Scope, compile_expr
from services.runtime.records import Record, from_data, to_data
from services.runtime.state import Base, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generators.tasks.phrases import Phrases
    from generators.tasks.program import Program, Traced
    from schemas.base import Json
    from schemas.goal import Goal, Write
    from schemas.profile import Profile
    from services.runtime.catalogue import Catalogue
    from services.runtime.streams import Stream


class Scene:
    """The environment that tasks are bound to: its records, the world's, and how to change them at a task's start."""

    def __init__(
        self,
        profile: Profile,
        base: Base,
        catalogue: Catalogue,
        now: str,
        seed: str,
        given: Mapping[str, Json] | None = None,
    ) -> None:
        """Look at the environment of `profile`, whose records are `base`; `given` are slots fixed beforehand."""
        self.given = given or {}
        self.profile = profile
        self.base = base
        self.catalogue = catalogue
        self.now = now
        self.seed = seed

    @property
    def today(self) -> str:
        """The frozen date."""
        return self.now[:10]

    def records(self, table: str) -> Mapping[str, Record]:
        """Return the records of a state or world table by id."""
        return self.base.tables[table] if table in self.base.tables else self.base.world[table]

    @cached_property
    def source(self) -> State:
        """The unchanged state, as a source of the goal algebra."""
        return State(self.base)

    def patch(self, table: str, key: str, **changes: object) -> Patch:
        """Return the patch that changes fields of one record."""
        record = msgspec.structs.replace(self.records(table)[key], **changes)
        return Patch(table=table, id=key, record=to_data(record))

    def patches_of(self, writes: Iterable[Write]) -> list[Patch]:
        """Return the update writes of a gate (its effect, or what closes it) as patches."""
        scope = Scope(self.source, self.now, {})
        return [
            self.patch(
                write.table,
                str(compile_expr(write.id)(NO_ROW, scope)),
                **{
                    name: compile_expr(rule.value)(NO_ROW, scope)
                    for name, rule in write.fields.items()
                    if rule.rule == "equal"
                },
            )
            for write in writes
            if write.id is not None
        ]

    def after(self, patches: Sequence[Patch]) -> Scene:
        """Return the scene with these patches applied, for a further intent of the same task."""
        return Scene(self.profile, self.patched(patches), self.catalogue, self.now, self.seed) if patches else self

    def giving(self, given: Mapping[str, Json]) -> Scene:
        """Return the scene for a binder that must take these slots as they are."""
        return Scene(self.profile, self.base, self.catalogue, self.now, self.seed, given)

    def set_gate(self, name: str, *, closed: bool) -> list[Patch]:
        """Return the patches that close or open a standing gate; none when it is so already."""
        compiled = self.catalogue.gates[name]
        is_closed = compiled.closed(NO_ROW, Scope(self.source, self.now, {}))
        if is_closed == closed:
            return []
        return self.patches_of(compiled.gate.closing if closed else compiled.gate.opened)

    def patched(self, patches: Sequence[Patch]) -> Base:
        """Return the records at task start."""
        tables = self.catalogue.tables
        return self.base.with_changes(
            (p.table, p.id, None if p.record is None else from_data(tables[p.table].record, p.record)) for p in patches
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """One place in the quota: a form of the intent and the start it is bound to."""

    form: str
    """`fulfil`, or the decline reason."""
    closed: tuple[str, ...] = ()
    """Gates that are closed at the start."""
    weight: int = 1
    """Tasks of this cell among twenty of a user, relative to the other cells."""


@dataclass(frozen=True, slots=True)
class Binding:
    """An intent bound to an environment."""

    cell: Cell
    slots: tuple[Slot, ...]
    setup: tuple[Patch, ...] = ()
    variant: str = ""
    refused: tuple[str, ...] = ()
    """Gates whose consent the user refuses."""

    def values(self) -> dict[str, Json]:
        """Return the slots by name."""
        return {slot.name: slot.value for slot in self.slots}


SlotReader: TypeAlias = Callable[[str], "Traced"]


@dataclass(frozen=True, slots=True, eq=False)
class Intent:
    """One thing a user wants."""

    name: str
    family: str
    cells: tuple[Cell, ...]
    gates: tuple[str, ...]
    """Gates on the way, whose consents the user script states."""
    uses: frozenset[str]
    """Exclusive resources, such as `cart`: two intents of one task never share one."""
    bind: Callable[[Cell, Scene, Stream], Binding | None]
    goal: Callable[[Binding], Goal]
    """The goal by form, variant and names of slots: a value never stands in it, but is named as a slot."""
    steps: Callable[[Binding, SlotReader], Program]
    phrases: Phrases
    """Sentence forms, from the data file beside the intent; see `generators.tasks.writer`."""
    gives: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Ports: variant -> slot of a later intent -> the answer of this one that it may be."""
    takes: frozenset[str] = frozenset()
    """Slots that may be what an earlier intent gives: the binder then draws what `Scene.given` says."""
    permits: frozenset[str] = frozenset()
    """What the request permits that policy otherwise forbids, such as `voucher`."""

    def goal_of(self, binding: Binding) -> Goal:
        """Return the goal of a bound request, the same object for all that differ in the values of slots only."""
        shape = self, binding.cell.form, binding.variant, tuple([slot.name for slot in binding.slots])
        found = _goals.get(shape)
        if found is None:
            if len(_goals) >= _KEPT:
                _goals.clear()
            found = _goals[shape] = self.goal(binding)
        return found


_goals: dict[tuple[Intent, str, str, tuple[str, ...]], Goal] = {}
_KEPT = 1024
"""Goals kept by intent, form, variant and slots: thousands of tasks share some hundred."""
