"""From a catalogue file to a world: every product complete, prices exact, names unambiguous, health tags recomputed.

Amounts of nutrition are rounded to tenths of a gram or kilocalorie and to whole milligrams; everything else must be
exact. A discount that takes nothing off is for nobody in particular.
"""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from generators.inputs import refuse, shown
from generators.worlds.catalogue_file.forms import read_rows
from generators.worlds.catalogue_file.names import Named, alike, distinct_names
from generators.worlds.catalogue_file.report import CatalogueReport, Renamed, difference
from generators.worlds.catalogue_file.words import Labels, brand_of, brand_words, category_of, labels_of
from generators.worlds.prices import PACK_UNITS, discounted
from generators.worlds.shared import shared_tables
from schemas.world import Product, World, build_world
from services.shopping.invariants import ASSORTMENT_SIZE, CATEGORY_LEAST
from services.shopping.nutrition import health_tags

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from generators.worlds.catalogue_file.rows import Row

_ID = re.compile(r"p_[0-9a-f]{6}_[0-9]{3,6}")
_COLUMNS = {
    "single_cents": "single_pack",
    "pack_cents": "pack_5",
    "serving_weight": "weight",
    "calories_dkcal": "calories",
    "discount_percent": "discount_factor",
    "label_tags": "tags",
    **{f"{name}_dg": f"{name}_g" for name in ("sugar", "protein", "fat", "fiber")},
}
"""Column of a product -> field of the file, where the names differ."""
_TIED = "change one of the prices by a cent, or leave the product out: no order of five would be the cheapest"


def world_from_catalogue(path: Path, seed: int = 0) -> tuple[World, CatalogueReport]:
    """Return the world of a catalogue file, and where the words and numbers of its products differ.

    What users share beside the products comes from `seed`, as in a world that is invented.

    Raises:
        InputError: naming the row and the field of the first fault, and the way out.
    """
    rows = read_rows(path)
    brands = brand_words(rows)
    ids = _ids(rows)
    made: list[tuple[Product, Labels]] = []
    wanted: list[Named] = []
    for row, product_id in zip(rows, ids, strict=True):
        product, labels = _product(row, product_id, brands)
        made.append((product, labels))
        wanted.append(Named(product.id, product.name, product.brand, f"{product.serving_weight} {product.unit}"))
    names = distinct_names(wanted)
    _refuse_alike(rows, ids, names)
    products = [_renamed(row, product, names) for row, (product, _) in zip(rows, made, strict=True)]
    _refuse_few(str(path), products)
    differences = [
        found
        for product, (_, labels) in zip(products, made, strict=True)
        if (found := difference(product, labels.contradictions))
    ]
    return build_world(products, shared_tables(seed)), CatalogueReport(
        file=str(path),
        products=len(products),
        categories=_counts(product.category for product in products),
        brands=_counts(product.brand for product in products),
        renamed=[
            Renamed(product_id=product.id, was=before.name, now=product.name)
            for product, (before, _) in zip(products, made, strict=True)
            if product.name != before.name
        ],
        new_ids=[
            Renamed(product_id=new, was=str(row.value("product_id")), now=new)
            for row, new in zip(rows, ids, strict=True)
            if row.value("product_id") != new
        ],
        differences=differences,
    )


def _ids(rows: Sequence[Row]) -> list[str]:
    """Return the ids of the file where they have our form; the others are hashed, with their place in the file."""
    found: list[str] = []
    for place, row in enumerate(rows, 1):
        given = row.text("product_id")
        found.append(
            given if _ID.fullmatch(given) else f"p_{blake2b(given.encode(), digest_size=3).hexdigest()}_{place:03d}"
        )
    taken = Counter(found)
    for row, one in zip(rows, found, strict=True):
        if taken[one] > 1 and row.value("product_id") != one:
            raise row.refuse(
                "product_id", f"{shown(row.value('product_id'))} is taken for {one}, which is there", "give another id"
            )
    return found


