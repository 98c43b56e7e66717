"""Makes the product catalogue of a world: several hundred products over all categories and brands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.worlds.composition import draw_serving
from generators.worlds.decks import deal
from generators.worlds.names import pick_stem
from generators.worlds.prices import PACK_UNITS, draw_offers
from generators.worlds.recipes import brands, categories
from generators.worlds.shared import shared_tables
from schemas.world import Product, World, build_world
from services.runtime.streams import Stream
from services.shopping.labels import (
    CATEGORY_ALLERGENS,
    EXCLUDES,
    NOT_VEGAN_CATEGORIES,
    NOT_VEGAN_WORDS,
    free_from,
    name_allergens,
    name_claims,
    name_words,
)
from services.shopping.nutrition import health_tags

if TYPE_CHECKING:
    from generators.worlds.recipes import Brand, Category, Variant
    from schemas.world import Allergen, Attribute

_ATTEMPTS = 200


def make_world(seed: int, products: int = 360) -> World:
    """Return the world of `seed`: this many products, spread evenly over the categories, and what else users share.

    Raises ValueError when there are more products than different names and prices.
    """
    stream = Stream(seed, "world")
    ids = _draw_ids(stream.child("ids"), products)
    known = categories()
    share, extra = divmod(products, len(known))
    larger = set(stream.child("shares").sample(list(known), extra))
    taken: list[str] = []
    made: list[Product] = []
    for name, category in known.items():
        count = share + (name in larger)
        made += _make_category(stream.child(name), name, category, ids[len(made) : len(made) + count], taken)
    return build_world(made, shared_tables(seed))


def _draw_ids(stream: Stream, count: int) -> list[str]:
    """Return different ids in random order, so that neither part of an id tells the category."""
    return [f"p_{stream.below(1 << 24):06x}_{ordinal:03d}" for ordinal in stream.shuffled(range(1, count + 1))]


def _make_category(stream: Stream, name: str, category: Category, ids: list[str], taken: list[str]) -> list[Product]:
    """Return one product per id; add the stems of their names to `taken`."""
    makers = [(brand, 1) for brand, details in brands().items() if name in details.categories]
    chosen = deal(stream.child("brands"), makers, len(ids))
    makes = [brands()[brand] for brand in chosen]
    variants = deal(stream.child("variants"), [(variant, variant.share) for variant in category.variants], len(ids))
    titles = _draw_titles(stream.child("names"), category, variants, taken)
    foods = _draw_foods(stream.child("nutrition"), category, variants, titles)
    weights = [food["serving_weight"] for food in foods]
    offers = draw_offers(stream.child("prices"), category.cents_per_100, [make.tier for make in makes], weights)
    levels = [offer.single_cents * 1000 // weight for offer, weight in zip(offers, weights, strict=True)]
    middle = sorted(levels)[len(levels) // 2] if levels else 0
    labels = stream.child("labels")
    products: list[Product] = []
    for index, product_id in enumerate(ids):
        allergens, vegan = _draw_allergens(labels, name, category, titles[index])
        dear = makes[index].tier == "premium" and levels[index] > middle
        row: dict[str, object] = {
            "id": product_id,
            "name": titles[index],
            "brand": chosen[index],
            "category": name,
            "allergens": allergens,
            "attributes": _draw_attributes(labels, makes[index], allergens, vegan=vegan, premium=dear),
            "unit": category.unit,
            **foods[index],
            "pack_units": PACK_UNITS,
            "single_cents": offers[index].single_cents,
            "pack_cents": offers[index].pack_cents,
            "discount_percent": offers[index].discount_percent,
            "discount_members_only": offers[index].discount_members_only,
            "label_tags": [],
            "source": "generated",
        }
        products.append(Product.model_validate({**row, "health_tags": list(health_tags(row))}))
    return products


def _draw_titles(stream: Stream, category: Category, variants: list[Variant], taken: list[str]) -> list[str]:
    titles: list[str] = []
    for variant in variants:
        stem = pick_stem(stream, category, variant, taken)
        taken.append(stem)
        titles.append(stream.choice(variant.titles).format(stem))
    return titles


def _draw_foods(stream: Stream, category: Category, variants: list[Variant], titles: list[str]) -> list[dict[str, int]]:
    """Return servings whose tags bear out their names and whose energy differs from all others of the category.

    Raises ValueError when a variant's ranges cannot bear out a name, or no energy is left.
    """
    foods: list[dict[str, int]] = []
    energies: set[int] = set()
    for variant, title in zip(variants, titles, strict=True):
        for _ in range(_ATTEMPTS):
            food = draw_serving(stream, category, variant)
            tags = health_tags({**food, "unit": category.unit})
            if food["calories_dkcal"] not in energies and set(name_claims(title)).issubset(tags):
                break
        else:
            msg = f"no serving of {title!r} bears out its name and differs from the others in energy"
            raise ValueError(msg)
        energies.add(food["calories_dkcal"])
        foods.append(food)
    return foods


def _draw_allergens(stream: Stream, name: str, category: Category, title: str) -> tuple[list[Allergen], bool]:
    """Return the allergens, sorted, and whether the product is vegan."""
    drawn: set[Allergen] = {allergen for allergen, percent in category.allergens.items() if stream.chance(percent, 100)}
    wanted = stream.chance(category.vegan_percent, 100)
    certain: set[Allergen] = {*name_allergens(title), *CATEGORY_ALLERGENS.get(name, ())}
    words = NOT_VEGAN_WORDS.intersection(name_words(title))
    vegan = wanted and not words and name not in NOT_VEGAN_CATEGORIES and certain.isdisjoint(EXCLUDES["vegan"])
    present = certain | (drawn.difference(EXCLUDES["vegan"]) if vegan else drawn)
    return sorted(present), vegan


def _draw_attributes(
    stream: Stream, brand: Brand, allergens: list[Allergen], *, vegan: bool, premium: bool
) -> list[Attribute]:
    """Return the attributes, sorted."""
    organic = stream.chance(brand.organic_percent, 100)
    optional: dict[Attribute, bool] = {"organic": organic, "premium": premium, "vegan": vegan}
    attributes: list[Attribute] = [*free_from(allergens), *(word for word, held in optional.items() if held)]
    return sorted(attributes)
