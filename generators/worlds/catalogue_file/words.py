"""What the words of a catalogue mean: labels, kinds of products, allergens, and which of the tags are brands.

Brand of a product, by the first of these that tells it: the field `brand`; a tag that is a brand; the brand that the
name begins with. A tag is a brand when it holds a capital letter, is no label that we know, and stands with two
products or more, be it as a tag or at the start of the name. A first word of a name is one, too, when it has a capital
inside (`PureBalance`) and begins two names or more.

Category: the field `category`; else the first of `base_tags` that is not the mere name of an allergen (gluten, lactose,
nut, egg, soy); else the first of them.

Allergens: every one that `base_tags`, a tag or a word of the name tells. A label such as `gluten_free`, as a tag or in
the name, outweighs all of them, since base tags speak of a kind of product and the label of this one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from generators.worlds.recipes import categories
from language.terms import singular, words
from services.shopping.labels import (
    ALLERGENS,
    ATTRIBUTES,
    CATEGORY_ALLERGENS,
    EXCLUDES,
    FREE_FROM,
    FREE_LABELS,
    NAME_ALLERGENS,
    NOT_VEGAN_CATEGORIES,
    NOT_VEGAN_WORDS,
)
from services.shopping.nutrition import HEALTH_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generators.worlds.catalogue_file.rows import Row
    from schemas.world import Allergen, Attribute

_MORE_ALLERGENS: dict[str, Allergen] = {
    "dairy": "contains_lactose",
    "gluten": "contains_gluten",
    "lactose": "contains_lactose",
    "nut": "contains_nuts",
    "whey": "contains_lactose",
}
"""Words that tell an allergen, beside those of names."""
_MERE_ALLERGENS = frozenset({"egg", "gluten", "lactose", "nut", "soy"})
_CAPITAL_INSIDE = re.compile(r"[A-Z][a-z]+[A-Z]\w*")
_SHARED = 2
"""Products that a brand stands with, at least."""


def label_word(text: str) -> str:
    """Return a tag as one word: lower case, underscores for spaces and hyphens."""
    return re.sub(r"[\s_-]+", "_", text.strip()).lower()


@cache
def _allergen_words() -> dict[str, Allergen]:
    every: dict[str, Allergen] = {**NAME_ALLERGENS, **_MORE_ALLERGENS}
    return {singular(word): allergen for word, allergen in every.items()}


def _told(word: str) -> Allergen | None:
    return _allergen_words().get(singular(word.removeprefix("contains_")))


@cache
def _known_labels() -> frozenset[str]:
    return frozenset({*HEALTH_TAGS, *ATTRIBUTES, *FREE_LABELS})


def brand_words(rows: Sequence[Row]) -> frozenset[str]:
    """Return the brands of a catalogue, by the rule of this module."""
    named = {row.text("brand") for row in rows if "brand" in row.values}
    tags = Counter(tag for row in rows for tag in set(row.words("tags")))
    candidates = [tag for tag in tags if tag != tag.lower() and not _is_label(tag)]
    names = [row.text("name") for row in rows]
    starts = Counter(name.split()[0] for name in names)
    shared = {tag for tag in candidates if tags[tag] + sum(_begins(name, tag) for name in names) >= _SHARED}
    inner = {word for word, count in starts.items() if count >= _SHARED and _CAPITAL_INSIDE.fullmatch(word)}
    return frozenset(named | shared | inner)


def _is_label(tag: str) -> bool:
    word = label_word(tag)
    return word in _known_labels() or _told(word) is not None


def _begins(name: str, brand: str) -> bool:
    return name.startswith(f"{brand} ")


def brand_of(row: Row, brands: frozenset[str]) -> str:
    """Return the brand of a product. Raise InputError where nothing or more than one thing tells it."""
    if "brand" in row.values:
        return row.text("brand")
    tagged = [tag for tag in row.words("tags") if tag in brands]
    if len(set(tagged)) > 1:
        raise row.refuse(
            "tags", f"{' and '.join(sorted(set(tagged)))} are both brands", "keep one, or add a field brand"
        )
    begun = sorted(
        (brand for brand in brands if _begins(row.text("name"), brand)), key=lambda brand: (-len(brand), brand)
    )
    if not tagged and not begun:
        raise row.refuse("brand", "neither a tag nor the name tells the brand", "add a field brand to the product")
    return (tagged or begun)[0]


def category_of(row: Row) -> str:
    """Return the category of a product, our own word for it if we have one. Raise InputError where none is told."""
    base = [label_word(word) for word in row.words("base_tags")]
    kinds = [word for word in base if singular(word.removeprefix("contains_")) not in _MERE_ALLERGENS]
    told = [label_word(row.text("category"))] if "category" in row.values else kinds or base
    if not told:
        row.value("base_tags")
        raise row.refuse("base_tags", "is empty")
    own = {singular(name): name for name in categories()}
    category = own.get(singular(told[0]), told[0])
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", category):
        raise row.refuse("category" if "category" in row.values else "base_tags", f"{told[0]!r} is no category", _WORD)
    return category


_WORD = "give one word of at most 40 letters and digits, underscores for spaces"


@dataclass(frozen=True, slots=True)
class Labels:
    """What a product bears, and where its words contradict each other."""

    tags: list[str]
    """Printed tags and what the name says it is free from, without the brand."""
    allergens: list[Allergen]
    attributes: list[Attribute]
    contradictions: list[str]


def labels_of(row: Row, brand: str, category: str) -> Labels:
    """Return the labels of a product, by the rule of this module."""
    name, tags = row.text("name"), [label_word(tag) for tag in row.words("tags") if tag != brand]
    base = [label_word(word) for word in row.words("base_tags")]
    printed = sorted({*tags, *_free_in(name)})
    freed = {FREE_LABELS[tag]: tag for tag in printed if tag in FREE_LABELS}
    told = {allergen: word for word in (*base, *tags, *words(name)) for allergen in [_told(word)] if allergen}
    certain = set(CATEGORY_ALLERGENS.get(category, ()))
    allergens: list[Allergen] = [a for a in ALLERGENS if a in certain or (a in told and a not in freed)]
    contradictions = [f"{freed[a]} against {told[a]}" for a in sorted(freed.keys() & told.keys())]
    contradictions += [f"{freed[a]} against the category {category}" for a in sorted(freed.keys() & certain)]
    borne: list[Attribute] = []
    for attribute in ATTRIBUTES:
        if attribute not in printed and attribute not in words(name):
            continue
        fault = _speaks_against(attribute, allergens, category, name)
        if fault:
            contradictions.append(f"{attribute} against {fault}")
        else:
            borne.append(attribute)
    return Labels(printed, allergens, borne, contradictions)


def _free_in(name: str) -> Iterable[str]:
    """Yield the labels that a name holds in words, such as `gluten_free`."""
    parts = words(name.replace("-", " "))
    return (f"{one}_free" for one, other in pairwise(parts) if other == "free" if f"{one}_free" in FREE_LABELS)


def _speaks_against(attribute: Attribute, allergens: Sequence[Allergen], category: str, name: str) -> str:
    """Return what rules out an attribute that a label claims, nothing where it may stand."""
    ruled = [a for a in (FREE_FROM.get(attribute), *EXCLUDES.get(attribute, ())) if a in allergens]
    if ruled:
        return str(ruled[0])
    if attribute == "vegan":
        if category in NOT_VEGAN_CATEGORIES:
            return f"the category {category}"
        return next((f"the word {word}" for word in words(name) if word in NOT_VEGAN_WORDS), "")
    return ""
