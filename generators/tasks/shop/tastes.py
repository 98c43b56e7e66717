"""What people ask of food together: wishes that repeat or contradict one another are nobody's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from services.runtime.streams import Stream

NOT_SOUGHT = frozenset({"high_fat", "high_sodium", "high_sugar"})
"""Tags that people avoid, and never look for."""
SELDOM_SOUGHT = frozenset({"high_calorie"})
SELDOM = (1, 8)
"""Share of the draws in which a tag that is seldom sought counts as any other."""
SAID_ALREADY: Mapping[str, frozenset[str]] = {
    "high_calorie": frozenset({"fewest_calories", "least_sugar", "most_fiber"}),
    "high_fiber": frozenset({"most_fiber"}),
    "high_protein": frozenset({"most_protein"}),
    "low_calorie": frozenset({"fewest_calories"}),
    "low_sugar": frozenset({"least_sugar"}),
    "sugar_free": frozenset({"least_sugar"}),
}
"""Tag -> objectives about the same nutrient, or opposed to it."""
APART: Mapping[str, frozenset[str]] = {
    "diabetic_safe": frozenset({"low_sugar", "sugar_free"}),
    "high_calorie": frozenset({"diabetic_safe", "low_calorie", "low_fat", "low_sodium", "low_sugar", "sugar_free"}),
    "low_sugar": frozenset({"sugar_free"}),
}
"""Tag -> other tags that it holds already, or that are opposed to it."""
OUT_OF_PLACE: Mapping[str, frozenset[str]] = {
    "high_calorie": frozenset({"drink", "fruit", "soup"}),
    "high_fiber": frozenset({"cheese", "milk", "yogurt"}),
    "high_protein": frozenset({"fruit"}),
    "low_fat": frozenset({"drink", "fruit", "pasta"}),
    "low_sodium": frozenset({"bar", "chocolate", "dessert", "drink", "fruit", "milk", "yogurt"}),
    "low_sugar": frozenset({"cheese", "chips", "pasta", "tofu"}),
    "sugar_free": frozenset({"cheese", "chips", "pasta", "tofu"}),
}
"""Tag -> categories in which nobody thinks of it."""

NAMED: Mapping[str, frozenset[str]] = {
    "calorie": frozenset({"light", "slim"}),
    "fat": frozenset({"fat", "lean", "light"}),
    "fiber": frozenset({"fibre", "wholegrain"}),
    "protein": frozenset({"protein"}),
    "sodium": frozenset({"salted", "unsalted"}),
    "sugar": frozenset({"sugar", "zero"}),
}
"""What a tag is about -> words by which a product's name speaks of it already."""


def told_by_name(tag: str, name: str) -> bool:
    """Return whether the name of a product answers whether it has a tag, or nearly so: then nobody would ask."""
    said = frozenset[str]().union(*(NAMED.get(word, frozenset()) for word in tag.split("_")))
    return not said.isdisjoint(name.lower().split())


def sought(tags: Iterable[str], *categories: str) -> list[str]:
    """Return those of `tags` that people look for in all of these categories."""
    places = set(categories)
    return [tag for tag in tags if tag not in NOT_SOUGHT and places.isdisjoint(OUT_OF_PLACE.get(tag, ()))]


def draw_sought(tags: Iterable[str], *categories: str, stream: Stream) -> str | None:
    """Return one of the tags that people look for in these categories, or None where this draw finds none."""
    likely = sought(tags, *categories)
    if not stream.chance(*SELDOM):
        likely = [tag for tag in likely if tag not in SELDOM_SOUGHT]
    return stream.choice(likely) if likely else None


def go_together(one: str, other: str) -> bool:
    """Return whether somebody may ask for both tags."""
    return one != other and other not in APART.get(one, ()) and one not in APART.get(other, ())


def objectives_beside(tags: Iterable[str], objectives: Iterable[str]) -> list[str]:
    """Return the objectives that people have who ask for all of `tags`."""
    said = frozenset[str]().union(*(SAID_ALREADY.get(tag, frozenset()) for tag in tags))
    return [objective for objective in objectives if objective not in said]


def preferred(tags: Sequence[str], *categories: str) -> list[str]:
    """Return the tags that people look for, and all of them where there are none."""
    return sought(tags, *categories) or list(tags)
