"""The best choice is one: it beats the next by a gap, and it alone decides the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from schemas import goal as g
from schemas.base import canonical
from validators.engine.evaluate import evaluate_goal
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
    rows = evaluate_goal(goal, part.slots, context.now, context.db, [optimum.rows]).rows[optimum.rows]
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
    faults: list[str] = []
    # A rewrite is known by its name, and the number of groups is part of what it says.
    if not derivations.changes(_narrowed(f"all but the best {len(best)}", optimum.rows, g.Not(of=is_best)), slots):
        faults.append("without the best choice the result is the same")
    if derivations.changes(_narrowed(f"the best {len(best)} alone", optimum.rows, is_best), slots):
        faults.append("with the best choice alone the result is another")
    return faults


def _slot(key: str, number: int) -> str:
    return f"optimum {key} {number}"


def _narrowed(name: str, rows: str, test: g.Pred) -> Rewrite:
    """Return the rewrite that adds a condition to a relation node."""

    def change(goal: Goal) -> Goal:
        nodes = [
            g.NamedNode(name=node.name, rows=g.Select(source=node.rows, where=test))
            if node.name == rows and node.rows is not None
            else node
            for node in goal.nodes
        ]
        return goal.model_copy(update={"nodes": nodes})

    return Rewrite(name, change)
