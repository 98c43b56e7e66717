"""Bind the request to a store: constraints that all matter, and a best product that wins by a gap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.bind import DELIVERIES, REFERS, REFUSED, Offer, Shop, start
from generators.tasks.shop.goal import OBJECTIVES
from generators.tasks.shop.tastes import draw_sought, go_together, objectives_beside, preferred, sought
from schemas.task import Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from services.runtime.streams import Stream
    from services.shopping.records import StockItem

TRIES = 120
MAX_INSPECTED = 8


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user could ask for; None leaves a constraint out."""

    quantity: int
    category: str | None
    tag: str | None
    tag_2: str | None
    without: str | None
    delivery: str | None
    max_total: int | None
    objective: str | None


class Shelf(Shop):
    """The store, searched by wishes."""

    def __init__(self, scene: Scene) -> None:
        """Read it."""
        super().__init__(scene)
        self.by_category: dict[str | None, list[StockItem]] = {None: self.items}
        """What is in each category, in order, and under None everything."""
        for item in self.items:
            self.by_category.setdefault(self.products[item.id].category, []).append(item)
        self._found: dict[tuple[object, ...], list[Offer]] = {}

    def offers(self, wish: Wish) -> list[Offer]:
        """Return the products that satisfy everything but stock and limit; nobody changes the list."""
        key = (wish.quantity, wish.category, wish.tag, wish.tag_2, wish.without, wish.delivery)
        found = self._found.get(key)
        if found is None:
            items = [item for item in self.by_category.get(wish.category, ()) if self._fits(item, wish)]
            found = self._found[key] = [self.offer(item, wish.quantity) for item in items]
        return found

    def _fits(self, item: StockItem, wish: Wish) -> bool:
        """Return whether a product of the category satisfies all else but stock and limit."""
        product = self.products[item.id]
        return (
            (wish.tag is None or wish.tag in product.health_tags)
            and (wish.tag_2 is None or wish.tag_2 in product.health_tags)
            and (wish.without is None or wish.without not in product.allergens)
            and wish.delivery in (None, item.delivery)
        )

    def choices(self, wish: Wish) -> list[Offer]:
        """Return what is in stock and within the limit, best first."""
        fitting = [
            offer
            for offer in self.offers(wish)
            if offer.item.stock >= wish.quantity and (wish.max_total is None or offer.total <= wish.max_total)
        ]
        return sorted(fitting, key=lambda offer: merit(offer, wish.objective))


def merit(offer: Offer, objective: str | None) -> int:
    """Return what is minimised."""
    quantity, more = OBJECTIVES[objective or "cheapest"]
    product = offer.product
    value = {
        "total": offer.total,
        "sugar": product.sugar_dg,
        "calories": product.calories_dkcal,
        "protein": product.protein_dg,
        "fiber": product.fiber_dg,
    }[quantity]
    return -value if more else value


def _draw(shop: Shelf, stream: Stream, form: str) -> Wish | None:
    """Draw a wish around a product that the store carries, so that something usually satisfies it."""
    around = shop.products[stream.choice(shop.sought).id]
    same = shop.by_category[around.category]
    first = draw_sought(around.health_tags, around.category, stream=stream)
    if len(same) > MAX_INSPECTED or first is None:
        return None
    others = [tag for tag in sought(around.health_tags, around.category) if go_together(first, tag)]
    tags = [first, stream.choice(others)] if others and stream.chance(1, 4) else [first]
    shared = {allergen for item in same for allergen in shop.products[item.id].allergens} - set(around.allergens)
    decided = form in {"fulfil", "cannot_afford", "consent_refused"}
    return Wish(
        quantity=stream.between(2, 12),
        category=around.category,
        tag=tags[0],
        tag_2=tags[1] if len(tags) > 1 else None,
        without=stream.choice(sorted(shared)) if shared and stream.chance(1, 3) else None,
        delivery=stream.choice(DELIVERIES) if stream.chance(1, 5) else None,
        max_total=None,
        objective=stream.choice(objectives_beside(tags, OBJECTIVES)) if decided else None,
    )


def _gap(values: Sequence[int]) -> bool:
    return len(values) < 2 or values[0] != values[1]


def _without(wish: Wish, name: str) -> Wish:
    return replace(wish, **{name: None})


_CONSTRAINTS = ("category", "tag", "tag_2", "without", "delivery")


def _objectives(wish: Wish) -> list[str]:
    """Return the objectives that somebody with this wish could have."""
    return objectives_beside(filter(None, [wish.tag, wish.tag_2]), OBJECTIVES)


def _all_matter(shop: Shelf, wish: Wish, best: Offer) -> bool:
    """Return whether leaving out any constraint, and some other objective, would lead to another product."""
    given = [name for name in (*_CONSTRAINTS, "max_total") if getattr(wish, name) is not None]
    others = [replace(wish, objective=other) for other in _objectives(wish) if wish.objective not in (None, other)]
    if wish.objective is not None and all(shop.choices(other)[0].product.id == best.product.id for other in others):
        return False
    reached = merit(best, wish.objective)
    return all(merit(shop.choices(_without(wish, name))[0], wish.objective) < reached for name in given)


def _discriminates(shop: Shelf, wish: Wish, best: Offer) -> bool:
    """Return whether a careless reading (list price, single packs, any stock) goes wrong here."""
    within = [o for o in shop.offers(wish) if wish.max_total is None or o.total <= wish.max_total]
    in_stock_only = min(merit(offer, wish.objective) for offer in within) < merit(best, wish.objective)
    return best.misleads or in_stock_only


