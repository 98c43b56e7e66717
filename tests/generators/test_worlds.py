"""Generated worlds: reproducible, varied, unambiguous, and with prices that always tell products apart."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from generators.worlds import make_world
from generators.worlds.decks import deal
from generators.worlds.prices import discounted, draw_offers
from generators.worlds.recipes import brands, categories
from schemas.base import canonical
from schemas.world import Product
from services.runtime.door import load_world
from services.runtime.records import to_data
from services.runtime.streams import Stream
from services.shopping.labels import ALLERGENS, ATTRIBUTES, name_claims, name_words
from services.shopping.nutrition import HEALTH_TAGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from generators.worlds.recipes import Tier

STANDARD: list[Tier] = ["standard"] * 300
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", params=[1, 2, 3, 4, 5])
def products(request: pytest.FixtureRequest) -> list[Product]:
    return [Product.model_validate(row) for row in make_world(request.param).tables["products"]]


@pytest.mark.parametrize("hash_seed", ["0", "1", "77"])
def test_the_same_seed_gives_the_same_world_in_any_process(hash_seed: str) -> None:
    code = "from generators.worlds import make_world; print(make_world(3).world_id)"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == make_world(3).world_id


def test_seeds_give_worlds_without_a_common_product() -> None:
    first, second = ({str(row["id"]) for row in make_world(seed).tables["products"]} for seed in (1, 2))
    assert len(first) == len(second) == 360
    assert not first & second


def test_the_runtime_reads_a_made_world() -> None:
    world = make_world(1)
    loaded = load_world(world)["products"]
    assert [canonical(to_data(record)) for record in loaded.values()] == [
        canonical(row) for row in world.tables["products"]
    ]


@pytest.mark.parametrize("count", [1, 17, 100, 720])
def test_a_world_has_as_many_products_as_asked_for(count: int) -> None:
    assert len(make_world(7, count).tables["products"]) == count


def test_more_products_than_names_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="ask for fewer products"):
        make_world(1, 5000)


def test_labels_are_varied(products: list[Product]) -> None:
    labels = Counter(
        label for product in products for label in (*product.health_tags, *product.allergens, *product.attributes)
    )
    assert {label: labels[label] for label in (*HEALTH_TAGS, *ALLERGENS, *ATTRIBUTES) if labels[label] < 5} == {}
    spread: defaultdict[str, set[str]] = defaultdict(set)
    for product in products:
        for tag in product.health_tags:
            spread[tag].add(product.category)
    assert {tag: len(spread[tag]) for tag in HEALTH_TAGS if len(spread[tag]) < 12} == {}


def test_categories_and_brands_are_well_filled(products: list[Product]) -> None:
    by_category = Counter(product.category for product in products)
    by_brand = Counter(product.brand for product in products)
    assert len(by_category) >= 14
    assert min(by_category.values()) >= 12
    assert len(by_brand) >= 18
    assert min(by_brand.values()) >= 8


def test_names_are_unambiguous(products: list[Product]) -> None:
    names = sorted(product.name.lower() for product in products)
    assert not [(one, other) for one, other in combinations(names, 2) if one in other or other in one]
    assert not [name for name in names for brand in brands() if brand.lower() in name]


def test_names_hold_no_tag_and_no_other_category(products: list[Product]) -> None:
    words = {category: re.compile(rf"\b{category.rstrip('s').replace('_', ' ')}s?\b") for category in categories()}
    phrases = [label.replace("_", " ").removeprefix("contains ") for label in (*HEALTH_TAGS, *ATTRIBUTES)]
    for product in products:
        name = product.name.lower().replace("-", " ")
        assert [category for category, word in words.items() if word.search(name)] in ([], [product.category]), name
        assert not [phrase for phrase in phrases if phrase in name], name


def test_prices_and_energy_have_no_tie_in_a_category(products: list[Product]) -> None:
    views: dict[str, Callable[[Product], int]] = {
        "single": lambda one: one.single_cents,
        "pack": lambda one: one.pack_cents,
        "single, member": lambda one: discounted(one.single_cents, one.discount_percent),
        "pack, member": lambda one: discounted(one.pack_cents, one.discount_percent),
        "single, public": lambda one: discounted(one.single_cents, _public_percent(one)),
        "pack, public": lambda one: discounted(one.pack_cents, _public_percent(one)),
        "energy": lambda one: one.calories_dkcal,
    }
    for view, value in views.items():
        seen = Counter((product.category, value(product)) for product in products)
        assert [key for key, count in seen.items() if count > 1] == [], view


def test_packs_and_discounts_have_the_stated_shares(products: list[Product]) -> None:
    savings = [1000 - 200 * product.pack_cents * 1000 // (1000 * product.single_cents) for product in products]
    assert sum(saving >= 78 for saving in savings) == pytest.approx(0.8 * len(products), abs=10)
    assert sum(saving < 0 for saving in savings) == pytest.approx(0.1 * len(products), abs=10)
    discounted_ones = [product for product in products if product.discount_percent]
    assert len(discounted_ones) == pytest.approx(0.4 * len(products), abs=10)
    members = sum(product.discount_members_only for product in discounted_ones)
    assert members == pytest.approx(0.25 * len(discounted_ones), abs=8)


def test_every_category_has_makers_and_every_brand_only_known_categories() -> None:
    makers = Counter(category for brand in brands().values() for category in brand.categories)
    assert set(makers) == set(categories())
    assert min(makers.values()) >= 4


def test_words_of_claims_are_no_part_of_a_stem() -> None:
    variants = [(category, variant) for category in categories().values() for variant in category.variants]
    titles = [title for _, variant in variants for title in variant.titles]
    claims = {word for title in titles for word in name_words(title.format(""))}
    assert claims
    for category, variant in variants:
        for stem in (part for kind in variant.kinds or category.kinds for part in (*kind.nouns, *kind.flavours)):
            assert claims.isdisjoint(name_words(stem)), stem
            assert name_claims(stem) == (), stem


def test_a_third_of_the_names_claims_nothing(products: list[Product]) -> None:
    titles = {title.format("").strip() for one in categories().values() for v in one.variants for title in v.titles}
    words = re.compile("|".join(rf"\b{re.escape(title)}\b" for title in titles if title))
    plain = [product for product in products if not words.search(product.name)]
    assert len(products) / 3 < len(plain) < len(products) * 2 / 3


def test_a_deal_keeps_shares_in_every_round() -> None:
    picks = deal(Stream(1, "test"), [("a", 3), ("b", 1)], 40)
    assert len(picks) == 40
    assert {Counter(picks[start : start + 4])["a"] for start in range(0, 40, 4)} == {3}


def test_too_many_prices_for_a_category_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="no free price"):
        draw_offers(Stream(1, "test"), (100, 101), STANDARD, [100] * len(STANDARD))


def _public_percent(product: Product) -> int:
    return 0 if product.discount_members_only else product.discount_percent
