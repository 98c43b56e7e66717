"""What products cost: list prices, discounts, and no two products of a category at the same price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.worlds.decks import deal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.worlds.recipes import Range, Tier
    from services.runtime.streams import Stream

PACK_UNITS = 5
LOWEST_CENTS = 79
"""No single pack costs less."""
TIER_PERCENT: dict[Tier, Range] = {"value": (72, 92), "standard": (92, 118), "premium": (135, 185)}
"""Price level of a brand's tier, in percent of the category's."""
# Per ten products: eight save clearly by the pack, one saves a little, and of one five singles cost less.
PACK_SAVING_PERMILLE: tuple[tuple[Range, int], ...] = (((80, 150), 8), ((20, 60), 1), ((-50, -20), 1))
# Per twenty products: six discounts for all, two for members only.
DISCOUNTS: tuple[tuple[str, int], ...] = (("none", 12), ("all", 6), ("members", 2))
DISCOUNT_PERCENTS = (5, 10, 12, 15, 20, 25, 30, 40)
_ATTEMPTS = 500


@dataclass(frozen=True, slots=True)
class Offer:
    """The price columns of one product."""

    single_cents: int
    pack_cents: int
    discount_percent: int
    discount_members_only: bool


def draw_offers(stream: Stream, cents_per_100: Range, tiers: Sequence[Tier], weights: Sequence[int]) -> list[Offer]:
    """Return one offer per product of a category.

    Within the category, products differ in the price of each size at list price, to members and to everybody else.
    Raises ValueError when no such price is found.
    """
    savings = deal(stream, PACK_SAVING_PERMILLE, len(weights))
    discounts = deal(stream, DISCOUNTS, len(weights))
    taken: set[tuple[str, int]] = set()
    offers: list[Offer] = []
    for tier, weight, saving, discount in zip(tiers, weights, savings, discounts, strict=True):
        for _ in range(_ATTEMPTS):
            offer = _draw_offer(stream, cents_per_100, tier, weight, saving, discount)
            views = _price_views(offer)
            if taken.isdisjoint(views) and _pack_differs(offer):
                break
        else:
            msg = f"no free price among {len(weights)} products of one category: ask for fewer products"
            raise ValueError(msg)
        taken |= views
        offers.append(offer)
    return offers


def discounted(cents: int, percent: int) -> int:
    """Return the price after `percent` is taken off, rounded half up."""
    return (cents * (100 - percent) + 50) // 100


def _draw_offer(stream: Stream, cents_per_100: Range, tier: Tier, weight: int, saving: Range, discount: str) -> Offer:
    level = stream.between(*cents_per_100) * stream.between(*TIER_PERCENT[tier])
    single = max(LOWEST_CENTS + stream.below(20), level * weight // 10_000)
    pack = PACK_UNITS * single * (1000 - stream.between(*saving)) // 1000
    percent = 0 if discount == "none" else stream.choice(DISCOUNT_PERCENTS)
    return Offer(single, pack, percent, discount == "members")


def _price_views(offer: Offer) -> set[tuple[str, int]]:
    """Return every price that someone may see for one size."""
    cut = offer.discount_percent
    public = 0 if offer.discount_members_only else cut
    return {
        (f"{size} {view}", discounted(cents, percent))
        for size, cents in (("single", offer.single_cents), ("pack", offer.pack_cents))
        for view, percent in (("list", 0), ("member", cut), ("public", public))
    }


def _pack_differs(offer: Offer) -> bool:
    """Tell whether pack and singles differ, and the same one is cheaper at list price and after the discount."""
    before = offer.pack_cents - PACK_UNITS * offer.single_cents
    cut = offer.discount_percent
    after = discounted(offer.pack_cents, cut) - PACK_UNITS * discounted(offer.single_cents, cut)
    return before * after > 0
