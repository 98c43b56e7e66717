"""Health tags stand exactly where the published limits say, and labels follow from data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.shopping.labels import free_from, name_allergens, name_claims
from services.shopping.nutrition import COMBINATIONS, HEALTH_TAGS, LIMITS, NUTRIENTS, health_tags

# Food of which nothing is low or high but what a case changes: 200 kcal per 100 g, of which protein is 8 %.
FOOD = {
    "unit": "g",
    "serving_weight": 100,
    "calories_dkcal": 2000,
    "sugar_dg": 100,
    "protein_dg": 40,
    "fat_dg": 100,
    "fiber_dg": 10,
    "sodium_mg": 300,
}
DRINK = {
    "unit": "ml",
    "serving_weight": 200,
    "calories_dkcal": 1000,
    "sugar_dg": 100,
    "protein_dg": 20,
    "fat_dg": 60,
    "fiber_dg": 10,
    "sodium_mg": 400,
}

# The last amount with the tag and the first without, or the other way round, as published: per 100 g of food, and per
# 200 ml of drink, so that 8.75 and 11.25 g per 100 ml are whole tenths of a gram.
EDGES = [
    (FOOD, "low_calorie", "calories_dkcal", 400, 401),
    (DRINK, "low_calorie", "calories_dkcal", 400, 401),
    (FOOD, "high_calorie", "calories_dkcal", 4000, 3999),
    (DRINK, "high_calorie", "calories_dkcal", 1400, 1399),
    (FOOD, "low_fat", "fat_dg", 30, 31),
    (DRINK, "low_fat", "fat_dg", 30, 31),
    (FOOD, "high_fat", "fat_dg", 176, 175),
    (DRINK, "high_fat", "fat_dg", 176, 175),
    (FOOD, "low_sugar", "sugar_dg", 50, 51),
    (DRINK, "low_sugar", "sugar_dg", 50, 51),
    (FOOD, "sugar_free", "sugar_dg", 5, 6),
    (DRINK, "sugar_free", "sugar_dg", 10, 11),
    (FOOD, "high_sugar", "sugar_dg", 226, 225),
    (DRINK, "high_sugar", "sugar_dg", 226, 225),
    (FOOD, "low_sodium", "sodium_mg", 120, 121),
    (DRINK, "low_sodium", "sodium_mg", 240, 241),
    (FOOD, "high_sodium", "sodium_mg", 601, 600),
    (DRINK, "high_sodium", "sodium_mg", 601, 600),
    (FOOD | {"calories_dkcal": 3000}, "high_fiber", "fiber_dg", 60, 59),
    (FOOD | {"calories_dkcal": 1000}, "high_fiber", "fiber_dg", 30, 29),
    (DRINK | {"calories_dkcal": 5000}, "high_fiber", "fiber_dg", 120, 119),
    (DRINK, "high_fiber", "fiber_dg", 30, 29),
    (FOOD, "high_protein", "protein_dg", 100, 99),
    (DRINK, "high_protein", "protein_dg", 50, 49),
]


@pytest.mark.parametrize(("row", "tag", "nutrient", "with_tag", "without"), EDGES)
def test_a_tag_holds_up_to_its_published_limit(
    row: dict[str, object], tag: str, nutrient: str, with_tag: int, without: int
) -> None:
    assert tag in health_tags({**row, nutrient: with_tag})
    assert tag not in health_tags({**row, nutrient: without})


def test_every_tag_has_a_rule_and_an_edge() -> None:
    ruled = {limit.tag for limit in LIMITS} | {combination.tag for combination in COMBINATIONS}
    assert ruled == set(HEALTH_TAGS)
    edged = {(tag, row["unit"]) for row, tag, *_ in EDGES}
    assert edged == {(limit.tag, limit.unit) for limit in LIMITS}


@pytest.mark.parametrize(
    ("change", "safe"),
    [
        ({"sugar_dg": 50, "protein_dg": 100}, True),
        ({"sugar_dg": 50, "fiber_dg": 60}, True),
        ({"sugar_dg": 50}, False),
        ({"sugar_dg": 51, "protein_dg": 100}, False),
        ({"sugar_dg": 50, "protein_dg": 100, "fat_dg": 176}, False),
        ({"sugar_dg": 50, "protein_dg": 100, "sodium_mg": 601}, False),
        ({"sugar_dg": 50, "protein_dg": 200, "calories_dkcal": 4000}, False),
    ],
)
def test_diabetic_safe_needs_little_sugar_nothing_red_and_not_mere_starch(
    change: dict[str, int], *, safe: bool
) -> None:
    assert ("diabetic_safe" in health_tags({**FOOD, **change})) is safe


def test_water_is_high_in_nothing() -> None:
    water = {**DRINK, **dict.fromkeys(NUTRIENTS, 0)}
    assert health_tags(water) == (
        "diabetic_safe",
        "low_calorie",
        "low_fat",
        "low_sodium",
        "low_sugar",
        "sugar_free",
    )


@given(
    unit=st.sampled_from(["g", "ml"]),
    amounts=st.tuples(*(st.integers(0, 9000) for _ in NUTRIENTS)),
    weight=st.integers(1, 1000),
    factor=st.integers(2, 7),
)
def test_tags_do_not_depend_on_the_size_and_never_contradict(
    unit: str, amounts: tuple[int, ...], weight: int, factor: int
) -> None:
    row = {"unit": unit, "serving_weight": weight, **dict(zip(NUTRIENTS, amounts, strict=True))}
    larger = {key: value * factor if isinstance(value, int) else value for key, value in row.items()}
    tags = health_tags(row)
    assert tags == health_tags(larger) == tuple(sorted(set(tags)))
    assert not {("low_" + tag[5:]) for tag in tags if tag.startswith("high_")} & set(tags)
    assert "sugar_free" not in tags or "low_sugar" in tags


@pytest.mark.parametrize("value", ["12", 1.5, None])
def test_an_amount_that_is_no_integer_is_an_error(value: object) -> None:
    with pytest.raises(TypeError, match="sugar_dg"):
        health_tags({**FOOD, "sugar_dg": value})


def test_names_tell_allergens_and_claims_by_whole_words() -> None:
    assert name_allergens("Zero Almond-Oat Bar") == ("contains_gluten", "contains_nuts")
    assert name_allergens("Coconut Goat Crispbread") == ()
    assert name_claims("Lean Protein Pudding") == ("high_protein", "low_fat")
    assert name_claims("Proteinaceous Leaning Tower") == ()


def test_free_from_is_exactly_what_is_lacking() -> None:
    assert free_from([]) == ("gluten_free", "lactose_free")
    assert free_from(["contains_gluten", "contains_nuts"]) == ("lactose_free",)
