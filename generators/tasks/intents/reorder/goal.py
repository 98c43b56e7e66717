"""What ordering again means: the lines of the latest completed order that fits, by units, at the prices of today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, gt, lt, node, rows, scalar
from generators.tasks.history.goal import (
    LINE,
    LINE_UNITS,
    TRANSACTION,
    completed,
    first_date,
    lines_of_orders,
    of_what,
    orders_where,
)
from generators.tasks.shop.goal import account, line_writes, order_goal, priced, store
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def _nodes(binding: Binding) -> list[g.NamedNode]:
    latest = g.Group(
        source=g.NodeRows(name="holding"),
        keys=["t.id", "t.created_at"],
        measures=[g.Measure(name="lines", fn="count")],
    )
    held = g.Select(
        source=g.Table(table="order_lines", prefix="l"), where=eq(col("l.transaction_id"), node("latest", "t.id"))
    )
    carried = g.Join(left=g.NodeRows(name="held"), right=store(), on=eq(col("l.product_id"), col("p.id")))
    return [
        *account(),
        orders_where(completed(TRANSACTION)),
        rows("lines", lines_of_orders(())),
        rows("holding", g.Select(source=g.NodeRows(name="lines"), where=both(*of_what(binding.values().keys(), LINE)))),
        rows("latest", g.Select(source=latest, order=[g.Order(key=col("t.created_at"), descending=True)])),
        rows("held", held),
        rows("again", g.Select(source=carried, columns=[column("units", LINE_UNITS), *priced(col("units"))])),
        rows(
            "missing",
            g.Select(
                source=g.NodeRows(name="again"),
                where=lt(col("a.stock"), col("units")),
                order=[g.Order(key=col("p.name"))],
            ),
        ),
        scalar("total", g.Aggregate(fn="sum", source=g.NodeRows(name="again"), of=col("total"))),
    ]


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    form = binding.cell.form
    nodes = _nodes(binding)
    decline: g.Decline | None = None
    answers: list[g.AnswerGoal] = []
    if form == "out_of_stock":
        decline = g.Decline(reason="out_of_stock", because=gt(count("missing"), const(0)))
        answers = [
            g.AnswerGoal(
                name="missing_product", kind="name", value=node("missing", "p.name"), cue="product that has run short"
            ),
            g.AnswerGoal(name="units_left", kind="count", value=node("missing", "a.stock"), cue="units left of it"),
        ]
    elif form == "not_recorded":
        recorded, told = first_date()
        nodes += recorded
        nothing = both(eq(count("latest"), const(0)), gt(count("lines"), const(0)))
        decline, answers = g.Decline(reason="not_recorded", because=nothing), [told]
    return order_goal(
        nodes,
        line_writes(col, col("units"), rows="again"),
        node("total"),
        form=form,
        wanted=gt(count("again"), const(0)),
        decline=decline,
        answers=answers,
        optimum=None if form == "not_recorded" else g.Optimum(rows="latest", keys=["t.created_at"]),
    )
