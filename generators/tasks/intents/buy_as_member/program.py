"""How a perfect assistant finds out whether the membership pays off, and orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from generators.tasks.build import col, column, const, eq, slot
from generators.tasks.intents.buy_as_member.goal import DURATION, pays_off
from generators.tasks.program import Args, Call, Decide, Derive, Fixed, Map, User
from generators.tasks.shop.program import (
    add,
    by_form,
    check_out,
    inspected,
    quote_shown,
    quoted,
    refuse_top_up,
)
from schemas import goal as g
from services.payments.expressions import membership_price

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

_AS_MEMBER = (column("units", slot("quantity")), *quote_shown(col("units"), const(1)))
_WITH_MEMBERSHIP = g.Arith(fn="add", args=[slot("total"), membership_price(DURATION)])


class _Choice(NamedTuple):
    item: Traced
    joins: bool


def _choice(x: SlotReader) -> Program:
    """Return the product at the better price, and whether a membership comes first."""
    details = yield from inspected(eq(col("name"), slot("product")), {"product": x("product")})
    plain = yield from quoted(details, {"quantity": x("quantity")})
    reduced = yield Map(details, _AS_MEMBER, {"quantity": x("quantity")})
    totals: Args = {"now": plain[0]["total"], "as_member": reduced[0]["total"]}
    joins = yield Decide(pays_off(slot("now"), slot("as_member")), totals)
    return _Choice(reduced[0] if joins else plain[0], joins)


def _fulfil(_: Binding, x: SlotReader) -> Program:
    choice: _Choice = yield from _choice(x)
    if choice.joins:
        joining = yield Call("upgrade_membership_request", {"vip_duration": Fixed("duration", DURATION)})
        yield User("authorize_checkout", {"transaction_id": joining["transaction_id"]})
    yield from add(choice.item)
    yield from check_out()


def _cannot_afford(_: Binding, x: SlotReader) -> Program:
    choice: _Choice = yield from _choice(x)
    total = choice.item["total"]
    yield from refuse_top_up((yield Derive(_WITH_MEMBERSHIP, {"total": total})) if choice.joins else total)


steps = by_form({"fulfil": _fulfil, "cannot_afford": _cannot_afford})
