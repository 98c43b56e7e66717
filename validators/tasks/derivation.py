"""What a changed goal, or other slots, would lead to by the second engine, compared with what the task leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import canonical
from validators.engine.expect import GoalMismatch, derive_expectation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schemas.base import Json
    from schemas.contract import Expectation
    from schemas.goal import Goal
    from validators.tasks.context import TaskContext

_UNFIT = b"unfit"
"""The result of a goal that does not fit the state: a decline that nothing justifies, or a value that is missing."""
_CONSENT = ("consent_refused", "cannot_afford")
"""Declines that say nothing of the choice; it shows in the goal as it would be without the user's refusal."""


class Derivations:
    """The results that changed goals and slots of one task lead to."""

    def __init__(self, context: TaskContext) -> None:
        """Derive what the task itself leads to. Raise GoalMismatch or GoalError when that is nothing."""
        self._context = context
        self._gates = {name: compiled.gate for name, compiled in context.catalogue.gates.items()}
        goal = context.task.goal
        self.goals: list[Goal] = [goal]
        if goal.decline is not None and goal.decline.reason in _CONSENT:
            # First what is bought but for the refusal, for it tells more.
            self.goals.insert(0, goal.model_copy(update={"decline": None}))
        self._own = [canonical(self.expectation(goal, context.slots)) for goal in self.goals]

    def expectation(self, goal: Goal, slots: Mapping[str, Json]) -> Expectation:
        """Return the expectation of a goal at the task's start. Raise GoalMismatch when it does not fit the state."""
        context = self._context
        tables, script = context.catalogue.tables, context.task.script
        return derive_expectation(goal, slots, context.now, script, self._gates, tables, context.db)

    def _result(self, goal: Goal, slots: Mapping[str, Json]) -> bytes:
        try:
            return canonical(self.expectation(goal, slots))
        except GoalMismatch:
            return _UNFIT

    def changes(self, rewrite: Callable[[Goal], Goal] | None = None, slots: Mapping[str, Json] | None = None) -> bool:
        """Return whether a rewritten goal, or other slots, lead to another result; of a refusal, also without it."""
        given = self._context.slots if slots is None else slots
        return any(
            self._result(rewrite(goal) if rewrite else goal, given) != own
            for goal, own in zip(self.goals, self._own, strict=True)
        )
