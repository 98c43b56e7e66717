"""How a perfect assistant answers a question about vouchers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, eq, scaled, slot
from generators.tasks.intents.voucher_question.goal import fits_order, saves_enough
from generators.tasks.program import Call, Filter, Fixed, Map, Sum, Tell
from generators.tasks.shop.program import is_empty
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program

_COLUMNS = {"brand": "brand", "least": "least", "percent": "percent_off"}
_LEAST = column("least", scaled(col("min_amount"), 100))
_OPEN = g.Any(of=[eq(col("vip_required"), const(False)), eq(slot("vip"), const(True))])


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound question."""
    names = binding.values().keys()
    wallet = yield Call("get_wallet")
    vouchers = wallet["vouchers"]
    if "spend" in names:
        vouchers = yield Map(vouchers, (_LEAST,))
    tests = both(eq(col("status"), const("unused")), _OPEN, *fits_order(names, _COLUMNS))
    args = {"vip": wallet["vip"], **{name: x(name) for name in ("brand", "spend") if name in names}}
    most_off = (g.Order(key=col("percent_off"), descending=True),)
    known = yield Filter(vouchers, where=tests, order=most_off, args=args)
    by_expiry = (g.Order(key=col("expiry_date"), descending=binding.variant == "count"),)
    wanted = {name: x(name) for name in ("percent",) if name in names}
    usable = yield Filter(known, where=both(*saves_enough(names, _COLUMNS)), order=by_expiry, args=wanted)
    if (yield from is_empty(usable)):
        if (yield from is_empty(known)):
            yield Tell({"reason": Fixed("reason", "none_satisfies")})
            return
        best = {"best_percent": known[0]["percent_off"], "best_expiry": known[0]["expiry_date"]}
        yield Tell({"reason": Fixed("reason", "none_satisfies"), **best})
    elif binding.variant == "count":
        yield Tell({"usable": (yield Sum(usable, "count")), "last_day": usable[0]["expiry_date"]})
    else:
        yield Tell({"expiry": usable[0]["expiry_date"], "percent": usable[0]["percent_off"]})
