"""On what most was spent: the category or brand with the greatest sum over completed orders, before vouchers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, node, rows
from generators.tasks.history.goal import (
    LINE_COST,
    TRANSACTION,
    in_period,
    lines_of_orders,
    orders_where,
    unrecorded_goal,
)
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound question."""
    if binding.cell.form != "fulfil":
        return unrecorded_goal()
    name: g.AnswerKind = "name" if binding.variant == "brand" else "term"
    key = f"p.{binding.variant}"
    measures = [g.Measure(name="spent", fn="sum", of=LINE_COST)]
    sums = g.Group(source=g.NodeRows(name="lines"), keys=[key], measures=measures)
    most_first = g.Select(source=sums, order=[g.Order(key=col("spent"), descending=True)])
    spent = node("ranking", "spent")
    return g.Goal(
        nodes=[
            orders_where(in_period(TRANSACTION)),
            rows("lines", lines_of_orders(())),
            rows("ranking", most_first),
        ],
        answers=[
            g.AnswerGoal(name=binding.variant, kind=name, value=node("ranking", key), cue=f"{binding.variant} on top"),
            g.AnswerGoal(name="spent", kind="money_cents", value=spent, cue="amount spent on it"),
        ],
        optimum=g.Optimum(rows="ranking", keys=["spent"]),
    )
