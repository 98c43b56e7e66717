"""Other goals, made of a task's goal: a condition left out, a named expression as a careless reader would take it.

A place in a goal is a path of field names and list positions; a rewrite copies only the models along its path.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from pydantic import BaseModel

from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from schemas.goal import Goal

Place: TypeAlias = tuple[str | int, ...]


class Site(NamedTuple):
    """A place where a goal can be rewritten."""

    kind: Literal["condition", "filter", "named"]
    """A condition (part of an `all`, or a `where` that is none), a `where` of several parts, a named expression."""
    place: Place
    slots: frozenset[str]
    """Slots that stand in what would go."""

    def rewrite(self, goal: Goal) -> Goal:
        """Return the goal without the condition, or with the careless reading."""
        *parent, last = self.place
        if self.kind == "named":
            return cast("Goal", _changed(goal, self.place, lambda named: cast("g.Named", named).naive))
        if isinstance(last, int):
            return cast("Goal", _changed(goal, parent, lambda parts: _without(parts, last)))
        return cast("Goal", _changed(goal, self.place, lambda _: None))


def switch(number: int) -> str:
    """Return the slot that turns the rewrite at one site of a switched goal on with 1, off with 0."""
    return f"#site {number}"


def can_switch(site: Site) -> bool:
    """Return whether a rewrite can wait for a switch: a condition that joins tables has to be seen to do so fast."""
    return "on" not in site.place


def switched(goal: Goal, sites: Sequence[Site]) -> Goal:
    """Return the goal with a switch for each rewrite at `sites` that can have one, to be compiled once for all."""
    for number, site in enumerate(sites):
        # What stands inside another site comes before it, so that no place is moved before its turn.
        if can_switch(site):
            goal = cast("Goal", _changed(goal, site.place, partial(_with_switch, number)))
    return goal


def _with_switch(number: int, part: object) -> object:
    on = g.Test(fn="eq", left=g.Slot(name=switch(number)), right=g.Const(value=1))
    if isinstance(part, g.Named):
        return g.Case(branches=[g.When(test=on, then=cast("g.Expr", part.naive))], otherwise=part)
    return g.Any(of=[on, cast("g.Pred", part)])


def sites_of(goal: Goal) -> list[Site]:
    """Return all places in the nodes of a goal where it can be rewritten, in order of the nodes."""
    found: list[Site] = []
    for index, node in enumerate(goal.nodes):
        _visit(node, ("nodes", index), found)
    return found


def _visit(part: object, place: Place, found: list[Site]) -> frozenset[str]:
    """Add the sites in `part` and return the slots that stand in it."""
    if isinstance(part, g.Slot):
        return frozenset((part.name,))
    slots: frozenset[str] = frozenset()
    for step, inner in _inside(part):
        at = (*place, *step)
        own = _visit(inner, at, found)
        slots |= own
        if isinstance(part, g.All) or (step == ("where",) and not isinstance(inner, g.All)):
            found.append(Site("condition", at, own))
        elif step == ("where",) and isinstance(inner, g.All) and len(inner.of) > 1:
            found.append(Site("filter", at, own))
    if isinstance(part, g.Named) and part.naive is not None:
        found.append(Site("named", place, slots))
    return slots


def _inside(part: object) -> Iterator[tuple[Place, object]]:
    """Yield what a model consists of, with the way there; the careless reading of a named expression is left out."""
    for key, inner in cast("dict[str, object]", part.__dict__).items():
        if isinstance(inner, list):
            items = enumerate(cast("list[object]", inner))
            yield from (((key, index), item) for index, item in items if isinstance(item, BaseModel))
        elif isinstance(inner, BaseModel) and not (key == "naive" and isinstance(part, g.Named)):
            yield (key,), inner


def _changed(part: object, place: Sequence[str | int], change: Callable[[object], object]) -> object:
    """Return `part` with what stands at `place` changed; everything beside the way there is shared."""
    if not place:
        return change(part)
    key, rest = place[0], place[1:]
    if isinstance(part, list):
        items, index = cast("list[object]", part), cast("int", key)
        return [*items[:index], _changed(items[index], rest, change), *items[index + 1 :]]
    name = cast("str", key)
    return cast("BaseModel", part).model_copy(update={name: _changed(getattr(part, name), rest, change)})


def _without(parts: object, index: int) -> list[object]:
    return [part for at, part in enumerate(cast("list[object]", parts)) if at != index]
