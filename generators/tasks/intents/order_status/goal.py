"""What the last completed order with a product of a category or brand was: its day, its total, or the units in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, column, const, count, eq, node, rows
from generators.tasks.history.goal import LINE_UNITS, TRANSACTION, completed, first_date, lines_of_orders, orders_where
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def _answer(variant: str) -> g.AnswerGoal:
    match variant:
        case "total":
            return g.AnswerGoal(
                name="total", kind="money_cents", value=node("ranking", "t.total_cents"), cue="total of the order"
            )
        case "units":
            return g.AnswerGoal(name="units", kind="count", value=node("ranking", "units"), cue="units in the order")
        case _:
            return g.AnswerGoal(name="day", kind="date", value=node("ranking", "day"), cue="day of the order")


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound question."""
    lines = lines_of_orders(binding.values().keys())
    by_order = g.Group(
        source=g.NodeRows(name="lines"),
        keys=["t.id", "t.created_at", "t.total_cents"],
        measures=[g.Measure(name="units", fn="sum", of=LINE_UNITS)],
    )
    last_first = g.Select(
        source=by_order,
        columns=[column("day", g.DateOf(fn="day", args=[col("t.created_at")]))],
        order=[g.Order(key=col("t.created_at"), descending=True)],
    )
    nodes = [orders_where(completed(TRANSACTION)), rows("lines", lines), rows("ranking", last_first)]
    if binding.cell.form == "fulfil":
        optimum = g.Optimum(rows="ranking", keys=["t.created_at"])
        return g.Goal(nodes=nodes, answers=[_answer(binding.variant)], optimum=optimum)
    first, told = first_date()
    nothing = g.Decline(reason="not_recorded", because=eq(count("lines"), const(0)))
    return g.Goal(nodes=[*nodes, *first], answers=[told], decline=nothing)
