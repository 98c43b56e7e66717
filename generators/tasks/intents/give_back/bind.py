"""Bind the request to a cart that can be brought to the wished units in one way only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.bind import UNITS, Shop, product_slot, quantity_slot
from generators.tasks.shop.cart import cart_line, cart_setup, fill_cart
from services.shopping.records import SIZES

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Scene
    from services.runtime.streams import Stream
    from services.shopping.records import Size

TRIES = 40
LEAST_STOCK = 40
Lots = list[tuple["Size", int]]
"""Lines of the product in the cart: size and packs."""


def _units(lots: Lots) -> int:
    return sum(SIZES[size] * packs for size, packs in lots)


def _too_much(stream: Stream) -> tuple[int, Lots]:
    """Return the units that stay, and a cart with more.

    What stays is part of the cart as it is, or is a single pack of its size: there is only one way to add that. Of each
    size at most one line has to go, and none that goes makes up for one that stays.
    """
    packs, singles = stream.weighted([(0, 2), (1, 4), (2, 2)]), stream.below(5)
    stays: Lots = [("pack_5", packs), ("single_pack", singles)]
    lots = [lot for lot in stays if lot[1] > 1 or (lot[1] == 1 and stream.chance(1, 2))]
    surplus: Lots = [
        ("single_pack", stream.choice([n for n in range(2, 8) if n != singles])),
        ("pack_5", stream.choice([n for n in (1, 2, 3) if n > packs])),
    ]
    return 5 * packs + singles, lots + stream.sample(surplus, stream.between(1, 2))


def _too_little(stream: Stream) -> tuple[int, Lots]:
    """Return units, and a cart that has fewer; whoever takes packs for units counts still less."""
    lots: Lots = [("pack_5", stream.between(1, 2))]
    if stream.chance(1, 2):
        lots.append(("single_pack", stream.between(2, 3)))
    return _units(lots) + stream.between(1, 3), lots


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when no product of the store fits within the tries."""
    shop = Shop(scene)
    items = fill_cart(scene, stream.child("others"))
    held = {item.product_id for item in items}
    # A pack of five must be the cheaper way to five units, so that the packing is decided.
    free = [i for i in shop.items if i.id not in held and i.stock >= LEAST_STOCK and shop.offer(i, 5).packs]
    draw = _too_much if cell.form == "fulfil" else _too_little
    for _ in range(TRIES if free else 0):
        item, (stay, lots) = stream.choice(free), draw(stream)
        in_all = sum(SIZES[other.size] * other.quantity for other in items) + _units(lots)
        if stay not in dict(UNITS) or (cell.form == "fulfil") != (stay < _units(lots)) or in_all < stay:
            continue
        token = stream.word()
        lines = [cart_line(scene, token, number, (item.id, *lot), 1 + number) for number, lot in enumerate(lots)]
        others = [other for other in shop.items if other.id in held]
        slots = (
            quantity_slot(stay, (_units(lots), stay - 1, stay + 1, stay + 5)),
            product_slot(shop, item, [*others, *free]),
        )
        return Binding(cell=cell, slots=slots, setup=cart_setup(scene, [*items, *lines]))
    return None
