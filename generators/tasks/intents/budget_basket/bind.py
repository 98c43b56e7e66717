"""Bind a basket to a store: in every category something fits, the cheapest by a gap, and the tag keeps out cheaper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.bind import REFERS, REFUSED, Shop, quantity_slot, start
from generators.tasks.shop.tastes import draw_sought, preferred
from schemas.task import Slot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.bind import Offer
    from schemas.base import Json
    from services.runtime.streams import Stream
    from services.shopping.records import StockItem

TRIES = 100
SIZES = (("two", 2), ("three", 3))
"""Variant -> categories of the basket."""
MOST_INSPECTED = 15
MOST_UNITS = 8
STEP_CENTS = 50
"""Budgets are multiples of this."""
_OTHERS = 8


def _by_category(shop: Shop) -> dict[str, list[StockItem]]:
    found: dict[str, list[StockItem]] = {}
    for item in shop.items:
        found.setdefault(shop.products[item.id].category, []).append(item)
    return dict(sorted(found.items()))


def _cheapest(offers: Sequence[Offer]) -> Offer | None:
    """Return the cheapest offer, or None when there is none or two cost the same."""
    ranked = sorted(offers, key=lambda offer: offer.total)
    if not ranked or (len(ranked) > 1 and ranked[0].total == ranked[1].total):
        return None
    return ranked[0]


def _basket(shop: Shop, shelves: Sequence[Sequence[StockItem]], tag: str, units: int) -> list[Offer] | None:
    """Return the cheapest offer with `tag` on each shelf, if the tag matters, and a careless reading would not."""
    stocked = [[shop.offer(item, units) for item in shelf if item.stock >= units] for shelf in shelves]
    tagged = [[offer for offer in shelf if tag in offer.product.health_tags] for shelf in stocked]
    best = [_cheapest(offers) for offers in tagged]
    chosen = [offer for offer in best if offer is not None]
    if len(chosen) < len(shelves) or not any(offer.misleads for offer in chosen):
        return None
    cheaper = (min(o.total for o in shelf) < offer.total for shelf, offer in zip(stocked, chosen, strict=True))
    return chosen if any(cheaper) else None


def _term(name: str, value: str, others: Sequence[Json]) -> Slot:
    refers = REFERS["category" if name.startswith("category") else name]
    return Slot(name=name, kind="term", value=value, refers_to=refers, alternatives=list(others)[:_OTHERS])


def _slots(
    shelves: Mapping[str, Sequence[StockItem]], chosen: Sequence[str], tag: str, units: int, budget: Slot, shop: Shop
) -> tuple[Slot, ...]:
    free = [category for category in shelves if category not in chosen]
    tags = sorted({t for c in chosen for item in shelves[c] for t in shop.products[item.id].health_tags} - {tag})
    return (
        quantity_slot(units, (units + 1, units - 1, units + 5)),
        *(_term(f"category_{number}", category, free) for number, category in enumerate(chosen, 1)),
        _term("tag", tag, preferred(tags, *chosen)),
        budget,
    )


def _budget(cell: Cell, shop: Shop, total: int, stream: Stream) -> Slot | None:
    """Return a budget that the basket keeps, or one that it exceeds whatever voucher were used."""
    if cell.form == "none_satisfies":
        cents = shop.with_any_voucher(total) * stream.between(60, 97) // (100 * STEP_CENTS) * STEP_CENTS
    else:
        cents = (total // STEP_CENTS + stream.between(1, 12)) * STEP_CENTS
    if cents < STEP_CENTS:
        return None
    # A budget that is kept does not narrow the choice; a smaller one would.
    over = cell.form == "none_satisfies"
    others: list[Json] = [cents * 4, cents * 10] if over else [cents // 4, cents // 2]
    return Slot(name="budget", kind="money_cents", value=cents, constraint=over, alternatives=others)


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the store offers none within the tries."""
    shop = Shop(scene)
    shelves = _by_category(shop)
    for variant, size in stream.shuffled(SIZES):
        for _ in range(TRIES):
            binding = _try(cell, scene, shop, shelves, variant, size, stream)
            if binding is not None:
                return binding
    return None


def _try(
    cell: Cell,
    scene: Scene,
    shop: Shop,
    shelves: Mapping[str, Sequence[StockItem]],
    variant: str,
    size: int,
    stream: Stream,
) -> Binding | None:
    chosen = stream.sample(list(shelves), size)
    if sum(len(shelves[category]) for category in chosen) > MOST_INSPECTED:
        return None
    tags = [{t for item in shelves[c] for t in shop.products[item.id].health_tags} for c in chosen]
    shared = sorted(tag for tag in tags[0] if all(tag in others for others in tags[1:]))
    tag, units = draw_sought(shared, *chosen, stream=stream), stream.between(2, MOST_UNITS)
    basket = _basket(shop, [shelves[category] for category in chosen], tag, units) if tag else None
    total = sum(offer.total for offer in basket or ())
    budget = _budget(cell, shop, total, stream) if basket else None
    if tag is None or budget is None:
        return None
    return Binding(
        cell=cell,
        slots=_slots(shelves, chosen, tag, units, budget, shop),
        setup=tuple(start(scene, cell, total, stream)),
        variant=variant,
        refused=REFUSED.get(cell.form, ()),
    )
