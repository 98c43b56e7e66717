"""Which vouchers can still be used: not used up, not expired, open to the user, and fit for what the user names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, const, count, eq, ge, gt, le, node, rows, scalar, slot
from schemas import goal as g
from services.payments.expressions import member, membership_expiry

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from generators.tasks.intent import Binding


def fits_order(names: Collection[str], columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicates of the order that the user has in mind: the brand, and what is spent on it."""
    tests: dict[str, g.Pred] = {
        "brand": g.Any(of=[eq(col(columns["brand"]), const(None)), eq(col(columns["brand"]), slot("brand"))]),
        "spend": le(col(columns["least"]), slot("spend")),
    }
    return [test for name, test in tests.items() if name in names]


def saves_enough(names: Collection[str], columns: Mapping[str, str]) -> list[g.Pred]:
    """Return the predicate of the least percentage that the user wants off."""
    return [ge(col(columns["percent"]), slot("percent"))] if "percent" in names else []


_COLUMNS = {"brand": "v.brand", "least": "v.min_spend_cents", "percent": "v.percent_off"}
_EXPIRY = col("v.expires_on")


def _open(names: Collection[str]) -> list[g.Pred]:
    for_all = eq(col("v.members_only"), const(False))
    return [
        eq(col("v.used_in"), const(None)),
        ge(_EXPIRY, g.Now(part="date")),
        g.Any(of=[for_all, eq(node("member"), const(1))]),
        *fits_order(names, _COLUMNS),
    ]


def _answer(name: str, kind: g.AnswerKind, value: g.Expr, cue: str) -> g.AnswerGoal:
    return g.AnswerGoal(name=name, kind=kind, value=value, cue=cue)


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound question."""
    names = binding.values().keys()
    most_off = [g.Order(key=col("v.percent_off"), descending=True)]
    by_expiry = [g.Order(key=_EXPIRY, descending=binding.variant == "count")]
    vouchers = g.Table(table="vouchers", prefix="v")
    nodes = [
        scalar("expiry", membership_expiry()),
        scalar("member", member(node("expiry"))),
        rows("open", g.Select(source=vouchers, where=both(*_open(names)), order=most_off)),
        rows(
            "usable",
            g.Select(source=g.NodeRows(name="open"), where=both(*saves_enough(names, _COLUMNS)), order=by_expiry),
        ),
    ]
    if binding.cell.form != "fulfil":
        none_left = both(eq(count("usable"), const(0)), gt(count("open"), const(0)))
        return g.Goal(
            nodes=nodes,
            answers=[
                _answer("best_percent", "percent", node("open", "v.percent_off"), "most percent off"),
                _answer("best_expiry", "date", node("open", "v.expires_on"), "last day of that voucher"),
            ],
            decline=g.Decline(reason="none_satisfies", because=none_left),
            optimum=g.Optimum(rows="open", keys=["v.percent_off"]),
        )
    if binding.variant == "count":
        return g.Goal(
            nodes=nodes,
            answers=[
                _answer("usable", "count", count("usable"), "vouchers that can be used"),
                _answer("last_day", "date", node("usable", "v.expires_on"), "day on which the last of them expires"),
            ],
        )
    return g.Goal(
        nodes=nodes,
        answers=[
            _answer("expiry", "date", node("usable", "v.expires_on"), "last day of the voucher"),
            _answer("percent", "percent", node("usable", "v.percent_off"), "percent off"),
        ],
        optimum=g.Optimum(rows="usable", keys=["v.expires_on"]),
    )
