"""What buying by a noted rule means: the best product by the rule, given that there is such a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both
from generators.tasks.intents.buy_best.goal import goal as buy_goal
from generators.tasks.notes.goal import noted, refusal, there_are, unrecorded_goal
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request."""
    form, names = binding.cell.form, binding.values().keys()
    if form == "not_recorded":
        return unrecorded_goal()
    bought = buy_goal(binding)
    decline = refusal(there_are("choices")) if form == "consent_refused" else bought.decline
    nodes = [noted(names), *(_if_noted(node) for node in bought.nodes)]
    return bought.model_copy(update={"nodes": nodes, "gates": ["NOTES", *bought.gates], "decline": decline})


def _if_noted(node: g.NamedNode) -> g.NamedNode:
    """Return the node, the shelf empty where nothing was noted: without a rule nothing is bought."""
    if node.name != "shelf" or node.rows is None:
        return node
    return g.NamedNode(name=node.name, rows=g.Select(source=node.rows, where=both(there_are())))
