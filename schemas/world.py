"""Data shared by many users: immutable tables, named by the hash of their content.

Nutrition is stored per serving, and a serving is the content of one single pack, so that a shop can show it as it is
and any value per 100 g or 100 ml follows from it by integers alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.base import Json, Model, Rows, digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HealthTag: TypeAlias = Literal[
    "diabetic_safe",
    "high_calorie",
    "high_fat",
    "high_fiber",
    "high_protein",
    "high_sodium",
    "high_sugar",
    "low_calorie",
    "low_fat",
    "low_sodium",
    "low_sugar",
    "sugar_free",
]
"""What the nutrition of a product amounts to, by published thresholds."""
Allergen: TypeAlias = Literal["contains_egg", "contains_gluten", "contains_lactose", "contains_nuts", "contains_soy"]
"""What a product contains that some people must avoid."""
Attribute: TypeAlias = Literal["gluten_free", "lactose_free", "organic", "premium", "vegan"]
"""What else a label says of a product."""
Unit: TypeAlias = Literal["g", "ml"]
"""Grams for food, millilitres for drinks; decides which thresholds hold."""
Size: TypeAlias = Literal["single_pack", "pack_5"]
"""How a product is sold: one pack or five together."""

Amount: TypeAlias = Annotated[int, Field(ge=0, le=100_000, strict=True)]
"""An amount in one serving, in the unit that the field's name ends with."""
Cents: TypeAlias = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]
"""A price in cents."""
Word: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
"""A lower-case word of a vocabulary, underscores for spaces."""
Title: TypeAlias = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=80)]
"""A proper name, without white space around it."""
LabelTag: TypeAlias = Annotated[str, Field(pattern=r"^[^\sA-Z]+$", max_length=60)]
"""A tag as a producer prints it, in lower case, underscores for spaces and hyphens, such as `low_sugar`."""
Source: TypeAlias = Literal["generated", "imported"]
"""Where a product comes from: invented here, or taken over from somebody's catalogue."""

PRODUCTS = "products"
"""Name of the world table that holds the product catalogue."""


class Product(Model):
    """One product of the catalogue, what every store that carries it has in common: no stock, no delivery."""

    id: Annotated[str, Field(pattern=r"^p_[0-9a-f]{6}_[0-9]{3,6}$")]
    """Such as `p_0423db_001`; says nothing of the product."""
    name: Title
    """Unique in the world, such as `Cocoa Almond Bar`; with the brand only where an imported name needs it."""
    brand: Title
    """Name of the brand, such as `Velmoru`."""
    category: Word
    """What kind of product it is, such as `biscuit`."""
    health_tags: list[HealthTag]
    """Computed from the nutrition; sorted."""
    allergens: list[Allergen]
    """Sorted."""
    attributes: list[Attribute]
    """Sorted."""
    unit: Unit
    """Unit of `serving_weight`."""
    serving_weight: Annotated[int, Field(ge=1, le=5_000, strict=True)]
    """Content of one single pack, which is one serving, in `unit`."""
    calories_dkcal: Amount
    """Energy of one serving, in tenths of a kilocalorie."""
    sugar_dg: Amount
    """Sugars in one serving, in tenths of a gram."""
    protein_dg: Amount
    """Protein in one serving, in tenths of a gram."""
    fat_dg: Amount
    """Fat in one serving, in tenths of a gram."""
    fiber_dg: Amount
    """Fibre in one serving, in tenths of a gram."""
    sodium_mg: Amount
    """Sodium in one serving, in milligrams."""
    single_cents: Cents
    """List price of one single pack, in cents."""
    pack_units: Literal[5]
    """Single packs in a `pack_5`."""
    pack_cents: Cents
    """List price of one `pack_5`, in cents; never `pack_units` times `single_cents`."""
    discount_percent: Annotated[int, Field(ge=0, le=50, strict=True)]
    """What is taken off both list prices, in percent; 0 when there is no discount."""
    discount_members_only: Annotated[bool, Field(strict=True)]
    """Whether the discount is for members only; false without a discount."""
    label_tags: list[LabelTag]
    """What the producer prints, unchecked: no health tag follows from it. Sorted; empty for generated products."""
    source: Source
    """Generated products also keep rules on nutrition and names that real ones may break."""


class World(Model):
    """One immutable world. Build it with `build_world`, so that its id is the hash of its content."""

    schema_version: Literal[1] = 1
    """Version of this form."""
    world_id: Annotated[str, Field(pattern=r"^w_[0-9a-f]{12}$")]
    """`w_` and the first 12 hexadecimal digits of the SHA-256 over the canonical form of `tables`."""
    tables: Rows
    """Rows by table, each with its `id` and sorted by it; `products` holds `Product` rows, the other tables are those
    that services declare as shared."""


def content_id(tables: Mapping[str, Sequence[Mapping[str, Json]]]) -> str:
    """Return the id of a world that holds these tables."""
    return f"w_{digest(tables)[:12]}"


def build_world(products: Sequence[Product], others: Mapping[str, Sequence[Mapping[str, Json]]] | None = None) -> World:
    """Return the world that holds these products and the rows of `others`, by table, in the order of their ids.

    Raise ValueError when `others` holds products as well.
    """
    if others and PRODUCTS in others:
        msg = f"the table {PRODUCTS!r} is given twice"
        raise ValueError(msg)
    tables: dict[str, list[dict[str, Json]]] = {
        PRODUCTS: [product.model_dump(mode="json") for product in sorted(products, key=lambda product: product.id)]
    }
    for name, rows in (others or {}).items():
        tables[name] = [dict(row) for row in sorted(rows, key=lambda row: str(row["id"]))]
    return World(world_id=content_id(tables), tables=tables)
