"""Goals over the store: priced products, the account that pays, the effects of an order, and why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, eq, gt, has, node, scalar, slot, sub
from schemas import goal as g
from services.payments.expressions import (
    RELATION,
    member,
    membership_expiry,
    pay_totals,
    pay_writes,
    settled_transaction,
    wallet_balance,
)
from services.runtime.catalogue import installed_catalogue
from services.shopping.expressions import order_line, order_total, packs, singles, take_stock, unit_price

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

OBJECTIVES: Mapping[str, tuple[str, bool]] = {
    "cheapest": ("total", False),
    "least_sugar": ("sugar", False),
    "fewest_calories": ("calories", False),
    "most_protein": ("protein", True),
    "most_fiber": ("fiber", True),
}
"""Objective -> the quantity that decides, and whether more is better."""
COLUMNS: Mapping[str, str] = {
    "category": "p.category",
    "tags": "p.health_tags",
    "allergens": "p.allergens",
    "delivery": "a.delivery",
}
"""What constraints look at -> the column of a product of the store."""
QUANTITIES: Mapping[str, g.Expr] = {
    "total": col("total"),
    "sugar": col("p.sugar_dg"),
    "calories": col("p.calories_dkcal"),
    "protein": col("p.protein_dg"),
    "fiber": col("p.fiber_dg"),
}
"""What objectives look at, of a priced product of the store."""


def merit(objective: g.Expr, quantities: Mapping[str, g.Expr]) -> g.Expr:
    """Return what is minimised: the quantity of the objective, negated where more is better."""
    branches = [
        g.When(test=eq(objective, const(name)), then=sub(const(0), quantities[key]) if more else quantities[key])
        for name, (key, more) in OBJECTIVES.items()
    ]
    return g.Case(branches=branches, otherwise=quantities["total"])


def constraints(names: Collection[str], columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicate of each constraint slot that the binding has; `columns` names the columns of the rows."""
    tests: dict[str, g.Pred] = {
        "category": eq(col(columns["category"]), slot("category")),
        "tag": has(columns["tags"], slot("tag")),
        "tag_2": has(columns["tags"], slot("tag_2")),
        "without": g.Not(of=has(columns["allergens"], slot("without"))),
        "delivery": eq(col(columns["delivery"]), slot("delivery")),
    }
    return [test for name, test in tests.items() if name in names]


def quote(
    units: g.Expr, list_single: g.Expr, list_pack: g.Expr, percent: g.Expr, members_only: g.Expr, is_member: g.Expr
) -> list[g.Column]:
    """Return the columns that price `units` of a product: the cheapest packing and its total, in cents."""
    single, pack = col("single"), col("pack")
    return [
        column("single", unit_price(list_single, percent, members_only, is_member)),
        column("pack", unit_price(list_pack, percent, members_only, is_member)),
        column("packs", packs(units, single, pack)),
        column("singles", singles(units, col("packs"))),
        column("total", order_total(col("packs"), pack, col("singles"), single)),
    ]


def priced(units: g.Expr, is_member: g.Expr | None = None) -> list[g.Column]:
    """Return the columns that price `units` of a product of the store, for the user as of now unless told otherwise."""
    percent, members_only = col("p.discount_percent"), col("p.discount_members_only")
    known = node("member") if is_member is None else is_member
    return quote(units, col("p.single_cents"), col("p.pack_cents"), percent, members_only, known)


def store() -> g.Rel:
    """Return what the store carries: stock items `a.*` with their products `p.*`."""
    return g.Join(
        left=g.Table(table="assortment", prefix="a"),
        right=g.Table(table="products", prefix="p"),
        on=eq(col("a.id"), col("p.id")),
    )


def account() -> list[g.NamedNode]:
    """Return the nodes `balance` in cents, `expiry` of the membership, and `member`, 1 or 0."""
    return [
        scalar("balance", wallet_balance()),
        scalar("expiry", membership_expiry()),
        scalar("member", member(node("expiry"))),
    ]


def first_of(rows: str) -> Callable[[str], g.Expr]:
    """Return what gives the columns of the first row of a node."""
    return lambda name: node(rows, name)


def line_writes(of: Callable[[str], g.Expr], units: g.Expr, rows: str = "") -> list[g.Write]:
    """Return the lines of a priced product in the order `order` and its stock taken; with `rows`, of each row."""
    product = of("p.id")
    writes = [
        order_line("order", "pack", product, "pack_5", of("packs"), of("pack")),
        order_line("order", "single", product, "single_pack", of("singles"), of("single")),
        take_stock(product, of("a.stock"), units),
    ]
    return [write.changed({"rows": rows}) for write in writes] if rows else writes


def order_goal(
    nodes: Sequence[g.NamedNode],
    lines: Sequence[g.Write],
    subtotal: g.Expr,
    *,
    form: str,
    wanted: g.Pred,
    saving: g.Expr | None = None,
    voucher: g.Expr | None = None,
    beside: g.Expr | None = None,
    decline: g.Decline | None = None,
    answers: Sequence[g.AnswerGoal] = (),
    optimum: g.Optimum | None = None,
) -> g.Goal:
    """Return the goal of an order of `lines`, paid at once.

    A declined one keeps the order it would have been. `wanted` says that there is something to buy: the declines that
    rest on a refusal are made of it here, every other brings its own `decline` and `answers`. What is paid `beside` the
    order counts where money runs short.
    """
    total = subtotal if saving is None else sub(subtotal, saving)
    total = total if beside is None else g.Arith(fn="add", args=[total, beside])
    balance = node("balance")
    shortfall = g.AnswerGoal(name="shortfall", kind="money_cents", value=sub(total, balance), cue="amount missing")
    return g.Goal(
        nodes=list(nodes),
        writes=[
            settled_transaction("order", "order", subtotal=subtotal, saving=saving, voucher=voucher),
            *lines,
            *pay_writes(total, balance),
        ],
        totals=pay_totals(total, balance),
        answers=[shortfall] if form == "cannot_afford" else list(answers),
        gates=["PURCHASE", "BALANCE"],
        relations=[RELATION],
        decline=decline or refusal(form, total, wanted),
        optimum=optimum,
    )


def refusal(form: str, total: g.Expr, wanted: g.Pred) -> g.Decline | None:
    """Return why an order of `total` is declined when the user refuses to top up or to give the permission."""
    if form == "cannot_afford":
        return g.Decline(reason="cannot_afford", because=gt(total, node("balance")), gate="BALANCE")
    if form == "consent_refused":
        closed = installed_catalogue().gates["PURCHASE"].gate.closed
        return g.Decline(reason="consent_refused", because=both(closed, wanted), gate="PURCHASE")
    return None
