"""What a question about spending asks for: a number over the completed orders of a period."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, rows
from generators.tasks.history.goal import (
    LINE_COST,
    LINE_UNITS,
    TRANSACTION,
    in_period,
    lines_of_orders,
    orders_where,
    unrecorded_goal,
)
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def _sum(source: str, value: g.Expr) -> g.Aggregate:
    return g.Aggregate(fn="sum", source=g.NodeRows(name=source), of=value)


def _asked(binding: Binding) -> tuple[list[g.NamedNode], g.AnswerGoal]:
    names = binding.values().keys()
    nodes = [orders_where(in_period(TRANSACTION))]
    if binding.variant == "orders":
        number = g.Aggregate(fn="count", source=g.NodeRows(name="orders"))
        return nodes, g.AnswerGoal(name="orders", kind="count", value=number, cue="number of orders")
    if {"category", "brand"} & names:
        nodes.append(rows("lines", lines_of_orders(names)))
    if binding.variant == "units":
        return nodes, g.AnswerGoal(name="units", kind="count", value=_sum("lines", LINE_UNITS), cue="number of units")
    whole = not {"category", "brand"} & names
    spent = _sum("orders", col("t.total_cents")) if whole else _sum("lines", LINE_COST)
    return nodes, g.AnswerGoal(name="spent", kind="money_cents", value=spent, cue="amount spent")


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound question."""
    if binding.cell.form == "fulfil":
        nodes, answer = _asked(binding)
        return g.Goal(nodes=nodes, answers=[answer])
    return unrecorded_goal()
