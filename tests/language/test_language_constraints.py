"""What the reader of shopping constraints takes out of a text, and what it does not take for certain."""

from __future__ import annotations

from typing import Any

import pytest

from language.constraints import Constraints, Vocabularies, read_constraints

WORDS = Vocabularies(
    categories=("biscuit", "drink", "meal_replacement", "nuts", "soup"),
    tags=("diabetic_safe", "high_fat", "high_protein", "low_sodium", "low_sugar", "sugar_free"),
    allergens=("contains_egg", "contains_gluten", "contains_nuts"),
)


SAFE_DRINK = {"category": "drink", "tags": ("diabetic_safe",)}
SWEET = {"category": "biscuit", "tags": ("low_sugar", "high_protein")}
NUTLESS = {"category": "soup", "without": "contains_nuts"}


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "When I restock biscuits: low sugar, at most $12 for six units.",
            {"category": "biscuit", "tags": ("low_sugar",), "max_total": 1200, "quantity": 6},
        ),
        ("Biscuits: nut-free, $9.50 tops.", {"category": "biscuit", "without": "contains_nuts", "max_total": 950}),
        ("Soup without any nuts.", {"category": "soup", "without": "contains_nuts"}),
        ("Soup, avoid anything that contains nuts.", {"category": "soup", "without": "contains_nuts"}),
        ("It must not contain eggs.", {"without": "contains_egg"}),
        ("Nuts, up to 20 dollars.", {"category": "nuts", "max_total": 2000}),
        (
            "Meal replacement: sugar-free and low sodium, most fibre per unit wins.",
            {"category": "meal_replacement", "tags": ("sugar_free", "low_sodium"), "objective": "most_fiber"},
        ),
        ("Drinks again? take the cheapest that fits.", {"category": "drink", "objective": "cheapest"}),
        (
            "Soup should be low in sodium and high in protein, 2 at a time, not over $9.",
            {"category": "soup", "tags": ("low_sodium", "high_protein"), "quantity": 2, "max_total": 900},
        ),
        ("drinks: safe for diabetics, as little sugar as possible", {**SAFE_DRINK, "objective": "least_sugar"}),
        ("Two of them will do, I mean drinks.", {"category": "drink", "quantity": 2}),
        ("Get 6 low-sugar and high-protein biscuits.", {**SWEET, "quantity": 6}),
        ("Buy 3. Biscuits low in sugar, high in protein.", {**SWEET, "quantity": 3}),
        ("Always four, and don't spend more than $12 on soup.", {"category": "soup", "quantity": 4, "max_total": 1200}),
        ("Soup: keep it to $8, no eggs.", {"category": "soup", "max_total": 800, "without": "contains_egg"}),
        ("Ben can't have nuts. Soup, whatever costs least.", {**NUTLESS, "objective": "cheapest"}),
        ("I'm allergic to nuts, so for soup as much protein as possible.", {**NUTLESS, "objective": "most_protein"}),
        ("The bike needs a new chain before spring.", {}),
    ],
)
def test_exactly_what_a_text_states_is_read(text: str, stated: dict[str, Any]) -> None:
    assert read_constraints(text, WORDS) == Constraints(**stated)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("Soup or biscuits, low sugar.", "category"),
        ("Soup, not low sugar.", "tag"),
        ("Soup that contains nuts.", "without"),
        ("Soup: low sugar, sugar-free, low sodium.", "tag"),
        ("Soup, no nuts and no gluten.", "without"),
        ("Soup for three weeks.", "quantity"),
        ("Soup, four units or six units.", "quantity"),
        ("The soup was $4.", "max_total"),
        ("Soup, the cheapest with the least sugar.", "objective"),
        ("Soup, not the cheapest.", "objective"),
        ("Soup that isn't low in sugar.", "tag"),
        ("Buy 3 packs of soup.", "quantity"),
        ("Get 6 weeks of soup.", "quantity"),
        ("Soup cost me more than $12.", "max_total"),
    ],
)
def test_what_could_mean_something_else_is_unclear(text: str, field: str) -> None:
    found = read_constraints(text, WORDS)
    assert found.unclear == (field,)
    assert found.fields()[field] is None
