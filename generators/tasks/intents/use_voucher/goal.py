"""What buying with the best voucher means: of all that can be used for this order, the one that saves most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, ge, gt, lt, node, rows, scalar, slot, sub
from generators.tasks.shop.goal import account, line_writes, order_goal, priced, store
from schemas import goal as g
from services.shopping.expressions import voucher_columns, voucher_holds

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def nearest_first(least: g.Expr) -> tuple[g.Column, list[g.Pred]]:
    """Return what an order lacks to the minimum spend of a voucher, and that it lacks something."""
    return column("missing", sub(least, col("eligible"))), [lt(col("eligible"), least)]


def _nodes() -> list[g.NamedNode]:
    least = col("v.min_spend_cents")
    missing, too_little = nearest_first(least)
    unused = eq(col("v.used_in"), const(None))
    valid = [unused, *voucher_holds(col("v.expires_on"), col("v.members_only"), node("member"))]
    held = voucher_columns(node("total"), node("item", "p.brand"), col("v.brand"), col("v.percent_off"))
    vouchers = g.NodeRows(name="vouchers")
    most_first, nearest = g.Order(key=col("saving"), descending=True), g.Order(key=col("missing"))
    return [
        *account(),
        rows(
            "item", g.Select(source=store(), columns=priced(slot("quantity")), where=eq(col("p.name"), slot("product")))
        ),
        scalar("total", g.Aggregate(fn="sum", source=g.NodeRows(name="item"), of=col("total"))),
        rows("vouchers", g.Select(source=g.Table(table="vouchers", prefix="v"), columns=[*held, missing])),
        rows("usable", g.Select(source=vouchers, where=both(*valid, ge(col("eligible"), least)), order=[most_first])),
        rows("nearest", g.Select(source=vouchers, where=both(*valid, *too_little), order=[nearest])),
    ]


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    form = binding.cell.form
    none = form == "none_satisfies"
    some = gt(count("usable"), const(0))
    voucher = node("usable", "v.id")
    used = g.Write(op="update", table="vouchers", id=voucher, fields={"used_in": g.FieldRef(var="order")})
    missing = g.AnswerGoal(
        name="missing",
        kind="money_cents",
        value=node("nearest", "missing"),
        cue="missing to the minimum spend of the closest voucher",
    )
    nothing = both(eq(count("usable"), const(0)), gt(count("nearest"), const(0)))
    return order_goal(
        _nodes(),
        [*line_writes(col, slot("quantity"), rows="item"), used],
        node("total"),
        saving=node("usable", "saving"),
        voucher=voucher,
        form=form,
        wanted=some,
        decline=g.Decline(reason="none_satisfies", because=nothing) if none else None,
        answers=[missing] if none else [],
        optimum=g.Optimum(rows="nearest", keys=["missing"]) if none else g.Optimum(rows="usable", keys=["saving"]),
    )
