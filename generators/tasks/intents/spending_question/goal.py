"""What a question about spending asks for: a number over the completed orders of a period."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, eq, ge, le, lt, mul, node, rows, scalar, slot
from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from generators.tasks.intent import Binding


def in_period(columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicates `a completed order placed in the period`."""
    day = g.DateOf(fn="day", args=[col(columns["created_at"])])
    return [
        eq(col(columns["kind"]), const("order")),
        eq(col(columns["status"]), const("completed")),
        ge(day, slot("period_first")),
        le(day, slot("period_last")),
    ]


def of_what(names: Collection[str], columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicate of the category or brand that the question is about."""
    return [eq(col(columns[name]), slot(name)) for name in ("category", "brand") if name in names]


def units_of(size: g.Expr, quantity: g.Expr) -> g.Expr:
    """Return the single units that a line holds."""
    pack = g.When(test=eq(size, const("pack_5")), then=const(5))
    return mul(quantity, g.Case(branches=[pack], otherwise=const(1)))


_TRANSACTION = {"created_at": "t.created_at", "kind": "t.kind", "status": "t.status"}
_LINE = {"category": "p.category", "brand": "p.brand"}


def _lines(names: Collection[str]) -> g.Select:
    ordered = g.Join(
        left=g.NodeRows(name="orders"),
        right=g.Table(table="order_lines", prefix="l"),
        on=eq(col("t.id"), col("l.transaction_id")),
    )
    known = g.Join(left=ordered, right=g.Table(table="products", prefix="p"), on=eq(col("l.product_id"), col("p.id")))
    return g.Select(source=known, where=both(*of_what(names, _LINE)))


def _sum(source: str, value: g.Expr) -> g.Aggregate:
    return g.Aggregate(fn="sum", source=g.NodeRows(name=source), of=value)


def _asked(binding: Binding) -> tuple[list[g.NamedNode], g.AnswerGoal]:
    names = binding.values().keys()
    nodes = [
        rows("orders", g.Select(source=g.Table(table="transactions", prefix="t"), where=both(*in_period(_TRANSACTION))))
    ]
    if binding.variant == "orders":
        number = g.Aggregate(fn="count", source=g.NodeRows(name="orders"))
        return nodes, g.AnswerGoal(name="orders", kind="count", value=number, cue="number of orders")
    if {"category", "brand"} & names:
        nodes.append(rows("lines", _lines(names)))
    if binding.variant == "units":
        number = _sum("lines", units_of(col("l.size"), col("l.quantity")))
        return nodes, g.AnswerGoal(name="units", kind="count", value=number, cue="number of units")
    if {"category", "brand"} & names:
        spent = _sum("lines", mul(col("l.quantity"), col("l.unit_price_cents")))
    else:
        spent = _sum("orders", col("t.total_cents"))
    return nodes, g.AnswerGoal(name="spent", kind="money_cents", value=spent, cue="amount spent")


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound question."""
    if binding.cell.form == "fulfil":
        nodes, answer = _asked(binding)
        return g.Goal(nodes=nodes, answers=[answer])
    everything = g.Select(
        source=g.Table(table="transactions", prefix="t"),
        columns=[column("day", g.DateOf(fn="day", args=[col("t.created_at")]))],
    )
    first = g.Aggregate(fn="min", source=g.NodeRows(name="recorded"), of=col("day"))
    return g.Goal(
        nodes=[rows("recorded", everything), scalar("first_date", first)],
        answers=[g.AnswerGoal(name="first_date", kind="date", value=node("first_date"), cue="first day on record")],
        decline=g.Decline(reason="not_recorded", because=lt(slot("period_last"), node("first_date"))),
    )
