"""What a changed goal, or other slots, would lead to by the second engine, compared with what the task leads to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from validators.engine.recipe import compile_recipe, recipe_of
from validators.engine.structure import name_of
from validators.tasks.effects import effects_of
from validators.tasks.rewrites import can_switch, sites_of, switch, switched

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schemas.base import Json
    from schemas.goal import Goal
    from validators.tasks.context import Part, TaskContext
    from validators.tasks.effects import Effects
    from validators.tasks.rewrites import Site

_CONSENT = ("consent_refused", "cannot_afford")
"""Declines that say nothing of the choice; it shows in the goal as it would be without the user's refusal."""


class Rewrite(NamedTuple):
    """A change of goals, with a name that no other change has, so that it is compiled once per goal."""

    name: str
    change: Callable[[Goal], Goal]


class Derivations:
    """The results that changed goals and slots of one part of a task lead to."""

    def __init__(self, context: TaskContext, part: Part) -> None:
        """Derive what the part itself leads to. Raise GoalError or ValueError when that is nothing."""
        self._slots, self._now, self._db = part.slots, context.now, context.db
        goal = part.goal
        goals = [goal]
        if goal.decline is not None and goal.decline.reason in _CONSENT:
            # First what is bought but for the refusal, for it tells more.
            key = b"granted\0" + name_of(goal)
            goals.insert(0, self._db.compiled(key, lambda: goal.model_copy(update={"decline": None})))
        self._goals = goals
        self._own = [self._effects(goal, None, self._slots) for goal in goals]
        if None in self._own:
            raise ValueError("the goal does not fit the state")

    def _effects(self, goal: Goal, rewrite: Rewrite | None, slots: Mapping[str, Json]) -> Effects:
        if rewrite is None:
            recipe = recipe_of(goal, self._db)
        else:
            key = f"rewrite {rewrite.name}\0".encode() + name_of(goal)
            recipe = self._db.compiled(key, lambda: compile_recipe(rewrite.change(goal), self._db))
        return effects_of(recipe, slots, self._now, self._db)

    def changes(self, rewrite: Rewrite | None = None, slots: Mapping[str, Json] | None = None) -> bool:
        """Return whether a rewritten goal, or other slots, lead to another result; of a refusal, also without it."""
        given = self._slots if slots is None else slots
        return any(self._effects(goal, rewrite, given) != own for goal, own in zip(self._goals, self._own, strict=True))

    def without(self, site: Site) -> bool:
        """Return whether the goal rewritten at `site` leads to another result."""
        if not can_switch(site):
            return self.changes(Rewrite(f"{site.kind} {site.place}", site.rewrite))
        sites = self.sites()
        switches: dict[str, Json] = {switch(number): int(other == site) for number, other in enumerate(sites)}
        return self.changes(Rewrite("switched", partial(switched, sites=sites)), {**self._slots, **switches})

    def sites(self) -> list[Site]:
        """Return the places where the goal can be rewritten."""
        goal = self._goals[-1]
        return self._db.compiled(b"sites\0" + name_of(goal), lambda: sites_of(goal))


_known: WeakKeyDictionary[TaskContext, dict[int, Derivations]] = WeakKeyDictionary()


def derivations_of(context: TaskContext, part: Part) -> Derivations:
    """Return the derivations of a part, made once; the database stands at the start of the task afterwards."""
    known = _known.setdefault(context, {})
    if part.number in known:
        _ = context.db
    else:
        known[part.number] = Derivations(context, part)
    return known[part.number]
