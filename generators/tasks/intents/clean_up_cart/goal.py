"""What cleaning up the cart means: every line that satisfies the user's rule is removed, all others stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, gt, has, node, rows, scalar, slot
from schemas import goal as g
from services.payments.expressions import member, membership_expiry
from services.shopping.expressions import unit_price

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from generators.tasks.intent import Binding


def rules(names: Collection[str], columns: Mapping[str, str], paid: g.Expr) -> list[g.Pred]:
    """Return the predicate of each slot that the binding has; `paid` is the price of one pack of a line, in cents."""
    tests: dict[str, g.Pred] = {
        "brand": eq(col(columns["brand"]), slot("brand")),
        "category": eq(col(columns["category"]), slot("category")),
        "price_over": gt(paid, slot("price_over")),
        "tag": has(columns["tags"], slot("tag")),
        "allergen": has(columns["allergens"], slot("allergen")),
    }
    return [test for name, test in tests.items() if name in names]


_COLUMNS = {"brand": "p.brand", "category": "p.category", "tags": "p.health_tags", "allergens": "p.allergens"}


def _price_nodes() -> list[g.NamedNode]:
    return [scalar("expiry", membership_expiry()), scalar("member", member(node("expiry")))]


def _paid() -> g.Column:
    is_pack = g.When(test=eq(col("c.size"), const("pack_5")), then=col("p.pack_cents"))
    listed = g.Case(branches=[is_pack], otherwise=col("p.single_cents"))
    return column("paid", unit_price(listed, col("p.discount_percent"), col("p.discount_members_only"), node("member")))


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request."""
    names = binding.values().keys()
    priced = "price_over" in names
    cart = g.Join(
        left=g.Table(table="cart", prefix="c"),
        right=g.Table(table="products", prefix="p"),
        on=eq(col("c.product_id"), col("p.id")),
    )
    lines = g.Select(source=cart, columns=[_paid()] if priced else [])
    doomed = g.Select(source=g.NodeRows(name="lines"), where=both(*rules(names, _COLUMNS, col("paid"))))
    nodes = [*(_price_nodes() if priced else []), rows("lines", lines), rows("doomed", doomed)]
    if binding.cell.form == "fulfil":
        return g.Goal(nodes=nodes, writes=[g.Write(op="delete", table="cart", rows="doomed", id=col("c.id"))])
    held = g.AnswerGoal(name="held", kind="names", rows="lines", column="p.name", cue="the cart holds")
    nothing = both(eq(count("doomed"), const(0)), gt(count("lines"), const(0)))
    return g.Goal(nodes=nodes, answers=[held], decline=g.Decline(reason="none_satisfies", because=nothing))
