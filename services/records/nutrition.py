"""Nutrition by arithmetic: what meals hold, as a function and as expressions of the goal algebra.

Per nutrient, the amounts of a meal's items times what 100 g hold are summed exactly and rounded once, half up, so that
one item of 200 g and two of 100 g are the same meal. What a day holds is the sum of its meals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, get_args

from schemas.goal import Arith, Col, Column, Const, DateOf, Group, Join, Measure, Rel, Select, Table, Test

if TYPE_CHECKING:
    from collections.abc import Mapping

    from services.records.records import Food, MealItem

Nutrient = Literal["calories_dkcal", "protein_dg", "carbs_dg", "sugar_dg", "fat_dg", "fiber_dg", "sodium_mg"]
NUTRIENTS: tuple[Nutrient, ...] = get_args(Nutrient)
PER_TENTHS = 1000
"""Tenths of a gram in the 100 g that the table of foods speaks of."""
KCAL_PER_GRAM: Mapping[Nutrient, int] = {"protein_dg": 4, "carbs_dg": 4, "fat_dg": 9, "fiber_dg": 2}
"""Tenths of a kilocalorie per tenth of a gram, too."""


def energy_dkcal(protein_dg: int, carbs_dg: int, fat_dg: int, fiber_dg: int) -> int:
    """Return the energy of macronutrients, in tenths of a kilocalorie."""
    parts: Mapping[Nutrient, int] = {
        "protein_dg": protein_dg,
        "carbs_dg": carbs_dg,
        "fat_dg": fat_dg,
        "fiber_dg": fiber_dg,
    }
    return sum(KCAL_PER_GRAM[name] * amount for name, amount in parts.items())


def nutrition_of(items: Iterable[tuple[Food, MealItem]]) -> dict[Nutrient, int]:
    """Return what a meal of these items holds, per nutrient in the unit that its name ends with."""
    listed = list(items)
    sums: dict[Nutrient, int] = {}
    for name in NUTRIENTS:
        sums[name] = sum(item.amount_tenths * getattr(food, name) for food, item in listed)
    return {name: (2 * total + PER_TENTHS) // (2 * PER_TENTHS) for name, total in sums.items()}


def meal_nutrition() -> Select:
    """Return the relation of meals (`m.id`, `m.time`, `m.meal_type`, `day`) with a column per nutrient."""
    eaten = Join(
        left=Join(
            left=Table(table="meals", prefix="m"),
            right=Table(table="meal_items", prefix="i"),
            on=Test(fn="eq", left=Col(name="m.id"), right=Col(name="i.meal_id")),
        ),
        right=Table(table="foods", prefix="f"),
        on=Test(fn="eq", left=Col(name="i.food_id"), right=Col(name="f.id")),
    )
    sums = Group(
        source=eaten,
        keys=["m.id", "m.time", "m.meal_type"],
        measures=[Measure(name=f"{name}_sum", fn="sum", of=_times(name)) for name in NUTRIENTS],
    )
    rounded = [Column(name=name, value=_half_up(f"{name}_sum")) for name in NUTRIENTS]
    return Select(
        source=sums, columns=[Column(name="day", value=DateOf(fn="day", args=[Col(name="m.time")])), *rounded]
    )


def day_nutrition(meals: Rel | None = None) -> Group:
    """Return the relation of days on which something was logged (`day`) with the sum of their meals per nutrient."""
    measures = [Measure(name=name, fn="sum", of=Col(name=name)) for name in NUTRIENTS]
    return Group(source=meals or meal_nutrition(), keys=["day"], measures=measures)


def _times(nutrient: str) -> Arith:
    return Arith(fn="mul", args=[Col(name="i.amount_tenths"), Col(name=f"f.{nutrient}")])


def _half_up(column: str) -> Arith:
    return Arith(fn="div_half_up", args=[Col(name=column), Const(value=PER_TENTHS)])
