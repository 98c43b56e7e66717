"""What deleting a note means: it is gone, and the other notes stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, rows
from generators.tasks.notes.goal import noted, refusal, there_are, unrecorded_goal
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request."""
    form, variant = binding.cell.form, binding.variant
    if form == "not_recorded":
        return unrecorded_goal()
    names = binding.values().keys()
    order = [g.Order(key=col("n.time"), descending=variant == "latest")]
    if variant == "date":
        nodes, doomed, optimum = [noted(names)], "noted", None
    else:
        first = g.Select(source=g.NodeRows(name="noted"), order=order, limit=1)
        nodes, doomed = [noted(names, order), rows("doomed", first)], "doomed"
        optimum = g.Optimum(rows="noted", keys=["n.time"])
    return g.Goal(
        nodes=nodes,
        writes=[g.Write(op="delete", table="notes", rows=doomed, id=col("n.id"))],
        gates=["NOTES"],
        decline=refusal(there_are()) if form == "consent_refused" else None,
        optimum=optimum,
    )
