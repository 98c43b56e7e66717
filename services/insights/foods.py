"""Which foods serve a goal: the best of the table of foods by one stated measure, diets and exclusions left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

from msgspec import Meta

from language.terms import key
from schemas.base import Json
from schemas.profile_facts import DIETS, Content
from services.account.service import profile_of
from services.numbers import tenths
from services.records.records import Food
from services.runtime.tools import Context, tool

if TYPE_CHECKING:
    from collections.abc import Iterable

FoodGoal = Literal["lose_weight", "build_muscle", "more_fiber", "less_sugar", "less_salt", "less_fat"]
SHOWN = 5
NOT_HEALTH_FOOD = frozenset({"drinks", "fats and sauces", "snacks", "sweets"})
"""Groups that are recommended for nothing."""
CONTENTS: tuple[Content, ...] = get_args(Content)
_PER_KCAL = 1_000_000
_MEASURES: Mapping[FoodGoal, tuple[str, Callable[[Food], int]]] = {
    "lose_weight": ("fewest kcal per 100 g", lambda food: food.calories_dkcal),
    "build_muscle": ("most protein per kcal", lambda food: -_PER_KCAL * food.protein_dg // max(1, food.calories_dkcal)),
    "more_fiber": ("most fiber per 100 g", lambda food: -food.fiber_dg),
    "less_sugar": ("least sugar per 100 g", lambda food: food.sugar_dg),
    "less_salt": ("least sodium per 100 g", lambda food: food.sodium_mg),
    "less_fat": ("least fat per 100 g", lambda food: food.fat_dg),
}
"""What serves each goal, in words and as a number of which less is better."""


def forbidden(diets: Iterable[str]) -> set[str]:
    """Return what whoever keeps the diets does not eat, as far as the diets are known."""
    known = cast("Mapping[str, tuple[Content, ...]]", DIETS)
    return {content for diet in diets for content in known.get(diet, ())}


def _left_out(c: Context, foods: list[Food], exclude: list[str]) -> set[str]:
    """Return the ids of excluded foods. Refuse a word that excludes nothing, so that none is overlooked."""
    out: set[str] = set()
    for word in exclude:
        wanted = key(word)
        hit = {
            food.id
            for food in foods
            if wanted == key(food.name) or wanted == key(food.group) or any(wanted == key(one) for one in food.contents)
        }
        if not hit and not any(wanted == key(content) for content in CONTENTS):
            groups = sorted({food.group for food in foods})
            c.refuse(
                "EXCLUSION_UNKNOWN",
                f"{word!r} is no food, group of foods or content that the table knows.",
                known=cast("list[Json]", [*CONTENTS, *groups]),
            )
        out |= hit
    return out


@tool(
    side="assistant",
    errors={
        "EXCLUSION_UNKNOWN": "An exclusion names nothing that the table of foods knows; `known` lists what it does.",
        "PROFILE_NOT_FOUND": "The account has no profile record.",
    },
    example={"goal": "more_fiber", "exclude": ["nuts"]},
)
def recommend_health_food(
    c: Context,
    goal: Annotated[FoodGoal, Meta(description="What the food should serve.")],
    exclude: Annotated[
        list[str],
        Meta(description="Foods, groups or contents to leave out, such as walnuts, fish or dairy; may be empty."),
    ],
) -> dict[str, Json]:
    """Recommend up to five foods that serve a goal, in keeping with the user's dietary restrictions, best first.

    `measure`, what decides, `respected`, the restrictions that were kept, `not_checked`, those the table of foods
    cannot tell, and `foods` [{name, group, per: 100 g or 100 ml, calories in kcal, protein_g, sugar_g, fat_g, fiber_g,
    sodium_mg}].
    """
    profile, foods = profile_of(c), c.all(Food)
    out, avoid = _left_out(c, foods, exclude), forbidden(profile.dietary_restrictions)
    words, measure = _MEASURES[goal]
    fitting = [
        food
        for food in foods
        if food.id not in out and avoid.isdisjoint(food.contents) and food.group not in NOT_HEALTH_FOOD
    ]
    best = sorted(fitting, key=lambda food: (measure(food), food.name))[:SHOWN]
    return {
        "measure": words,
        "respected": cast("list[Json]", [diet for diet in profile.dietary_restrictions if diet in DIETS]),
        "not_checked": cast("list[Json]", [diet for diet in profile.dietary_restrictions if diet not in DIETS]),
        "foods": [_show(food) for food in best],
    }


def _show(food: Food) -> dict[str, Json]:
    return {
        "name": food.name,
        "group": food.group,
        "per": f"100 {food.measure}",
        "calories": tenths(food.calories_dkcal),
        "protein_g": tenths(food.protein_dg),
        "sugar_g": tenths(food.sugar_dg),
        "fat_g": tenths(food.fat_dg),
        "fiber_g": tenths(food.fiber_dg),
        "sodium_mg": food.sodium_mg,
    }
