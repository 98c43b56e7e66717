"""Bind a list of products to a store: all are there, or exactly one of them runs short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.bind import REFUSED, Shop, product_slot, quantity_slot, start

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Cell, Scene
    from schemas.task import Patch, Slot
    from services.runtime.streams import Stream
    from services.shopping.records import StockItem

TRIES = 30
SIZES = (("two", 2), ("three", 3))
"""Variant -> products of the list."""
MOST_UNITS = 12


def _low(shop: Shop, chosen: Sequence[StockItem], units: int) -> list[StockItem]:
    """Return the other products of which the store has less than `units`."""
    return [item for item in shop.items if item.stock < units and item not in chosen]


def _slots(shop: Shop, items: Sequence[StockItem], units: Sequence[int], lefts: Sequence[int]) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    for number, (item, count, left) in enumerate(zip(items, units, lefts, strict=True), 1):
        # Products that run short come first: they change every result.
        others = [*_low(shop, items, count), *(other for other in shop.items if other not in items)]
        slots.append(quantity_slot(count, (left, left + 1, count + 1), name=f"quantity_{number}"))
        slots.append(product_slot(shop, item, others, name=f"product_{number}"))
    return tuple(slots)


def _try(cell: Cell, scene: Scene, shop: Shop, variant: str, size: int, stream: Stream) -> Binding | None:
    items = stream.sample(shop.items, size)
    units = stream.sample(range(2, MOST_UNITS + 1), size)
    if any(item.stock < count for item, count in zip(items, units, strict=True)):
        return None
    offers = [shop.offer(item, count) for item, count in zip(items, units, strict=True)]
    lefts = [item.stock for item in items]
    setup: list[Patch] = []
    if cell.form == "out_of_stock":
        # Whoever skips a name or a quantity must come to another answer, which takes other products that run short.
        if not all(_low(shop, items, count) for count in units):
            return None
        short = stream.below(size)
        # What is left is no number that was said: nobody could guess it.
        free = [left for left in range(1, units[short]) if left not in units]
        if not free:
            return None
        lefts[short] = stream.choice(free)
        setup.append(scene.patch("assortment", items[short].id, stock=lefts[short]))
    elif not any(offer.misleads for offer in offers):
        return None
    setup += start(scene, cell, sum(offer.total for offer in offers), stream)
    return Binding(
        cell=cell,
        slots=_slots(shop, items, units, lefts),
        setup=tuple(setup),
        variant=variant,
        refused=REFUSED.get(cell.form, ()),
    )


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the store offers none within the tries."""
    shop = Shop(scene)
    variant, size = stream.choice(SIZES)
    for _ in range(TRIES):
        binding = _try(cell, scene, shop, variant, size, stream)
        if binding is not None:
            return binding
    return None
