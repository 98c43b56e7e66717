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
_DETAILS = {"tag", "allergen"}
"""Rules that only the details of a product show."""


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request."""
    names = binding.values().keys()
    cart = yield Call("get_cart")
    lines = cart["items"]
    if _DETAILS & names:
        lines = yield Each(lines, "inspect_item", {"product_id": "product_id"})
    tests = rules(names, _COLUMNS, scaled(col("unit_price"), 100))
    doomed = yield Filter(lines, where=both(*tests), args={name: x(name) for name in names})
    number = yield Sum(doomed, "count")
    if (yield Decide(gt(slot("count"), const(0)), {"count": number})):
        yield Each(doomed, "remove_from_cart", {"cart_item_id": "cart_item_id"})
    else:
        held = yield Pluck(cart["items"], "name")
        yield Tell({"reason": Fixed("reason", "none_satisfies"), "held": held})