def _product(row: Row, product_id: str, brands: frozenset[str]) -> tuple[Product, Labels]:
    brand, category = brand_of(row, brands), category_of(row)
    labels = labels_of(row, brand, category)
    factor = row.scaled("discount_factor", 100) if "discount_factor" in row.values else 100
    if not 50 <= factor <= 100:
        raise row.refuse(
            "discount_factor", f"{row.values['discount_factor']} takes off less than nothing or more than half"
        )
    columns: dict[str, object] = {
        "id": product_id,
        "name": row.text("name"),
        "brand": brand,
        "category": category,
        "allergens": labels.allergens,
        "attributes": labels.attributes,
        "unit": row.text("unit"),
        "serving_weight": row.scaled("weight", 1),
        "calories_dkcal": row.rounded("calories", 10),
        **{f"{name}_dg": row.rounded(f"{name}_g", 10) for name in ("sugar", "protein", "fat", "fiber")},
        "sodium_mg": row.rounded("sodium_mg", 1),
        "single_cents": row.scaled("single_pack", 100),
        "pack_units": PACK_UNITS,
        "pack_cents": row.scaled("pack_5", 100),
        "discount_percent": 100 - factor,
        "discount_members_only": row.truth("vip_required") and factor < 100,
        "label_tags": labels.tags,
        "source": "imported",
        "health_tags": [],
    }
    bare = _validated(row, columns)
    _refuse_prices(row, bare)
    return bare.model_copy(update={"health_tags": list(health_tags(columns))}), labels


def _validated(row: Row, columns: dict[str, object]) -> Product:
    try:
        return Product.model_validate(columns)
    except ValidationError as error:
        first = error.errors()[0]
        column = str(first["loc"][0])
        name = _COLUMNS.get(column, column)
        raise row.refuse(name, f"{shown(row.values.get(name, columns[column]))}: {first['msg'].lower()}") from error


def _refuse_prices(row: Row, product: Product) -> None:
    """Raise InputError where packs and singles tie, or a pack costs no more than one of them."""
    single, pack, percent = product.single_cents, product.pack_cents, product.discount_percent
    if pack <= single:
        raise row.refuse("pack_5", f"{row.values['pack_5']} is no more than a single pack costs")
    if pack == PACK_UNITS * single:
        raise row.refuse("pack_5", f"{row.values['pack_5']} is what five single packs cost", _TIED)
    if discounted(pack, percent) == PACK_UNITS * discounted(single, percent):
        raise row.refuse("pack_5", f"after the discount, {row.values['pack_5']} is what five single packs cost", _TIED)


def _renamed(row: Row, product: Product, names: dict[str, str]) -> Product:
    new = names[product.id]
    return product if new == product.name else _validated(row, {**product.model_dump(), "name": new})


def _refuse_alike(rows: Sequence[Row], ids: Sequence[str], names: dict[str, str]) -> None:
    for group in alike(names):
        row = rows[ids.index(group[0])]
        others = ", ".join(shown(rows[ids.index(one)].value("product_id")) for one in group[1:])
        raise row.refuse(
            "name", f"{names[group[0]]!r} reads like the name of {others}", "give one of them another name"
        )


def _refuse_few(file: str, products: Sequence[Product]) -> None:
    by_category = Counter(product.category for product in products)
    count = sum(number for number in by_category.values() if number >= CATEGORY_LEAST)
    if count < ASSORTMENT_SIZE[0]:
        found = ", ".join(f"{number} {name}" for name, number in sorted(by_category.items()))
        raise refuse(
            file,
            "",
            "",
            f"{count} products are in a category of {CATEGORY_LEAST} or more ({found})",
            f"a store carries at least {ASSORTMENT_SIZE[0]} such products: add some, or give them common base_tags",
        )


def _counts(words: object) -> dict[str, int]:
    return dict(sorted(Counter(cast("Sequence[str]", words)).items()))
