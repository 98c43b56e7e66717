"""Records of the user's log, and the shared table of foods. All amounts are whole numbers of their unit."""

from __future__ import annotations

from typing import Literal

from services.runtime.records import Record, Time

MealType = Literal["breakfast", "lunch", "dinner", "snack"]


class Food(Record, frozen=True):
    """One food or drink of the world, with what is in 100 g, or in 100 ml of what is measured in millilitres.

    Energy follows from the rest: 4 kcal/g of protein and carbohydrate, 9 of fat, 2 of fibre (Regulation (EU) No
    1169/2011, annex XIV).
    """

    name: str
    """A common noun, not a proper name."""
    group: str
    """Kind of food, such as `fruit`."""
    measure: Literal["g", "ml"]
    piece: int
    """Grams or millilitres of one piece, or of one usual serving of what has no pieces."""
    calories_dkcal: int
    """Tenths of a kilocalorie."""
    protein_dg: int
    """Tenths of a gram."""
    carbs_dg: int
    """Digestible carbohydrate, sugar included, in tenths of a gram."""
    sugar_dg: int
    fat_dg: int
    fiber_dg: int
    sodium_mg: int
    contents: tuple[str, ...]
    """What is in it that a diet may forbid; words of `schemas.profile_facts.Content`, sorted."""


class Meal(Record, frozen=True):
    """Something eaten at one time; no two meals share a time."""

    time: Time
    meal_type: MealType
    """Follows from the time of day when it is logged by a tool."""


class MealItem(Record, frozen=True):
    """How much of one food a meal held."""

    meal_id: str
    food_id: str
    amount_tenths: int
    """Tenths of a gram or of a millilitre, as the food is measured."""


class LoggedSession(Record, frozen=True):
    """A stretch of time spent on something, such as study or meditation; no two begin at one time."""

    session_type: str
    start: Time
    end: Time
    note: str | None
