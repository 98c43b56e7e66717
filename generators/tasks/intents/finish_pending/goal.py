"""What paying a pending order means: the one that holds what the user names is settled, and its stock taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, gt, lt, node, rows, scalar, sub
from generators.tasks.history.goal import LINE, lines_of_orders, of_what, orders_where
from generators.tasks.shop.goal import refusal
from schemas import goal as g
from services.payments.expressions import RELATION, pay_totals, pay_writes, wallet_balance
from services.shopping.expressions import take_stock, units_of

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def too_old(created: g.Expr, today: g.Expr) -> g.Pred:
    """Return that what was prepared at `created` is more than a day old: it is from before yesterday."""
    return lt(g.DateOf(fn="add_days", args=[g.DateOf(fn="day", args=[created]), const(1)]), today)


def _nodes(binding: Binding) -> list[g.NamedNode]:
    by_order = g.Group(
        source=g.NodeRows(name="holding"),
        keys=["t.id", "t.created_at", "t.total_cents"],
        measures=[g.Measure(name="lines", fn="count")],
    )
    lines = g.Select(
        source=g.Table(table="order_lines", prefix="l"), where=eq(col("l.transaction_id"), node("order", "t.id"))
    )
    stocked = g.Join(left=lines, right=g.Table(table="assortment", prefix="a"), on=eq(col("l.product_id"), col("a.id")))
    return [
        scalar("balance", wallet_balance()),
        orders_where([eq(col("t.status"), const("pending"))]),
        rows("held", lines_of_orders(())),
        rows("holding", g.Select(source=g.NodeRows(name="held"), where=both(*of_what(binding.values().keys(), LINE)))),
        rows("order", g.Select(source=by_order, order=[g.Order(key=col("t.created_at"))])),
        rows("sold", g.Select(source=stocked, columns=[column("units", units_of(col("l.size"), col("l.quantity")))])),
    ]


def _settle() -> list[g.Write]:
    """Return what paying changes; the time of it is that of the run, some time today."""
    until = g.DateOf(fn="add_days", args=[g.Now(part="date"), const(1)])
    fields: dict[str, g.FieldGoal] = {
        "status": g.FieldIs(value=const("completed")),
        "settled_at": g.FieldWithin(low=g.Now(part="time"), high=until),
    }
    taken = take_stock(col("a.id"), col("a.stock"), col("units"))
    return [
        g.Write(op="update", table="transactions", id=node("order", "t.id"), fields=fields),
        taken.model_copy(update={"rows": "sold"}),
        *pay_writes(node("order", "t.total_cents"), node("balance")),
    ]


def _decline(form: str) -> g.Decline | None:
    total = node("order", "t.total_cents")
    match form:
        case "none_satisfies":
            nothing = both(eq(count("order"), const(0)), gt(count("held"), const(0)))
            return g.Decline(reason="none_satisfies", because=nothing)
        case "policy":
            return g.Decline(reason="policy", because=too_old(node("order", "t.created_at"), g.Now(part="date")))
        case _:
            return refusal(form, total, gt(count("order"), const(0)))


def _answers(form: str) -> list[g.AnswerGoal]:
    match form:
        case "none_satisfies":
            return [g.AnswerGoal(name="held", kind="names", rows="held", column="p.name", cue="pending orders hold")]
        case "policy":
            day = g.DateOf(fn="day", args=[node("order", "t.created_at")])
            return [g.AnswerGoal(name="ordered_on", kind="date", value=day, cue="day of the order")]
        case "cannot_afford":
            missing = sub(node("order", "t.total_cents"), node("balance"))
            return [g.AnswerGoal(name="shortfall", kind="money_cents", value=missing, cue="amount missing")]
        case _:
            return []


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps what paying would have been."""
    form = binding.cell.form
    nothing = form == "none_satisfies"
    return g.Goal(
        nodes=_nodes(binding),
        writes=_settle(),
        totals=pay_totals(node("order", "t.total_cents"), node("balance")),
        answers=_answers(form),
        gates=["BALANCE"],
        relations=[RELATION],
        decline=_decline(form),
        optimum=None if nothing else g.Optimum(rows="order", keys=["t.created_at"]),
    )
