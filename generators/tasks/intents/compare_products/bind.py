"""Bind products of one category that differ: one is best, and others of the store would be better still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.intents.compare_products.goal import MEASURES, PRODUCTS
from generators.tasks.shop.bind import REFERS, UNITS, Shop, quantity_slot
from schemas.task import Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Cell, Scene
    from services.runtime.streams import Stream
    from services.shopping.records import Product, StockItem

TRIES = 40


@dataclass(frozen=True, slots=True)
class Question:
    """By what products are compared: `objective`, or the cost of `quantity` units."""

    objective: str
    quantity: int

    def merit(self, shop: Shop, item: StockItem) -> int:
        """Return what is least for the best product."""
        if not self.objective:
            return shop.offer(item, self.quantity).total
        product = shop.products[item.id]
        key, more = MEASURES[self.objective]
        value = {
            "sugar": product.sugar_dg,
            "fat": product.fat_dg,
            "calories": product.calories_dkcal,
            "protein": product.protein_dg,
            "fiber": product.fiber_dg,
        }[key]
        return -value if more else value

    def slot(self) -> Slot:
        """Return the slot that states it."""
        if self.objective:
            others = [other for other in MEASURES if other != self.objective]
            return Slot(name="objective", kind="term", value=self.objective, constraint=False, alternatives=[*others])
        return quantity_slot(self.quantity, [self.quantity + step for step in (-1, 1, 5)])


def _draw(shop: Shop, stream: Stream, carried: int) -> list[StockItem]:
    """Return products of one category that the store carries, as many as wanted; none when it has too few."""
    category = shop.products[stream.choice(shop.items).id].category
    same = [item for item in shop.items if shop.products[item.id].category == category]
    return stream.sample(same, carried) if len(same) >= carried else []


def _missing(shop: Shop, category: str, stream: Stream) -> Product | None:
    """Return a product of the category that the store does not carry."""
    carried = {item.id for item in shop.items}
    others = [p for p in shop.products.values() if p.category == category and p.id not in carried]
    return stream.choice(sorted(others, key=lambda p: p.id)) if others else None


def _good(shop: Shop, question: Question, items: Sequence[StockItem]) -> bool:
    """Return whether one is strictly best, but not of the whole store, and a careless reading of prices goes wrong."""
    merits = sorted(question.merit(shop, item) for item in items)
    if len(merits) > 1 and merits[0] == merits[1]:
        return False
    if question.objective:
        # What holds none of it is no answer that anyone would have to look for.
        if merits[0] == 0:
            return False
    else:
        best = min(items, key=lambda item: question.merit(shop, item))
        if any(item.stock < question.quantity for item in items) or not shop.offer(best, question.quantity).misleads:
            return False
    return any(question.merit(shop, item) < merits[0] for item in shop.items)


def _slots(shop: Shop, question: Question, products: Sequence[Product]) -> tuple[Slot, ...]:
    """Return the slots: names, each with better products of the store as its alternatives, and what is compared."""
    best_first = sorted(shop.items, key=lambda item: (question.merit(shop, item), item.id))
    named = {product.name for product in products}
    others = [name for item in best_first if (name := shop.products[item.id].name) not in named]
    return (
        *(
            Slot(name=slot, kind="name", value=product.name, refers_to=REFERS["product"], alternatives=[*others[:8]])
            for slot, product in zip(PRODUCTS, products, strict=False)
        ),
        question.slot(),
    )


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the store offers none within the tries."""
    shop = Shop(scene)
    for _ in range(TRIES):
        cost = stream.chance(1, 2)
        question = Question("" if cost else stream.choice(tuple(MEASURES)), stream.weighted(UNITS))
        named = 3 if stream.chance(1, 3) else 2
        items = _draw(shop, stream, named if cell.form == "fulfil" else named - 1)
        if not items or not _good(shop, question, items):
            continue
        products = [shop.products[item.id] for item in items]
        if cell.form != "fulfil":
            missing = _missing(shop, products[0].category, stream)
            if missing is None:
                continue
            products = stream.shuffled([*products, missing])
        return Binding(cell=cell, slots=_slots(shop, question, products), variant="cost" if cost else "nutrition")
    return None
