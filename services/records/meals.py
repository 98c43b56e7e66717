"""Tools on meals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import msgspec
from msgspec import Meta

from language.terms import key, words
from schemas.base import Json
from services.moments import RANGE_ERRORS, TIME_ERROR, days_between, minutes_of, moment_of
from services.numbers import tenths
from services.records.amounts import UNITS, tenths_of
from services.records.nutrition import nutrition_of
from services.records.records import Food, Meal, MealItem, MealType
from services.runtime.tools import Context, tool

if TYPE_CHECKING:
    from collections.abc import Iterable


def _or(units: Iterable[str]) -> str:
    *others, last = units
    return f"{', '.join(others)} or {last}"


MEAL_HOURS: tuple[tuple[int, int, MealType], ...] = (
    (5 * 60, 10 * 60 + 30, "breakfast"),
    (11 * 60 + 30, 14 * 60 + 30, "lunch"),
    (17 * 60 + 30, 21 * 60 + 30, "dinner"),
)
"""Minutes of the day, the first included and the last not, at which a meal counts as which; at all others as a snack"""
_SUGGESTIONS = 8
_UNITS = f"{_or(UNITS['g'])} for food, {_or(UNITS['ml'])} for drinks; piece or serving for a usual one of either."


def meal_type_at(time: str) -> MealType:
    """Return which meal is eaten at a time."""
    minute = minutes_of(time)
    for first, last, kind in MEAL_HOURS:
        if first <= minute < last:
            return kind
    return "snack"


def items_of(c: Context, meal: Meal) -> list[tuple[Food, MealItem]]:
    """Return the items of a meal with their foods, by name."""
    found = [(_food(c, item.food_id), item) for item in c.where(MealItem, "meal_id", meal.id)]
    return sorted(found, key=lambda pair: (pair[0].name, pair[1].id))


def _food(c: Context, food_id: str) -> Food:
    food = c.get(Food, food_id)
    if food is None:
        msg = f"the world has no food {food_id!r}"
        raise LookupError(msg)
    return food


def show_meal(c: Context, meal: Meal) -> dict[str, Json]:
    """Return a meal as tools show it."""
    items = items_of(c, meal)
    return {
        "record_id": meal.id,
        "time": meal.time,
        "meal_type": meal.meal_type,
        "items": [
            {"name": food.name, "amount": {"value": tenths(item.amount_tenths), "unit": food.measure}}
            for food, item in items
        ],
        "total_calories": tenths(nutrition_of(items)["calories_dkcal"]),
    }


@tool(
    side="assistant",
    errors=RANGE_ERRORS,
    example={"start_date": "2025-06-01", "end_date": "2025-06-10"},
)
def get_meal_records(
    c: Context,
    start_date: Annotated[str, Meta(description="First day of the range, YYYY-MM-DD.")],
    end_date: Annotated[str, Meta(description="Last day of the range, YYYY-MM-DD.")],
) -> dict[str, Json]:
    """Return the meals that the user logged within a range of days, both ends included, oldest first.

    `meals` [{record_id, time, meal_type: breakfast, lunch, dinner or snack, items [{name, amount {value, unit: g or
    ml}}], total_calories in kcal}]. A day without meals has no log: it does not mean that nothing was eaten.
    """
    first, last = days_between(c, start_date, end_date)
    meals = [meal for meal in c.all(Meal) if first <= meal.time[:10] <= last]
    return {"meals": [show_meal(c, meal) for meal in sorted(meals, key=lambda meal: (meal.time, meal.id))]}


@tool(
    side="assistant",
    errors={"RECORD_NOT_FOUND": "The user has logged no such meal."},
    example={"record_id": "meal_0123456789"},
)
def analysis_meal(
    c: Context, record_id: Annotated[str, Meta(description="Id of a meal, as shown by get_meal_records.")]
) -> dict[str, Json]:
    """Return the nutrition of one meal, worked out from its items and the table of foods.

    `record_id`, `calories` in kcal, `sugar_g`, `fiber_g`, `fat_g`, `protein_g` and `carbs_g` (sugar included) in grams,
    `sodium_mg` in milligrams.
    """
    meal = c.get(Meal, record_id)
    if meal is None:
        c.refuse("RECORD_NOT_FOUND", f"There is no meal {record_id!r}.")
    found = nutrition_of(items_of(c, meal))
    return {
        "record_id": meal.id,
        "calories": tenths(found["calories_dkcal"]),
        "sugar_g": tenths(found["sugar_dg"]),
        "fiber_g": tenths(found["fiber_dg"]),
        "fat_g": tenths(found["fat_dg"]),
        "protein_g": tenths(found["protein_dg"]),
        "carbs_g": tenths(found["carbs_dg"]),
        "sodium_mg": found["sodium_mg"],
    }


class Amount(msgspec.Struct, forbid_unknown_fields=True):
    """How much of a food."""

    value: Annotated[float, Meta(description="Number of units, more than 0.")]
    unit: Annotated[str, Meta(description=_UNITS)]


class Eaten(msgspec.Struct, forbid_unknown_fields=True):
    """One food of a meal."""

    name: Annotated[str, Meta(description="Name of the food, such as Oatmeal.")]
    amount: Annotated[Amount, Meta(description="How much of it.")]


def food_named(c: Context, name: str) -> Food:
    """Return the food of a name. Refuse an unknown one, with foods whose names share a word with it."""
    foods = c.all(Food)
    wanted = key(name)
    found = next((food for food in foods if key(food.name) == wanted), None)
    if found is None:
        parts = {key(word) for word in words(name)}
        alike = sorted(food.name for food in foods if parts & {key(word) for word in words(food.name)})
        c.refuse(
            "FOOD_NOT_FOUND",
            f"The table of foods has no {name!r}.",
            food=name,
            suggestions=cast("list[Json]", alike[:_SUGGESTIONS]),
        )
    return found


def _logged_at(c: Context, timestamp: str) -> str:
    time = moment_of(c, timestamp)
    if time > c.now:
        c.refuse("IN_FUTURE", f"It is {c.now}; a meal is logged after it was eaten.")
    if any(meal.time == time for meal in c.all(Meal)):
        c.refuse("TIME_TAKEN", f"A meal at {time} is logged already.")
    return time


def _eaten(c: Context, item: Eaten) -> tuple[Food, int]:
    food = food_named(c, item.name)
    return food, tenths_of(c, food, item.amount.value, item.amount.unit)


@tool(
    side="assistant",
    write=True,
    errors={
        **TIME_ERROR,
        "IN_FUTURE": "The meal lies after the present time.",
        "TIME_TAKEN": "A meal of exactly this time is logged already.",
        "MEAL_EMPTY": "No item was given.",
        "FOOD_NOT_FOUND": "The table of foods has no such food; `suggestions` names some that are alike.",
        "UNIT_NOT_FOR_FOOD": "The food is not measured in this unit; `units` names those it is.",
        "AMOUNT_OUT_OF_RANGE": "The amount is nothing, negative or beyond what can be eaten at once.",
    },
    example={
        "timestamp": "2025-06-10T08:10:00",
        "items": [{"name": "Oatmeal", "amount": {"value": 250, "unit": "g"}}],
    },
)
def create_meal_record(
    c: Context,
    timestamp: Annotated[str, Meta(description="When it was eaten, local time YYYY-MM-DDTHH:MM:SS, not after now.")],
    items: Annotated[list[Eaten], Meta(description="The foods that were eaten, at least one.")],
) -> dict[str, Json]:
    """Log a meal. Which meal it counts as follows from its time, its nutrition from the table of foods.

    The new meal: `record_id`, `time`, `meal_type`, `items` and `total_calories` in kcal.
    """
    time = _logged_at(c, timestamp)
    if not items:
        c.refuse("MEAL_EMPTY", "A meal has at least one item.")
    eaten = [_eaten(c, item) for item in items]
    meal = c.create(Meal, time=time, meal_type=meal_type_at(time))
    for food, amount in eaten:
        c.create(MealItem, meal_id=meal.id, food_id=food.id, amount_tenths=amount)
    return show_meal(c, meal)


def delete_meal(c: Context, meal: Meal) -> None:
    """Delete a meal with its items."""
    for item in c.where(MealItem, "meal_id", meal.id):
        c.delete(item)
    c.delete(meal)
