"""What a product's label may say: allergens, attributes and the words of its name, and how they must agree.

All of it is data. A word of a name is a word between spaces or hyphens, compared in lower case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from schemas.world import Allergen, Attribute, HealthTag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ALLERGENS: tuple[Allergen, ...] = get_args(Allergen)
ATTRIBUTES: tuple[Attribute, ...] = get_args(Attribute)

FREE_FROM: Mapping[Attribute, Allergen] = {"gluten_free": "contains_gluten", "lactose_free": "contains_lactose"}
"""Attributes that a product bears exactly when it lacks the allergen."""

FREE_LABELS: Mapping[str, Allergen] = {
    "dairy_free": "contains_lactose",
    "egg_free": "contains_egg",
    "gluten_free": "contains_gluten",
    "lactose_free": "contains_lactose",
    "nut_free": "contains_nuts",
    "soy_free": "contains_soy",
}
"""Printed labels by which a product lacks an allergen, whatever else its name tells (`Gluten Free Oat Bar`)."""

EXCLUDES: Mapping[Attribute, tuple[Allergen, ...]] = {"vegan": ("contains_egg", "contains_lactose")}
"""Allergens that a product with the attribute must not contain. Lacking them does not make a product vegan."""

NOT_VEGAN_CATEGORIES = frozenset({"cheese", "milk", "yogurt"})
"""Categories that are made of milk, also where the lactose is taken out."""

NOT_VEGAN_WORDS = frozenset({"honey"})
"""Words of a name that tell of an animal product that is no allergen."""

CATEGORY_ALLERGENS: Mapping[str, tuple[Allergen, ...]] = {"nuts": ("contains_nuts",), "tofu": ("contains_soy",)}
"""Allergens that every product of the category contains."""

NAME_ALLERGENS: Mapping[str, Allergen] = {
    "almond": "contains_nuts",
    "cashew": "contains_nuts",
    "hazelnut": "contains_nuts",
    "macadamia": "contains_nuts",
    "peanut": "contains_nuts",
    "pecan": "contains_nuts",
    "pistachio": "contains_nuts",
    "walnut": "contains_nuts",
    "barley": "contains_gluten",
    "durum": "contains_gluten",
    "malt": "contains_gluten",
    "oat": "contains_gluten",
    "rye": "contains_gluten",
    "spelt": "contains_gluten",
    "udon": "contains_gluten",
    "wheat": "contains_gluten",
    "cream": "contains_lactose",
    "edamame": "contains_soy",
    "miso": "contains_soy",
    "soy": "contains_soy",
    "custard": "contains_egg",
    "egg": "contains_egg",
}
"""Allergens that a word of the name tells. Oats count as a cereal containing gluten (Regulation (EU) No 1169/2011,
annex II); peanuts count as nuts here."""

NAME_CLAIMS: Mapping[str, HealthTag] = {
    "fibre": "high_fiber",
    "lean": "low_fat",
    "protein": "high_protein",
    "slim": "low_calorie",
    "unsalted": "low_sodium",
    "zero": "sugar_free",
}
"""Health tags that a word of the name claims, and that the nutrition must bear out."""


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case."""
    return tuple(name.lower().replace("-", " ").split())


def name_allergens(name: str) -> tuple[Allergen, ...]:
    """Return the allergens that the words of a name tell, sorted."""
    return tuple(sorted({NAME_ALLERGENS[word] for word in name_words(name) if word in NAME_ALLERGENS}))


def name_claims(name: str) -> tuple[HealthTag, ...]:
    """Return the health tags that the words of a name claim, sorted."""
    return tuple(sorted({NAME_CLAIMS[word] for word in name_words(name) if word in NAME_CLAIMS}))


def free_from(allergens: Iterable[Allergen]) -> tuple[Attribute, ...]:
    """Return the attributes that follow from lacking an allergen, sorted."""
    present = set(allergens)
    return tuple(sorted(attribute for attribute, allergen in FREE_FROM.items() if allergen not in present))
