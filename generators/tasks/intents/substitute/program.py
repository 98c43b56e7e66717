"""How a perfect assistant buys a named product or a substitute: the others are looked at only where it will not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, eq, slot
from generators.tasks.intents.substitute.goal import will_do
from generators.tasks.program import Each, Filter, Fixed, Pages, Tell
from generators.tasks.shop.program import add, check_out, is_empty, quoted, refuse_purchase, refuse_top_up
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

_GOOD = will_do("health_tags", "stock")
_CHEAPEST = (g.Order(key=col("total")),)


def _good(listed: Traced, x: SlotReader) -> Program:
    """Return those of the listed products that will do, priced, the cheapest first."""
    details = yield Each(listed, "inspect_item", {"product_id": "product_id"})
    good = yield Filter(details, where=_GOOD, args={"tag": x("tag"), "quantity": x("quantity")})
    priced = yield from quoted(good, {"quantity": x("quantity")}, slot("quantity"))
    return (yield Filter(priced, order=_CHEAPEST))


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request."""
    form = binding.cell.form
    if form == "consent_refused":
        yield from refuse_purchase()
        return
    listing = yield Pages("browse_items", "items")
    named = yield Filter(listing, where=eq(col("name"), slot("product")), args={"product": x("product")})
    good = yield from _good(named, x)
    if (yield from is_empty(good)):
        args = {"category": named[0]["category"]}
        kin = yield Filter(listing, where=eq(col("category"), slot("category")), args=args)
        good = yield from _good(kin, x)
    if form == "out_of_stock":
        yield from is_empty(good)
        details = yield Each(named, "inspect_item", {"product_id": "product_id"})
        yield Tell({"reason": Fixed("reason", "out_of_stock"), "units_left": details[0]["stock"]})
    elif form == "cannot_afford":
        yield from refuse_top_up(good[0]["total"])
    else:
        yield from add(good[0])
        yield from check_out()