def _limit(shop: Shelf, wish: Wish, stream: Stream) -> Wish:
    """Add a limit that rules out the product that would be best without it, if there is room for one."""
    ranked = shop.choices(wish)
    if wish.objective == "cheapest" or len(ranked) < 2 or not stream.chance(1, 2):
        return wish
    cheaper = [offer.total for offer in ranked[1:] if offer.total < ranked[0].total]
    if not cheaper:
        return wish
    limit = -(-max(cheaper) // 50) * 50
    return replace(wish, max_total=limit) if limit < ranked[0].total else wish


def _slots(wish: Wish, shop: Shelf, quantities: Sequence[int] = ()) -> tuple[Slot, ...]:
    tags = sorted({tag for item in shop.items for tag in shop.products[item.id].health_tags})
    taken = {wish.tag, wish.tag_2}
    others: dict[str, Sequence[Json]] = {
        "category": sorted({shop.products[item.id].category for item in shop.items}),
        "tag": preferred(tags, *filter(None, [wish.category])),
        "without": sorted({a for item in shop.items for a in shop.products[item.id].allergens}),
        "delivery": list(DELIVERIES),
        "objective": _objectives(wish),
        "quantity": [*quantities, wish.quantity - 1, wish.quantity + 1, wish.quantity + 5],
        "max_total": [] if wish.max_total is None else [wish.max_total // 2, wish.max_total * 2, wish.max_total * 10],
    }
    kinds = {"quantity": "count", "max_total": "money_cents"}
    slots: list[Slot] = []
    for name in ("quantity", "objective", "category", "tag", "tag_2", "without", "delivery", "max_total"):
        value = getattr(wish, name)
        if value is not None:
            choices = others["tag" if name == "tag_2" else name]
            slots.append(
                Slot(
                    name=name,
                    kind=kinds.get(name, "term"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
                    value=value,
                    refers_to=REFERS.get(name),
                    constraint=name not in {"quantity", "objective"},
                    alternatives=[other for other in choices if other != value and other not in taken],
                )
            )
    return tuple(slots)


def _bind_choice(cell: Cell, scene: Scene, shop: Shelf, wish: Wish, stream: Stream) -> Binding | None:
    """Bind a form in which there is a best product."""
    wish = _limit(shop, wish, stream)
    ranked = shop.choices(wish)
    if not ranked or not _gap([merit(offer, wish.objective) for offer in ranked]):
        return None
    best = ranked[0]
    if not _all_matter(shop, wish, best) or not _discriminates(shop, wish, best):
        return None
    setup = start(scene, cell, best.total, stream)
    return Binding(cell=cell, slots=_slots(wish, shop), setup=tuple(setup), refused=REFUSED.get(cell.form, ()))


def _bind_none(cell: Cell, scene: Scene, shop: Shelf, wish: Wish, stream: Stream) -> Binding | None:
    """Bind a limit below the cheapest product that would do."""
    ranked = shop.choices(wish)
    if not ranked or not _gap([offer.total for offer in ranked]) or not _all_matter(shop, wish, ranked[0]):
        return None
    limit = shop.with_any_voucher(ranked[0].total) * stream.between(55, 95) // 5000 * 50
    if limit < 50 or not _discriminates(shop, wish, ranked[0]):
        return None
    setup = start(scene, cell, ranked[0].total, stream)
    return Binding(cell=cell, slots=_slots(replace(wish, max_total=limit), shop), setup=tuple(setup))


def _bind_sold_out(cell: Cell, scene: Scene, shop: Shelf, wish: Wish, stream: Stream) -> Binding | None:
    """Bind a quantity that no matching product has left, lowering stocks where needed."""
    matching = shop.offers(wish)
    if not 1 <= len(matching) < wish.quantity:
        return None
    lefts = stream.sample(range(wish.quantity), len(matching))
    # With none left at all, no quantity would do, and the one asked for would not matter; nor may a mix have enough.
    most = max(lefts)
    if most == 0 or sum(lefts) >= wish.quantity or not _widening_helps(shop, wish):
        return None
    setup = [scene.patch("assortment", offer.item.id, stock=left) for offer, left in zip(matching, lefts, strict=True)]
    total = min(offer.total for offer in matching)
    slots = _slots(wish, shop, quantities=[most])
    return Binding(cell=cell, slots=slots, setup=(*setup, *start(scene, cell, total, stream)))


def _widening_helps(shop: Shelf, wish: Wish) -> bool:
    """Return whether, with each constraint left out, some product outside the matching ones would be in stock."""
    matching = {offer.item.id for offer in shop.offers(wish)}
    given = [name for name in _CONSTRAINTS if getattr(wish, name) is not None]
    return all(any(o.item.id not in matching for o in shop.choices(_without(wish, name))) for name in given)


_FORMS = {"none_satisfies": _bind_none, "out_of_stock": _bind_sold_out}


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the store offers none within the tries."""
    shop = Shelf(scene)
    bind_form = _FORMS.get(cell.form, _bind_choice)
    for _ in range(TRIES if shop.sought else 0):
        wish = _draw(shop, stream, cell.form)
        binding = bind_form(cell, scene, shop, wish, stream) if wish else None
        if binding is not None:
            return binding
    return None
