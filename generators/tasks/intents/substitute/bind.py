"""Bind a product, a tag and a number of units: the product will do, or another of its kind, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.bind import REFERS, REFUSED, Shop, product_slot, quantity_slot, start
from generators.tasks.shop.tastes import draw_sought, preferred, told_by_name
from schemas.task import Slot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.bind import Offer
    from schemas.task import Patch
    from services.runtime.streams import Stream
    from services.shopping.records import StockItem

TRIES = 60
MAX_KIN = 8
"""Most products of a category that are looked at one by one."""
UNITS = (2, 12)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user could ask for, with the stocks at the start."""

    item: StockItem
    units: int
    tag: str | None
    stock: Mapping[str, int]


class Shelves(Shop):
    """The store, by category."""

    def kin(self, item: StockItem) -> list[StockItem]:
        """Return all products of the category of one, itself included."""
        category = self.products[item.id].category
        return [other for other in self.items if self.products[other.id].category == category]

    def tagged(self, wish: Wish) -> list[StockItem]:
        """Return those of its kind that have the tag, all of them when there is none."""
        return [o for o in self.kin(wish.item) if wish.tag is None or wish.tag in self.products[o.id].health_tags]

    def choices(self, wish: Wish) -> list[Offer]:
        """Return what will do, best first: the named product, then the others by what they cost."""
        there = [other for other in self.tagged(wish) if wish.stock[other.id] >= wish.units]
        offers = [self.offer(other, wish.units) for other in there]
        return sorted(offers, key=lambda offer: (offer.item.id != wish.item.id, offer.total))


def _draw(shop: Shelves, form: str, variant: str, stream: Stream) -> Wish | None:
    """Draw a wish around a product of the store, with its stock, or that of all that have the tag, lowered."""
    item = stream.choice(shop.items)
    own = shop.products[item.id].health_tags
    kin = shop.kin(item)
    units = stream.between(*UNITS)
    stock = {other.id: other.stock for other in kin}
    untagged = variant == "substitute" and form != "out_of_stock" and stream.chance(1, 3)
    known = sorted({tag for other in kin for tag in shop.products[other.id].health_tags})
    named = shop.products[item.id].name
    usable = [tag for tag in known if (tag in own) != untagged and not told_by_name(tag, named)]
    tag = draw_sought(usable, shop.products[item.id].category, stream=stream)
    if tag is None or len(kin) > MAX_KIN:
        return None
    wish = Wish(item, units, tag, stock)
    if form == "out_of_stock":
        low = [other.id for other in shop.tagged(wish)]
    else:
        low = [] if variant == "original" or untagged else [item.id]
    for key in low:
        stock[key] = min(stock[key], stream.between(1, units - 1)) or stream.between(1, units - 1)
    return wish


def _first(choices: list[Offer]) -> str:
    return choices[0].item.id if choices else ""


def _all_matter(shop: Shelves, wish: Wish, variant: str) -> bool:
    """Return whether the tag decides where something else is taken, and the best of the others wins by a gap."""
    choices = shop.choices(wish)
    if variant == "original":
        return _first(choices) == wish.item.id and choices[0].misleads
    without = shop.choices(Wish(wish.item, wish.units, None, wish.stock))
    if not choices:
        return bool(without)
    tied = len(choices) > 1 and choices[1].total == choices[0].total
    dearer = [offer.total for offer in without if offer.item.id == choices[0].item.id]
    decided = without[0].item.id == wish.item.id or without[0].total < dearer[0]
    careless = wish.stock[wish.item.id] < wish.units or choices[0].misleads
    return _first(choices) != wish.item.id and not tied and decided and careless


def _slots(shop: Shelves, wish: Wish, variant: str) -> tuple[Slot, ...]:
    named = shop.products[wish.item.id]
    kin = {other.id for other in shop.kin(wish.item)}
    others = [other for other in shop.items if other.id not in kin]
    tags = sorted({tag for item in shop.items for tag in shop.products[item.id].health_tags})
    if shop.choices(wish):
        # Where nothing will do, only few other tags lead elsewhere.
        tags = preferred(tags, named.category)
    lacking = [tag for tag in tags if tag not in named.health_tags]
    left = wish.stock[wish.item.id]
    return (
        quantity_slot(wish.units, (left, wish.units - 1, wish.units + 1, wish.units + 5)),
        product_slot(shop, wish.item, others).model_copy(update={"constraint": False}),
        Slot(
            name="tag",
            kind="term",
            value=wish.tag,
            refers_to=REFERS["tag"],
            constraint=variant == "substitute",
            alternatives=[tag for tag in dict.fromkeys([*lacking, *tags]) if tag != wish.tag],
        ),
    )


def _try(cell: Cell, scene: Scene, shop: Shelves, variant: str, stream: Stream) -> Binding | None:
    wish = _draw(shop, cell.form, variant, stream)
    if wish is None or not _all_matter(shop, wish, variant):
        return None
    choices = shop.choices(wish)
    if bool(choices) == (cell.form == "out_of_stock"):
        return None
    lowered = [other.id for other in shop.kin(wish.item) if other.stock != wish.stock[other.id]]
    setup: list[Patch] = [scene.patch("assortment", key, stock=wish.stock[key]) for key in lowered]
    total = choices[0].total if choices else shop.offer(wish.item, wish.units).total
    setup += start(scene, cell, total, stream)
    slots = _slots(shop, wish, variant)
    return Binding(cell=cell, slots=slots, setup=tuple(setup), variant=variant, refused=REFUSED.get(cell.form, ()))


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the store offers none within the tries."""
    shop = Shelves(scene)
    # Where nothing will do, it is a substitute that is missing as well.
    options = (("substitute", 3), ("original", 0 if cell.form == "out_of_stock" else 2))
    variant = stream.weighted(options)
    for _ in range(TRIES):
        binding = _try(cell, scene, shop, variant, stream)
        if binding is not None:
            return binding
    return None
