"""How a perfect assistant finds the best voucher and orders with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, const, eq, ge, scaled, slot, sub
from generators.tasks.intents.use_voucher.goal import nearest_first
from generators.tasks.program import Call, Derive, Filter, Fixed, Map, Tell
from generators.tasks.shop.program import (
    MEMBER,
    add,
    by_form,
    check_out,
    inspected,
    is_empty,
    quoted,
    refuse_top_up,
)
from schemas import goal as g
from services.shopping.expressions import voucher_columns, voucher_holds

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

_LEAST = scaled(col("min_amount"), 100)
_MISSING, _TOO_LITTLE = nearest_first(_LEAST)
_COLUMNS = (*voucher_columns(slot("total"), slot("brand"), col("brand"), col("percent_off")), _MISSING)
_VALID = (
    eq(col("status"), const("unused")),
    *voucher_holds(col("expiry_date"), col("vip_required"), slot("member")),
)
_MOST_FIRST = (g.Order(key=col("saving"), descending=True),)
_NEAREST_FIRST = (g.Order(key=col("missing")),)


def _item(x: SlotReader) -> Program:
    details = yield from inspected(eq(col("name"), slot("product")), {"product": x("product")})
    priced = yield from quoted(details, {"quantity": x("quantity")})
    return priced[0]


def _vouchers(item: Traced) -> Program:
    """Return the valid vouchers with what each is good for, and whether the user is a member."""
    wallet = yield Call("get_wallet")
    held = yield Map(wallet["vouchers"], _COLUMNS, {"total": item["total"], "brand": item["brand"]})
    member = yield Derive(MEMBER, {"vip": wallet["vip"]})
    return (yield Filter(held, where=both(*_VALID), args={"member": member}))


def _usable(vouchers: Traced) -> Program:
    return (yield Filter(vouchers, where=ge(col("eligible"), _LEAST), order=_MOST_FIRST))


def _fulfil(_: Binding, x: SlotReader) -> Program:
    item = yield from _item(x)
    usable = yield from _usable((yield from _vouchers(item)))
    yield from add(item)
    yield from check_out(usable[0]["voucher_id"])


def _none_satisfies(_: Binding, x: SlotReader) -> Program:
    item = yield from _item(x)
    vouchers = yield from _vouchers(item)
    yield from is_empty((yield from _usable(vouchers)))
    nearest = yield Filter(vouchers, where=both(*_TOO_LITTLE), order=_NEAREST_FIRST)
    yield Tell({"reason": Fixed("reason", "none_satisfies"), "missing": nearest[0]["missing"]})


def _cannot_afford(_: Binding, x: SlotReader) -> Program:
    item = yield from _item(x)
    usable = yield from _usable((yield from _vouchers(item)))
    cost = {"total": item["total"], "saving": usable[0]["saving"]}
    yield from refuse_top_up((yield Derive(sub(slot("total"), slot("saving")), cost)))


steps = by_form({"fulfil": _fulfil, "none_satisfies": _none_satisfies, "cannot_afford": _cannot_afford})
