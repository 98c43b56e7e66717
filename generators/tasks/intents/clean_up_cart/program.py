"""How a perfect assistant cleans up the cart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, const, gt, scaled, slot
from generators.tasks.intents.clean_up_cart.goal import rules
from generators.tasks.program import Call, Decide, Each, Filter, Fixed, Pluck, Sum, Tell

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program

_COLUMNS = {"brand": "brand", "category": "category", "tags": "health_tags", "allergens": "allergens"}
_HIDDEN = ("tag", "allergen")
"""Parts of a rule that only the details of a product show."""
_PAID = scaled(col("unit_price"), 100)


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request: the cart itself narrows first, so that little has to be looked up."""
    shown = [name for name in binding.values() if name not in _HIDDEN]
    hidden = [name for name in binding.values() if name in _HIDDEN]
    cart = yield Call("get_cart")
    doomed = cart["items"]
    if shown:
        doomed = yield Filter(doomed, where=both(*rules(shown, _COLUMNS, _PAID)), args={n: x(n) for n in shown})
    if hidden:
        details = yield Each(doomed, "inspect_item", {"product_id": "product_id"})
        doomed = yield Filter(details, where=both(*rules(hidden, _COLUMNS, _PAID)), args={n: x(n) for n in hidden})
    number = yield Sum(doomed, "count")
    if (yield Decide(gt(slot("count"), const(0)), {"count": number})):
        yield Each(doomed, "remove_from_cart", {"cart_item_id": "cart_item_id"})
    else:
        held = yield Pluck(cart["items"], "name")
        yield Tell({"reason": Fixed("reason", "none_satisfies"), "held": held})
