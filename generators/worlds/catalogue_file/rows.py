"""One row of a catalogue: its fields by their last name, and typed access that names row and field when it fails.

A field is found under the last part of its path (`packaging.weight` is `weight`), as these are all different. Numbers
are exact decimals. Stock and delivery belong to a store, not to its catalogue, and are not read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from generators.inputs import InputError, refuse, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

NUTRIENTS = {
    "calories": "kcal",
    "sugar_g": "grams",
    "protein_g": "grams",
    "fat_g": "grams",
    "fiber_g": "grams",
    "sodium_mg": "milligrams",
}
"""Nutrition fields and the unit they are in, per single pack."""
PRICES = ("single_pack", "pack_5")
"""Sizes a product must be sold in; the field of the same name is its price."""
PATHS: Mapping[str, str] = {
    **{name: name for name in ("product_id", "name", "brand", "category", "tags", "base_tags")},
    **{name: f"packaging.{name}" for name in ("unit", "weight")},
    **{name: f"packaging.nutrition_per_serving.{name}" for name in NUTRIENTS},
    **{name: f"purchase_options.{name}" for name in PRICES},
    **{name: f"discount_info.{name}" for name in ("discount_factor", "vip_required")},
}
"""Fields that are read, and where they stand in JSON."""
REQUIRED = ("product_id", "name", "base_tags", "unit", "weight", *NUTRIENTS, *PRICES)
WANTED: Mapping[str, str] = {
    "product_id": "every product needs an id of its own",
    "name": "give the name of the product",
    "base_tags": "list what kind of product it is first, such as biscuit, then what it contains, such as gluten",
    "unit": "give g or ml",
    "weight": "give the content of one single pack as a whole number of g or ml",
    "single_pack": "give the price of one pack, with at most two decimals",
    "pack_5": "give the price of five packs together, with at most two decimals; every product is sold in both sizes",
    "tags": "give a list of words, or leave it out",
    "brand": "give the name of the brand, or leave it out where a tag or the name tells it",
    "category": "give one word, or leave it out where base_tags tell it",
    "discount_factor": "give what the price is multiplied with, from 0.5 to 1, in whole hundredths",
    "vip_required": "give true or false",
    **{name: f"give the amount in one single pack in {unit}, zero or more" for name, unit in NUTRIENTS.items()},
}
"""How each field is to be given."""
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """One product of a file, as it stands there."""

    file: str
    where: str
    """Which row, in words."""
    values: Mapping[str, object]
    """By the last name of the field; what is absent or null is left out."""
    names: Mapping[str, str] = field(default_factory=lambda: PATHS)
    """How the file writes each field, for messages."""

    def refuse(self, name: str, fault: str, way_out: str = "") -> InputError:
        """Return the error for one field of this row."""
        return refuse(self.file, self.where, self.names.get(name, name), fault, way_out or WANTED[name])

    def value(self, name: str) -> object:
        """Return a required field. Raise InputError where it is missing."""
        if name not in self.values:
            raise self.refuse(name, "is missing")
        return self.values[name]

    def text(self, name: str) -> str:
        """Return a required text, white space reduced to single spaces. Raise InputError where it is none."""
        value = self.value(name)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.refuse(name, f"{shown(value)} is no text")
        return " ".join(value.split())

    def words(self, name: str) -> list[str]:
        """Return a list of texts, empty where it is left out. Raise InputError where it is none."""
        if name not in self.values:
            return []
        value = self.values[name]
        items = cast("list[object]", value) if isinstance(value, list) else [None]
        bad = [item for item in items if not isinstance(item, str) or not item.strip() or not item.isprintable()]
        if bad:
            raise self.refuse(name, f"{shown(self.values[name])} is no list of words")
        return [" ".join(cast("str", item).split()) for item in items]

    def number(self, name: str) -> Decimal:
        """Return a required number of zero or more. Raise InputError where it is none."""
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            raise self.refuse(name, f"{shown(value)} is not a number")
        number = Decimal(value)
        if not number.is_finite():
            raise self.refuse(name, f"{number} is not a number")
        if number < 0:
            raise self.refuse(name, f"{shown(value)} is negative")
        return number

    def scaled(self, name: str, per_unit: int) -> int:
        """Return a number in parts of its unit, `per_unit` of them to one. Raise InputError where it is not whole."""
        number = self._moderate(name) * per_unit
        if number != number.to_integral_value():
            raise self.refuse(name, f"{self.values[name]} is too fine")
        return int(number)

    def rounded(self, name: str, per_unit: int) -> int:
        """Return a number in parts of its unit, the nearest one, the higher of two. Raise InputError for a huge one."""
        return int((2 * self._moderate(name) * per_unit + 1) // 2)

    def _moderate(self, name: str) -> Decimal:
        """Return a required number that is no larger than any sensible one."""
        number = self.number(name)
        if number > _LARGEST:
            raise self.refuse(name, f"{shown(self.values[name])} is too large")
        return number

    def truth(self, name: str) -> bool:
        """Return a truth value, false where it is left out. Raise InputError where it is none."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise self.refuse(name, f"{shown(value)} is neither true nor false")
        return value
