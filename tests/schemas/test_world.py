"""A world is named by its content and by nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from schemas.world import Product, build_world, content_id

if TYPE_CHECKING:
    from schemas.base import Json

ROW: dict[str, Json] = {
    "id": "p_0423db_001",
    "name": "Oat Biscuits",
    "brand": "Velmoru",
    "category": "biscuit",
    "health_tags": [],
    "allergens": ["contains_gluten"],
    "attributes": ["lactose_free"],
    "unit": "g",
    "serving_weight": 100,
    "calories_dkcal": 3000,
    "sugar_dg": 100,
    "protein_dg": 60,
    "fat_dg": 100,
    "fiber_dg": 40,
    "sodium_mg": 300,
    "single_cents": 300,
    "pack_units": 5,
    "pack_cents": 1350,
    "discount_percent": 0,
    "discount_members_only": False,
    "label_tags": [],
    "source": "generated",
}


def test_rows_come_sorted_and_the_id_follows_from_them() -> None:
    first = Product.model_validate(ROW)
    second = first.model_copy(update={"id": "p_0423db_002", "name": "Rye Biscuits"})
    world = build_world([second, first])
    assert [row["id"] for row in world.tables["products"]] == ["p_0423db_001", "p_0423db_002"]
    assert world == build_world([first, second])
    assert world.world_id == content_id(world.tables)
    assert world.world_id != build_world([first]).world_id


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "0423db"),
        ("name", " Oat Biscuits"),
        ("name", ""),
        ("category", "Biscuit"),
        ("health_tags", ["healthy"]),
        ("allergens", ["gluten"]),
        ("unit", "kg"),
        ("serving_weight", 0),
        ("sugar_dg", -1),
        ("sugar_dg", 1.5),
        ("single_cents", 0),
        ("pack_units", 6),
        ("discount_percent", 51),
        ("discount_members_only", 1),
        ("label_tags", ["Low Sugar"]),
        ("label_tags", [""]),
        ("source", "found"),
        ("stock", 5),
    ],
)
def test_a_product_is_refused_with_a_wrong(field: str, value: Json) -> None:
    with pytest.raises(ValidationError, match=field):
        Product.model_validate({**ROW, field: value})
