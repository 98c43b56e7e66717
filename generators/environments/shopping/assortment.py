"""What one user's store carries: a part of the world's products, with stock and delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments import odds
from services.shopping.invariants import ASSORTMENT_SIZE, CATEGORY_LEAST
from services.shopping.records import StockItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from services.runtime.streams import Stream
    from services.shopping.records import Product

_FEWEST, _MOST = ASSORTMENT_SIZE


def draw_assortment(stream: Stream, products: Sequence[Product]) -> list[StockItem]:
    """Return the products of one store: several of each category it has, for a choice, and none of some brands.

    A small world has fewer brands left out, larger shares of a category, and smaller stores. Raise ValueError when it
    holds too few products for any.
    """
    by_category = _without(products, _draw_left_out(stream, products))
    shares = _draw_shares(stream, {name: len(group) for name, group in sorted(by_category.items())})
    chosen = [product for name, share in shares.items() for product in stream.sample(by_category[name], share)]
    return [_stock(stream, product) for product in chosen]


def _draw_left_out(stream: Stream, products: Sequence[Product]) -> set[str]:
    """Return the brands of which the store carries nothing, none of them where too little would remain."""
    brands = sorted({product.brand for product in products})
    left_out: set[str] = set()
    for brand in stream.sample(brands, min(odds.BRANDS_LEFT_OUT, len(brands) - 1)):
        rest = _without(products, {*left_out, brand})
        if sum(_rooms({name: len(group) for name, group in rest.items()}, odds.CATEGORY_MOST).values()) >= _FEWEST:
            left_out.add(brand)
    return left_out


def _without(products: Sequence[Product], brands: set[str]) -> dict[str, list[Product]]:
    by_category: dict[str, list[Product]] = {}
    for product in products:
        if product.brand not in brands:
            by_category.setdefault(product.category, []).append(product)
    return by_category


def _rooms(available: Mapping[str, int], most: int) -> dict[str, int]:
    """Return how many products a store may carry of each category that offers a choice."""
    return {name: min(count, most) for name, count in available.items() if count >= CATEGORY_LEAST}


def _draw_shares(stream: Stream, available: Mapping[str, int]) -> dict[str, int]:
    """Return how many products of which categories the store carries."""
    rooms = _enough_rooms(available)
    size = stream.between(_FEWEST, min(_MOST, sum(rooms.values())))
    low, high = odds.CATEGORY_MEAN
    least = min(len(rooms), -(-size // high))
    wanted = stream.between(least, max(least, min(len(rooms), size // low)))
    shares: dict[str, int] = {}
    for name in stream.sample(list(rooms), len(rooms)):
        if len(shares) >= wanted and sum(rooms[chosen] for chosen in shares) >= size:
            break
        shares[name] = CATEGORY_LEAST
    for _ in range(size - sum(shares.values())):
        name = stream.choice([name for name in shares if shares[name] < rooms[name]])
        shares[name] += 1
    return shares


def _enough_rooms(available: Mapping[str, int]) -> dict[str, int]:
    """Return rooms that hold the smallest store: no more of a category than usual, unless the world is small."""
    most = odds.CATEGORY_MOST
    while True:
        rooms = _rooms(available, most)
        if sum(rooms.values()) >= _FEWEST:
            return rooms
        if most >= max(available.values(), default=0):
            found = ", ".join(f"{count} {name}" for name, count in available.items())
            msg = f"a store needs {_FEWEST} products in categories of {CATEGORY_LEAST} or more; there are {found}"
            raise ValueError(msg)
        most += 1


def _stock(stream: Stream, product: Product) -> StockItem:
    low = stream.chance(odds.STOCK_LOW, 100)
    units = stream.between(*(odds.STOCK_LOW_UNITS if low else odds.STOCK_UNITS))
    return StockItem(id=product.id, stock=units, delivery=stream.weighted(odds.DELIVERIES))
