"""Past orders in the goal algebra: which count, their lines, and what is not on record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, eq, ge, le, lt, mul, node, rows, scalar, slot
from schemas import goal as g
from services.shopping.expressions import units_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def completed(columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicates `a completed order`; `columns` names the columns of the rows."""
    return [eq(col(columns["kind"]), const("order")), eq(col(columns["status"]), const("completed"))]


def in_period(columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicates `a completed order placed in the period`."""
    day = g.DateOf(fn="day", args=[col(columns["created_at"])])
    return [*completed(columns), ge(day, slot("period_first")), le(day, slot("period_last"))]


def of_what(names: Collection[str], columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicates of the product, category or brand among `names`, by the columns of the rows."""
    return [eq(col(column_), slot(name)) for name, column_ in columns.items() if name in names]


TRANSACTION = {"created_at": "t.created_at", "kind": "t.kind", "status": "t.status"}
"""Columns of a transaction in goals."""
LINE = {"product": "p.name", "category": "p.category", "brand": "p.brand"}
"""Columns of an order line with its product in goals."""
LINE_UNITS = units_of(col("l.size"), col("l.quantity"))
LINE_COST = mul(col("l.quantity"), col("l.unit_price_cents"))


def orders_where(tests: Collection[g.Pred]) -> g.NamedNode:
    """Return the node `orders`: the transactions for which all tests hold."""
    return rows("orders", g.Select(source=g.Table(table="transactions", prefix="t"), where=both(*tests)))


def lines_of_orders(names: Collection[str]) -> g.Select:
    """Return the lines of the node `orders` with their products, those of the category or brand among `names`."""
    ordered = g.Join(
        left=g.NodeRows(name="orders"),
        right=g.Table(table="order_lines", prefix="l"),
        on=eq(col("t.id"), col("l.transaction_id")),
    )
    known = g.Join(left=ordered, right=g.Table(table="products", prefix="p"), on=eq(col("l.product_id"), col("p.id")))
    return g.Select(source=known, where=both(*of_what(names, LINE)))


def first_date() -> tuple[list[g.NamedNode], g.AnswerGoal]:
    """Return the nodes of the first day on record (`first_date`), and the answer that tells it."""
    everything = g.Select(
        source=g.Table(table="transactions", prefix="t"),
        columns=[column("day", g.DateOf(fn="day", args=[col("t.created_at")]))],
    )
    first = g.Aggregate(fn="min", source=g.NodeRows(name="recorded"), of=col("day"))
    told = g.AnswerGoal(name="first_date", kind="date", value=node("first_date"), cue="first day on record")
    return [rows("recorded", everything), scalar("first_date", first)], told


def unrecorded_goal() -> g.Goal:
    """Return the goal of a question about a period that ends before the first day on record."""
    nodes, told = first_date()
    decline = g.Decline(reason="not_recorded", because=lt(slot("period_last"), node("first_date")))
    return g.Goal(nodes=nodes, answers=[told], decline=decline)
