"""Lines that lie in the cart when a task starts."""

from __future__ import annotations

import datetime as dt
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from schemas.task import Patch
from services.runtime.records import to_data
from services.shopping.records import SIZES, CartItem, StockItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Scene
    from services.runtime.streams import Stream
    from services.shopping.records import Size


def cart_line(scene: Scene, token: int, ordinal: int, what: tuple[str, Size, int], minutes: int) -> CartItem:
    """Return a line (product id, size, packs) put into the cart some minutes ago; `token` and `ordinal` make its id."""
    key = blake2b(f"{scene.seed}/{token}/{ordinal}".encode(), digest_size=5).hexdigest()
    product_id, size, quantity = what
    added_at = (dt.datetime.fromisoformat(scene.now) - dt.timedelta(minutes=minutes)).isoformat()
    return CartItem(id=f"cart_{key}", product_id=product_id, size=size, quantity=quantity, added_at=added_at)


def fill_cart(scene: Scene, stream: Stream) -> list[CartItem]:
    """Return the stray lines that are there and new ones for other products, three to seven in all."""
    stray = [cast("CartItem", item) for item in scene.records("cart").values()]
    carried = [cast("StockItem", item) for item in scene.records("assortment").values()]
    held = {item.product_id for item in stray}
    free = [item for item in carried if item.id not in held and item.stock >= 10]
    wanted = max(0, stream.between(3, 7) - len(stray))
    token = stream.word()
    added: list[CartItem] = []
    for ordinal, item in enumerate(stream.sample(free, wanted)):
        minutes = 3 + 7 * ordinal + stream.below(7)
        size: Size = stream.choice(tuple(SIZES))  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
        added.append(cart_line(scene, token, ordinal, (item.id, size, stream.between(1, 2)), minutes))
    return [*stray, *added]


def cart_setup(scene: Scene, items: Sequence[CartItem]) -> tuple[Patch, ...]:
    """Return the patches that put those of the lines into the cart that are not there."""
    known = scene.records("cart")
    return tuple(Patch(table="cart", id=item.id, record=to_data(item)) for item in items if item.id not in known)
