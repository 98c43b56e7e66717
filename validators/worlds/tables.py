"""Puts a world and the rules it must keep into one in-memory SQLite database, where the checks ask their questions.

Rules come from the same data as the makers' and are applied by other code, so a wrong evaluation of a rule shows.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, TypeAlias, cast

from schemas.base import Json
from schemas.world import PRODUCTS, Product
from services.shopping import labels
from services.shopping.nutrition import COMBINATIONS, LIMITS, NUTRIENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Record: TypeAlias = "Mapping[str, Json]"
"""A world as plain JSON data, which need not be well-formed."""
Row: TypeAlias = "dict[str, Json]"

LISTS = ("health_tags", "allergens", "attributes", "label_tags")
SCALARS = tuple(field for field in Product.model_fields if field not in (*LISTS, "id"))


def products(record: Record) -> list[Row]:
    """Return the product rows. Raises KeyError or TypeError where there are none."""
    tables = record["tables"]
    rows = tables[PRODUCTS] if isinstance(tables, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        msg = f"tables.{PRODUCTS} must be a list of objects"
        raise TypeError(msg)
    return cast("list[Row]", rows)


def open_tables(record: Record) -> sqlite3.Connection:
    """Return a database of the products and rules.

    Raises KeyError for a missing column, and sqlite3.Error for a value that is no scalar.
    """
    database = sqlite3.connect(":memory:")
    for name, (columns, rows) in {**_product_tables(products(record)), **_rule_tables()}.items():
        fields = ", ".join(f'"{column}"' for column in columns)
        marks = ", ".join("?" for _ in columns)
        database.execute(f'CREATE TABLE "{name}" ({fields})')
        database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
    database.execute("CREATE INDEX label_at ON label (product_id, kind, word)")
    database.execute("CREATE INDEX name_word_at ON name_word (product_id, word)")
    return database


def ask(record: Record, questions: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield one fault per answer to each (meaning, query); a query returns a product id and a detail, or nothing."""
    database = open_tables(record)
    try:
        for meaning, query in questions:
            answers: list[tuple[object, object]] = database.execute(query).fetchall()
            for product_id, detail in answers:
                yield f"{product_id} {meaning}: {detail}"
    finally:
        database.close()


def _product_tables(rows: Sequence[Row]) -> dict[str, tuple[Sequence[str], Sequence[tuple[object, ...]]]]:
    """Return products, their nutrients and labels one a row, and the words of their names."""
    return {
        "product": (("product_id", *SCALARS), [tuple(row[column] for column in ("id", *SCALARS)) for row in rows]),
        "nutrient": (
            ("product_id", "nutrient", "amount"),
            [(row["id"], nutrient, row[nutrient]) for row in rows for nutrient in NUTRIENTS],
        ),
        "label": (
            ("product_id", "kind", "place", "word"),
            [
                (row["id"], kind, place, word)
                for row in rows
                for kind in LISTS
                for place, word in enumerate(cast("list[str]", row[kind]))
            ],
        ),
        "name_word": (
            ("product_id", "word"),
            [(row["id"], word) for row in rows for word in re.findall(r"\w+", str(row["name"]).lower())],
        ),
    }


def _rule_tables() -> dict[str, tuple[Sequence[str], Sequence[tuple[object, ...]]]]:
    """Return the thresholds and the rules on labels, one condition a row."""
    return {
        "tag_limit": (
            ("tag", "unit", "nutrient", "relation", "value", "basis"),
            [(at.tag, at.unit, at.nutrient, at.relation, at.value, at.basis) for at in LIMITS],
        ),
        "combination": (
            ("tag", "role", "part"),
            [
                (combination.tag, role, part)
                for combination in COMBINATIONS
                for role, parts in (
                    ("all", combination.all_of),
                    ("any", combination.any_of),
                    ("none", combination.none_of),
                )
                for part in parts
            ],
        ),
        "free_from": (("attribute", "allergen"), list(labels.FREE_FROM.items())),
        "free_label": (("tag", "allergen"), list(labels.FREE_LABELS.items())),
        "excludes": (
            ("attribute", "allergen"),
            [(attribute, allergen) for attribute, allergens in labels.EXCLUDES.items() for allergen in allergens],
        ),
        "not_vegan": (
            ("kind", "word"),
            [("category", word) for word in sorted(labels.NOT_VEGAN_CATEGORIES)]
            + [("name", word) for word in sorted(labels.NOT_VEGAN_WORDS)],
        ),
        "category_allergen": (
            ("category", "allergen"),
            [(category, allergen) for category, found in labels.CATEGORY_ALLERGENS.items() for allergen in found],
        ),
        "name_allergen": (("word", "allergen"), list(labels.NAME_ALLERGENS.items())),
        "name_claim": (("word", "tag"), list(labels.NAME_CLAIMS.items())),
    }
