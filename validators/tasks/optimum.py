"""The best choice is one: it beats the next by a gap, and it alone decides the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from schemas import goal as g
from schemas.base import canonical
from validators.engine.recipe import filled, recipe_of
from validators.engine.structure import name_of
from validators.tasks.derivation import Rewrite, derivations_of
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.goal import Goal, Optimum, Select
    from validators.tasks.context import Part, TaskContext

_CHECK = "task.optimum"


def check_optimum(context: TaskContext) -> Verdict:
    """Return whether the first of all acceptable choices beats the second, and the expectation rests on it alone."""
    parts = [part for part in context.parts if part.goal.optimum is not None]
    note = "" if parts else "the goal chooses nothing"
    return verdict(_CHECK, [fault for part in parts for fault in _part_faults(context, part)], note=note)


def _part_faults(context: TaskContext, part: Part) -> list[str]:
    goal = part.goal
    optimum = cast("Optimum", goal.optimum)
    node = next((node.rows for node in goal.nodes if node.name == optimum.rows), None)
    ordered = [key.key.name for key in node.order if isinstance(key.key, g.Col)] if isinstance(node, g.Select) else []
    if not isinstance(node, g.Select) or ordered[: len(optimum.keys)] != optimum.keys:
        return [f"{optimum.rows!r} is not ordered by {', '.join(optimum.keys)}"]
    rows = _choices(context, part, optimum)
    if not rows:
        return [f"there is no choice in {optimum.rows!r}"]
    groups: dict[bytes, list[Mapping[str, Json]]] = {}
    for row in rows:
        groups.setdefault(canonical([row[key] for key in optimum.within]), []).append(row)
    best = [{key: members[0][key] for key in (*optimum.within, *optimum.keys)} for members in groups.values()]
    for members, chosen in zip(groups.values(), best, strict=True):
        if not all(_beats(members[0], other, optimum, node) for other in members[1:]):
            return [f"the best choice in {optimum.rows!r} does not beat all others by {chosen}"]
    return _rest_faults(context, part, optimum, best)


def _choices(context: TaskContext, part: Part, optimum: Optimum) -> list[dict[str, Json]]:
    """Return the acceptable choices, best first, with the columns that the goal names."""
    db, goal = context.db, part.goal
    recipe = recipe_of(goal, db)
    query = db.compiled(b"choices\0" + name_of(goal), lambda: recipe.program.node_rows(optimum.rows))
    rows = db.fetch(query, filled(recipe, part.slots, context.now, db).bound)
    return [dict(zip(query.columns, row, strict=True)) for row in rows]


def _beats(one: Mapping[str, Json], other: Mapping[str, Json], optimum: Optimum, node: Select) -> bool:
    """Return whether a row comes strictly before another by the keys of the optimum, null first."""
    for key, order in zip(optimum.keys, node.order, strict=False):
        if one[key] != other[key]:
            lower = _rank(one[key]) < _rank(other[key])
            return lower is not order.descending
    return False


def _rank(value: Json) -> tuple[bool, int]:
    return value is not None, cast("int", value)


def _rest_faults(context: TaskContext, part: Part, optimum: Optimum, best: Sequence[Mapping[str, Json]]) -> list[str]:
    """Return what is wrong with how the result rests on the best choices: it must fall with them, and need no other."""
    derivations = derivations_of(context, part)
    values = {_slot(key, number): value for number, chosen in enumerate(best) for key, value in chosen.items()}
    slots = {**part.slots, **values}
    is_best = g.Any(
        of=[
            g.All(of=[g.Test(fn="eq", left=g.Col(name=key), right=g.Slot(name=_slot(key, number))) for key in chosen])
            for number, chosen in enumerate(best)
        ]
    )
    # A rewrite is known by its name, and the number of groups is part of what it says.
    narrowed = _narrowed(f"to the best {len(best)} or the others", optimum.rows, is_best)
    faults: list[str] = []
    if not derivations.changes(narrowed, {**slots, _KEEP: 0}):
        faults.append("without the best choice the result is the same")
    if derivations.changes(narrowed, {**slots, _KEEP: 1}):
        faults.append("with the best choice alone the result is another")
    return faults


_KEEP = "optimum kept"
"""The slot that says which choices stay: 1 for the best, 0 for all others."""


def _slot(key: str, number: int) -> str:
    return f"optimum {key} {number}"


def _narrowed(name: str, rows: str, is_best: g.Pred) -> Rewrite:
    """Return the rewrite that keeps only the best choices, or only the others, in a relation node."""
    kind = g.Case(branches=[g.When(test=is_best, then=g.Const(value=1))], otherwise=g.Const(value=0))
    test = g.Test(fn="eq", left=kind, right=g.Slot(name=_KEEP))

    def change(goal: Goal) -> Goal:
        nodes = [
            g.NamedNode(name=node.name, rows=g.Select(source=node.rows, where=test))
            if node.name == rows and node.rows is not None
            else node
            for node in goal.nodes
        ]
        return goal.model_copy(update={"nodes": nodes})

    return Rewrite(name, change)
