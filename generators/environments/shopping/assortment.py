"""What one user's store carries: a part of the world's products, with stock and delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments import odds
from services.shopping.invariants import ASSORTMENT_SIZE, CATEGORY_LEAST
from services.shopping.records import StockItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from services.runtime.streams import Stream
    from services.shopping.invariants import ASSORTMENT_SIZE, CATEGORY_LEAST
from services.shopping.records import Product


def draw_assortment(stream: Stream, products: Sequence[Product]) -> list[StockItem]:
    """Return the products of one store: several of each category it has, for a choice, and none of some brands.

    Raise ValueError when the world holds too few products for it.
    """
    brands = sorted({product.brand for product in products})
    left_out = set(stream.sample(brands, min(odds.BRANDS_LEFT_OUT, len(brands) - 1)))
    by_category: dict[str, list[Product]] = {}
    for product in products:
        if product.brand not in left_out:
            by_category.setdefault(product.category, []).append(product)
    shares = _draw_shares(stream, {name: len(group) for name, group in sorted(by_category.items())})
    chosen = [product for name, share in shares.items() for product in stream.sample(by_category[name], share)]
    return [_stock(stream, product) for product in chosen]


def _draw_shares(stream: Stream, available: dict[str, int]) -> dict[str, int]:
    """Return how many products of which categories the store carries."""
    size = stream.between(*ASSORTMENT_SIZE)
    names = [name for name, count in available.items() if count >= odds.CATEGORY_MOST]
    fewest, most = odds.CATEGORY_MEAN
    least = -(-size // most)
    if len(names) < least:
        rest = f"of {odds.CATEGORY_MOST} products, the world has {len(names)}"
        msg = f"a store of {size} products needs {least} categories {rest}"
        raise ValueError(msg)
    chosen = stream.sample(names, stream.between(least, max(least, min(len(names), size // fewest))))
    shares = dict.fromkeys(chosen, CATEGORY_LEAST)
    for _ in range(size - CATEGORY_LEAST * len(chosen)):
        name = stream.choice([name for name in chosen if shares[name] < odds.CATEGORY_MOST])
        shares[name] += 1
    return shares


def _stock(stream: Stream, product: Product) -> StockItem:
    low = stream.chance(odds.STOCK_LOW, 100)
    units = stream.between(*(odds.STOCK_LOW_UNITS if low else odds.STOCK_UNITS))
    return StockItem(id=product.id, stock=units, delivery=stream.weighted(odds.DELIVERIES))
