"""What buying with an offered membership means: it is taken exactly when it saves more than it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, const, count, eq, gt, mul, node, rows, scalar, slot, sub
from generators.tasks.shop.goal import account, line_writes, order_goal, priced, store
from schemas import goal as g
from services.payments.expressions import membership_price, membership_writes

if TYPE_CHECKING:
    from generators.tasks.intent import Binding

DURATION = "1_month"
"""The membership that the user offers to take."""
_UNITS = slot("quantity")


def pays_off(now: g.Expr, as_member: g.Expr) -> g.Test:
    """Return that a member saves more on the order than the membership costs; totals in cents."""
    return gt(sub(now, as_member), membership_price(DURATION))


def _total(rows_: str) -> g.Aggregate:
    return g.Aggregate(fn="sum", source=g.NodeRows(name=rows_), of=col("total"))


def _joins() -> g.Named:
    """Return 1 when the membership is taken, else 0. The careless reading takes it for any saving."""
    some = gt(sub(node("now"), node("as_member")), const(0))

    def flag(test: g.Pred) -> g.Case:
        return g.Case(branches=[g.When(test=test, then=const(1))], otherwise=const(0))

    return g.Named(name="joins", body=flag(pays_off(node("now"), node("as_member"))), naive=flag(some))


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    item = g.NodeRows(name="item")
    member = g.Arith(fn="max", args=[node("member"), node("joins")])
    nodes = [
        *account(),
        rows("item", g.Select(source=store(), where=eq(col("p.name"), slot("product")))),
        rows("plain", g.Select(source=item, columns=priced(_UNITS))),
        rows("reduced", g.Select(source=item, columns=priced(_UNITS, const(1)))),
        scalar("now", _total("plain")),
        scalar("as_member", _total("reduced")),
        scalar("joins", _joins()),
        rows("bought", g.Select(source=item, columns=priced(_UNITS, member))),
        scalar("total", _total("bought")),
    ]
    joined = membership_writes(DURATION, node("expiry"), eq(node("joins"), const(1)))
    return order_goal(
        nodes,
        [*line_writes(col, _UNITS, rows="bought"), *joined],
        node("total"),
        beside=mul(node("joins"), membership_price(DURATION)),
        form=binding.cell.form,
        wanted=gt(count("bought"), const(0)),
    )
