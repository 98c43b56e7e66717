"""What the user puts into an order or the cart, and what it cost on that day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.environments import odds
from services.shopping.orders import list_price, price_now
from services.shopping.records import SIZES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from schemas.profile_facts import Diet
    from services.runtime.streams import Stream
    from services.shopping.records import Product, Size, StockItem


@dataclass(frozen=True, slots=True)
class Shelf:
    """The products one user buys from."""

    carried: Sequence[Product]
    """What the store carries now."""
    stock: Mapping[str, int]
    """Units left by product id."""
    regulars: Sequence[Product]
    """What the user buys again and again; carried."""
    former: Sequence[Product]
    """What the store no longer carries."""
    brands: Sequence[str]
    """Brands that the store carries, sorted."""
    left_out: Sequence[str]
    """Brands of the world that it does not carry, sorted."""


@dataclass(frozen=True, slots=True)
class Sold:
    """One line at the price of its day."""

    product: Product
    size: Size
    quantity: int
    price_cents: int
    """Price of one pack of this size."""

    @property
    def cents(self) -> int:
        """The line's total."""
        return self.price_cents * self.quantity


def sold_cents(lines: Iterable[Sold]) -> int:
    """Return the sum of the lines."""
    return sum(line.cents for line in lines)


def draw_shelf(
    stream: Stream, products: Mapping[str, Product], assortment: Sequence[StockItem], diets: Sequence[Diet]
) -> Shelf:
    """Return what the user buys from: regulars that suit the user's diets, where the store has any."""
    stock = {item.id: item.stock for item in assortment}
    carried = [products[item.id] for item in assortment]
    elsewhere = [product for key, product in products.items() if key not in stock]
    brands = {product.brand for product in carried}
    return Shelf(
        carried=carried,
        stock=stock,
        regulars=stream.sample([p for p in carried if suits(p, diets)] or carried, stream.between(*odds.REGULARS)),
        former=stream.sample(elsewhere or carried, stream.between(*odds.FORMER_PRODUCTS)),
        brands=sorted(brands),
        left_out=sorted({product.brand for product in elsewhere} - brands),
    )


def suits(product: Product, diets: Sequence[Diet]) -> bool:
    """Return whether the label of a product speaks against none of the diets."""
    rules = [odds.DIETS[diet] for diet in diets if diet in odds.DIETS]
    return all(
        set(rule.allergens).isdisjoint(product.allergens)
        and set(rule.health_tags).isdisjoint(product.health_tags)
        and set(rule.attributes).issubset(product.attributes)
        for rule in rules
    )


def draw_lines(stream: Stream, shelf: Shelf, *, member: bool, then: bool, count: int = 0) -> list[Sold]:
    """Return lines of different products: with `then` at prices of a past day, else at those of now and within stock.

    `count` is drawn when it is 0. There are fewer lines, maybe none, where stock does not allow them.
    """
    lines: list[Sold] = []
    for _ in range(count or stream.weighted(odds.LINES)):
        product = _draw_product(stream, shelf, then)
        size = stream.weighted(odds.SIZES)
        quantity = stream.weighted(odds.QUANTITIES[size])
        if not then:
            quantity = min(quantity, shelf.stock[product.id] // SIZES[size])
        if quantity and all(line.product.id != product.id for line in lines):
            price = price_then(stream, product, size, member=member) if then else price_now(product, size, member)
            lines.append(Sold(product, size, quantity, price))
    return lines


def _draw_product(stream: Stream, shelf: Shelf, then: bool) -> Product:
    point = stream.below(100)
    if then and point < odds.FORMER:
        return stream.choice(shelf.former)
    return stream.choice(shelf.regulars if point < odds.FORMER + odds.REGULAR else shelf.carried)


def price_then(stream: Stream, product: Product, size: Size, *, member: bool) -> int:
    """Return the price of one pack on a past day, in cents: the one of now, or another list price without discount."""
    if stream.chance(odds.PRICE_THEN_SAME, 100):
        return price_now(product, size, member)
    return max(1, list_price(product, size) * stream.between(*odds.PRICE_THEN_PERMILLE) // 1000)
