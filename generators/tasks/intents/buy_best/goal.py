"""What buying the best product under constraints means: nodes over the store, and the effects of the order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, ge, gt, has, le, node, rows, scalar, slot, sub
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
    from collections.abc import Collection, Mapping

    from generators.tasks.intent import Binding

OBJECTIVES: Mapping[str, tuple[str, bool]] = {
    "cheapest": ("total", False),
    "least_sugar": ("sugar", False),
    "fewest_calories": ("calories", False),
    "most_protein": ("protein", True),
    "most_fiber": ("fiber", True),
}
"""Objective -> the quantity that decides, and whether more is better."""


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
    list_single: g.Expr, list_pack: g.Expr, percent: g.Expr, members_only: g.Expr, is_member: g.Expr
) -> list[g.Column]:
    """Return the columns that price `quantity` units of a product: the cheapest packing and its total, in cents."""
    units, single, pack = slot("quantity"), col("single"), col("pack")
    return [
        column("single", unit_price(list_single, percent, members_only, is_member)),
        column("pack", unit_price(list_pack, percent, members_only, is_member)),
        column("packs", packs(units, single, pack)),
        column("singles", singles(units, col("packs"))),
        column("total", order_total(col("packs"), pack, col("singles"), single)),
    ]


_COLUMNS = {
    "category": "p.category",
    "tags": "p.health_tags",
    "allergens": "p.allergens",
    "delivery": "a.delivery",
}
_QUANTITIES: Mapping[str, g.Expr] = {
    "total": col("total"),
    "sugar": col("p.sugar_dg"),
    "calories": col("p.calories_dkcal"),
    "protein": col("p.protein_dg"),
    "fiber": col("p.fiber_dg"),
}


def _nodes(names: Collection[str], form: str) -> list[g.NamedNode]:
    store = g.Join(
        left=g.Table(table="assortment", prefix="a"),
        right=g.Table(table="products", prefix="p"),
        on=eq(col("a.id"), col("p.id")),
    )
    priced = quote(
        col("p.single_cents"),
        col("p.pack_cents"),
        col("p.discount_percent"),
        col("p.discount_members_only"),
        node("member"),
    )
    if "objective" in names:
        priced.append(column("merit", merit(slot("objective"), _QUANTITIES)))
    best_first = [g.Order(key=col("merit" if "objective" in names else "total"))]
    by_stock = [g.Order(key=col("a.stock"), descending=True)]
    limits: list[g.Pred] = [ge(col("a.stock"), slot("quantity"))]
    available = g.Select(source=g.NodeRows(name="matching"), where=both(*limits), order=best_first)
    if "max_total" in names:
        limits = [*limits, le(col("total"), slot("max_total"))]
    return [
        scalar("balance", wallet_balance()),
        scalar("expiry", membership_expiry()),
        scalar("member", member(node("expiry"))),
        rows("shelf", g.Select(source=store, where=both(*constraints(names, _COLUMNS)))),
        rows(
            "matching",
            g.Select(source=g.NodeRows(name="shelf"), columns=priced, order=by_stock if form == "out_of_stock" else []),
        ),
        rows("available", available),
        rows("choices", g.Select(source=g.NodeRows(name="matching"), where=both(*limits), order=best_first)),
    ]


def _order_writes() -> list[g.Write]:
    product, total, balance = node("choices", "p.id"), node("choices", "total"), node("balance")
    return [
        settled_transaction("order", "order", subtotal=total),
        order_line("order", "pack", product, "pack_5", node("choices", "packs"), node("choices", "pack")),
        order_line("order", "single", product, "single_pack", node("choices", "singles"), node("choices", "single")),
        take_stock(product, node("choices", "a.stock"), slot("quantity")),
        *pay_writes(total, balance),
    ]


def _decline(form: str) -> g.Decline | None:
    none_left = eq(count("choices"), const(0))
    match form:
        case "none_satisfies":
            return g.Decline(reason="none_satisfies", because=both(none_left, gt(count("available"), const(0))))
        case "out_of_stock":
            nothing = eq(count("available"), const(0))
            return g.Decline(reason="out_of_stock", because=both(nothing, gt(count("matching"), const(0))))
        case "cannot_afford":
            return g.Decline(
                reason="cannot_afford", because=gt(node("choices", "total"), node("balance")), gate="BALANCE"
            )
        case "consent_refused":
            closed = installed_catalogue().gates["PURCHASE"].gate.closed
            return g.Decline(
                reason="consent_refused", because=both(closed, gt(count("choices"), const(0))), gate="PURCHASE"
            )
        case _:
            return None


def _answers(form: str) -> list[g.AnswerGoal]:
    def answer(name: str, kind: g.AnswerKind, value: g.Expr, cue: str) -> g.AnswerGoal:
        return g.AnswerGoal(name=name, kind=kind, value=value, cue=cue)

    match form:
        case "none_satisfies":
            return [
                answer("nearest_product", "name", node("available", "p.name"), "closest product"),
                answer("nearest_total", "money_cents", node("available", "total"), "total of the closest product"),
            ]
        case "out_of_stock":
            return [
                answer("nearest_product", "name", node("matching", "p.name"), "product with the most units left"),
                answer("units_left", "count", node("matching", "a.stock"), "units left"),
            ]
        case "cannot_afford":
            missing = sub(node("choices", "total"), node("balance"))
            return [answer("shortfall", "money_cents", missing, "amount missing")]
        case _:
            return []


_OPTIMUM = {
    "none_satisfies": g.Optimum(rows="available", keys=["total"]),
    "out_of_stock": g.Optimum(rows="matching", keys=["a.stock"]),
}


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    form = binding.cell.form
    names = binding.values().keys()
    total, balance = node("choices", "total"), node("balance")
    return g.Goal(
        nodes=_nodes(names, form),
        writes=_order_writes(),
        totals=pay_totals(total, balance),
        answers=_answers(form),
        gates=["PURCHASE", "BALANCE"],
        relations=[RELATION],
        decline=_decline(form),
        optimum=_OPTIMUM.get(form, g.Optimum(rows="choices", keys=["merit"])),
    )
