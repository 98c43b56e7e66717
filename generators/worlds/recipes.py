"""What a catalogue is made of: categories with their variants, and invented brands, read from data files.

Compositions are ranges per 100 g or 100 ml: macronutrients in tenths of a gram, sodium in milligrams. A variant changes
some ranges of its category, and may bring kinds of its own.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from schemas.world import Allergen, Unit

Part: TypeAlias = Literal["protein", "fat", "fiber", "sugar", "starch", "sodium"]
Range: TypeAlias = tuple[int, int]
"""Lowest and highest value, both included."""
Tier: TypeAlias = Literal["value", "standard", "premium"]

_DATA = Path(__file__).parent / "data"


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nouns, with the flavours in which there are such things."""

    nouns: tuple[str, ...]
    flavours: tuple[str, ...]


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to make a category's product."""

    titles: tuple[str, ...]
    """Forms of the name, `{}` standing for flavour and noun; not every product says on its front what it is.

    `services.shopping.labels` says which words are claims.
    """
    share: int
    """How often it is made, relative to the other variants."""
    change: dict[Part, Range]
    """Ranges that differ from the category's."""
    kinds: tuple[Kind, ...] = ()
    """Instead of the category's kinds, if any."""


class Category(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One category of products."""

    unit: Unit
    pack: tuple[int, int, int]
    """Smallest and largest content of a single pack and the step between sizes, in `unit`."""
    cents_per_100: Range
    """List price of 100 g or 100 ml of a standard brand, in cents."""
    vegan_percent: int
    """Share of products that are vegan where nothing speaks against it, in percent."""
    allergens: dict[Allergen, int]
    """Share of products that contain each allergen, in percent."""
    kinds: tuple[Kind, ...]
    base: dict[Part, Range]
    variants: tuple[Variant, ...]


class Brand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One invented brand."""

    tier: Tier
    organic_percent: int
    """Share of its products that are organic, in percent."""
    categories: tuple[str, ...]
    """Categories it makes."""


@lru_cache(maxsize=1)
def categories() -> dict[str, Category]:
    """Return all categories by name."""
    return msgspec.json.decode((_DATA / "categories.json").read_bytes(), type=dict[str, Category])


@lru_cache(maxsize=1)
def brands() -> dict[str, Brand]:
    """Return all brands by name."""
    return msgspec.json.decode((_DATA / "brands.json").read_bytes(), type=dict[str, Brand])
