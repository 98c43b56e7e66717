"""Bind a product whose list price misleads, in a quantity that the store has, or has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.bind import UNITS, Shop, product_slot, quantity_slot
from schemas.task import Slot

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.bind import Offer
    from services.runtime.streams import Stream

TRIES = 40
LEAST_LEFT = 2
"""With fewer left than these, nobody would ask for the number."""
STEPS = (1000, 500, 100, 50)
"""What limits are multiples of, the roundest first."""


def _limit(offer: Offer, stream: Stream) -> int:
    """Return a limit near the total, as round as can be; where possible the list price lies on the other side of it."""
    low, high = sorted((offer.total, offer.list_total))
    for step in STEPS:
        between = range(-(-(low + 1) // step) * step, high, step)
        if between and stream.child("between").chance(2, 3):
            return stream.choice(between)
    step = next((step for step in STEPS if 2 * step <= offer.total), STEPS[-1])
    near = offer.total * stream.between(80, 120) // 100 // step * step
    return near if near not in (0, offer.total) else near + step


def _slots(shop: Shop, offer: Offer, quantity: int, left: int | None, limit: int | None) -> tuple[Slot, ...]:
    counts = [*([] if left is None else [left]), quantity - 1, quantity + 1, quantity + 5]
    slots = [product_slot(shop, offer.item, shop.items), quantity_slot(quantity, counts)]
    if limit is not None:
        far = [limit + 50, limit * 2, limit * 10]
        slots.append(Slot(name="limit", kind="money_cents", value=limit, constraint=False, alternatives=[*far]))
    return tuple(slots)


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the store offers none within the tries."""
    shop = Shop(scene)
    for _ in range(TRIES if shop.sought else 0):
        item, quantity = stream.choice(shop.sought), stream.weighted(UNITS)
        offer = shop.offer(item, quantity)
        cheapest = min(shop.offer(other, quantity).total for other in shop.items)
        if not offer.misleads or offer.total == cheapest or (cell.form == "fulfil" and item.stock < quantity):
            continue
        if cell.form != "fulfil" and quantity <= LEAST_LEFT:
            continue
        if cell.form == "fulfil":
            limit = _limit(offer, stream) if stream.chance(1, 2) else None
            variant = "total" if limit is None else "limit"
            return Binding(cell=cell, slots=_slots(shop, offer, quantity, None, limit), variant=variant)
        left = stream.between(LEAST_LEFT, quantity - 1)
        setup = (scene.patch("assortment", item.id, stock=left),)
        return Binding(cell=cell, slots=_slots(shop, offer, quantity, left, None), setup=setup, variant="total")
    return None
