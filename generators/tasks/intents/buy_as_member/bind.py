"""Bind an order that is large enough for a membership to pay off, or, in the same words, just not."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.tasks.intent import Binding
from generators.tasks.intents.buy_as_member.goal import DURATION
from generators.tasks.shop.bind import REFUSED, Shop, product_slot, quantity_slot, start
from services.payments.checkout import MEMBERSHIP_PRICE_CENTS
from services.shopping.orders import ORDER_KIND

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Scene
    from schemas.task import Patch
    from services.payments.records import Transaction
    from services.runtime.streams import Stream
    from services.shopping.records import StockItem

PRICE = MEMBERSHIP_PRICE_CENTS[DURATION]
MARGIN_CENTS = 100
"""By how much the saving misses the price of the membership at least."""
LEAST_UNITS = 6
MOST_UNITS = 90


def _saving(shop: Shop, item: StockItem, units: int) -> int:
    return shop.offer(item, units).total - shop.offer(item, units, member=True).total


def _quantities(shop: Shop, item: StockItem, *, joins: bool) -> list[int]:
    """Return the quantities for which the membership pays off, or saves something, but not enough."""
    most = min(item.stock, MOST_UNITS)
    savings = {units: _saving(shop, item, units) for units in range(LEAST_UNITS, most + 1)}
    if joins:
        return [units for units, saved in savings.items() if saved >= PRICE + MARGIN_CENTS]
    return [units for units, saved in savings.items() if PRICE // 3 <= saved <= PRICE - MARGIN_CENTS]


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the user is a member or no product has enough of a members' price."""
    shop = Shop(scene)
    if shop.member:
        return None
    special = [item for item in shop.items if shop.products[item.id].discount_members_only]
    joins = stream.chance(1, 2)
    for item in stream.shuffled(special):
        # The smallest that do, so that the right end is not obvious from the size of the order.
        quantities = _quantities(shop, item, joins=joins)
        close = quantities[: len(quantities) // 2 + 1] if joins else quantities[len(quantities) // 3 :]
        if close:
            return _binding(cell, scene, shop, item, stream.choice(close), joins, stream)
    return None


def _unpaid(scene: Scene) -> list[Patch]:
    """Return the patches that cancel orders that wait to be paid: joining would change their price as well."""
    transactions = cast("dict[str, Transaction]", scene.records("transactions"))
    waiting = [key for key, one in transactions.items() if one.status == "pending" and one.kind == ORDER_KIND.name]
    return [scene.patch("transactions", key, status="cancelled") for key in waiting]


def _binding(cell: Cell, scene: Scene, shop: Shop, item: StockItem, units: int, joins: bool, stream: Stream) -> Binding:
    paid = shop.offer(item, units, member=joins).total + (PRICE if joins else 0)
    others = stream.sample(shop.items, min(len(shop.items), 12))
    return Binding(
        cell=cell,
        slots=(product_slot(shop, item, others), quantity_slot(units, (units + 5, units - 5, 2 * units))),
        setup=(*(_unpaid(scene) if joins else ()), *start(scene, cell, paid, stream)),
        variant="joins" if joins else "stays",
        refused=REFUSED.get(cell.form, ()),
    )
