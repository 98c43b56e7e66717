"""How a perfect assistant puts back some units: lines that cannot stay go, and what is missing is added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, const, eq, gt, lt, slot
from generators.tasks.intents.give_back.goal import SIZES, stays
from generators.tasks.program import Args, Call, Decide, Each, Filter, Fixed, Group, Sum, Tell
from generators.tasks.shop.program import is_empty, quoted
from schemas import goal as g
from services.shopping.expressions import units_of

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program

_STAYS = stays("size", "quantity", {number: slot(number) for _, number in SIZES})
_UNITS = units_of(col("size"), col("quantity"))


def steps(_binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request."""
    cart = yield Call("get_cart")
    held = yield Filter(cart["items"], where=eq(col("name"), slot("product")), args={"product": x("product")})
    units = yield Sum(held, "sum", _UNITS)
    if (yield Decide(lt(slot("units"), slot("quantity")), {"units": units, "quantity": x("quantity")})):
        yield Tell({"reason": Fixed("reason", "none_satisfies"), "units_held": units})
        return
    product = yield Group(held, ("product_id",), ())
    details = yield Each(product, "inspect_item", {"product_id": "product_id"})
    priced = yield from quoted(details, {"quantity": x("quantity")}, slot("quantity"))
    wanted = {number: priced[0][number] for _, number in SIZES}
    doomed = yield Filter(held, where=g.Not(of=_STAYS), args=wanted)
    if not (yield from is_empty(doomed)):
        yield Each(doomed, "remove_from_cart", {"cart_item_id": "cart_item_id"})
    for size, number in SIZES:
        kept = yield Filter(held, where=both(eq(col("size"), const(size)), _STAYS), args=wanted)
        if (yield Decide(gt(slot("packs"), const(0)), {"packs": wanted[number]})) and (yield from is_empty(kept)):
            line: Args = {
                "product_id": priced[0]["product_id"],
                "size": Fixed("size", size),
                "quantity": wanted[number],
            }
            yield Call("add_to_cart", line)
