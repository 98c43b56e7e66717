"""What a part of a request wants at one start after the other, worked out again only where it reads something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from generators.tasks.expect import GoalError, changes_of, derive_expectation
from services.runtime.algebra import evaluate_goal
from services.runtime.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.tasks.intent import Scene
    from generators.tasks.start import Start
    from schemas.contract import Expectation
    from schemas.goal import Goal
    from schemas.task import Patch, UserScript
    from services.runtime.algebra import Row


class _Noted:
    """A state that notes which of its tables are read."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.tables: set[str] = set()

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return all records of a table as rows."""
        self.tables.add(table)
        return self._state.rows(table, prefix)

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        """Return one record as a row."""
        self.tables.add(table)
        return self._state.one(table, key, prefix)

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the field names of a table; they are the same at every start."""
        return self._state.columns(table)


class _Known(NamedTuple):
    """What is wanted, and all that it follows from."""

    tables: set[str]
    patches: list[Patch]
    """Those of `tables`."""
    consents: list[tuple[str, bool, bool]]
    wants: Expectation | None


class Wanted:
    """What one goal with its slots wants at different starts of one scene."""

    def __init__(self, goal: Goal, slots: Mapping[str, object]) -> None:
        self._goal = goal
        self._slots = slots
        self._known: list[_Known] = []

    def at(self, start: Start, script: UserScript) -> Expectation | None:
        """Return what is wanted; None where the goal does not hold, or asks for nothing."""
        consents = [(c.gate, c.granted, c.once) for c in script.consents]
        for known in self._known:
            patches = [patch for patch in start.patches if patch.table in known.tables]
            if known.consents == consents and _same(known.patches, patches):
                return known.wants
        source = _Noted(State(start.base))
        wants = self._worked_out(source, start.scene, script)
        patches = [patch for patch in start.patches if patch.table in source.tables]
        self._known.append(_Known(source.tables, patches, consents, wants))
        return wants

    def _worked_out(self, source: _Noted, scene: Scene, script: UserScript) -> Expectation | None:
        scope = evaluate_goal(self._goal, source, self._slots, scene.now)
        try:
            wants = derive_expectation(self._goal, scope, script, scene.catalogue)
            # That a consent is to be given is no wish by itself.
            demanded = wants.answers or changes_of(self._goal.writes, scope, scene.catalogue)
        except GoalError:
            return None
        return wants if demanded else None


def _same(known: Sequence[Patch], patches: Sequence[Patch]) -> bool:
    """Return whether these are the same patches, which all flips of a draft share."""
    return len(known) == len(patches) and all(one is other for one, other in zip(known, patches, strict=True))
