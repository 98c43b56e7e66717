"""Amounts of food as people say them, in tenths of a gram or of a millilitre."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from services.records.records import Food
    from services.runtime.tools import Context

UNITS: Mapping[str, Mapping[str, str]] = {
    "g": {"g": "10", "kg": "10000", "oz": "283.49523125"},
    "ml": {"ml": "10", "l": "10000", "fl_oz": "295.735295625"},
}
"""Unit -> tenths of a gram or millilitre in it, per measure of a food. An ounce is the international avoirdupois one, a
fluid ounce the US customary one."""
PIECES = ("piece", "serving")
"""Units that stand for one piece or usual serving of the food, whatever it is measured in."""
MOST_TENTHS = 50_000
"""Nobody eats more than five kilograms, or drinks more than five litres, at once."""


def units_for(food: Food) -> list[str]:
    """Return the units in which an amount of a food can be given."""
    return [*UNITS[food.measure], *PIECES]


def tenths_of(c: Context, food: Food, value: float, unit: str) -> int:
    """Return an amount in tenths of a gram or millilitre, half up. Refuse what is no amount of this food."""
    known = {**UNITS[food.measure], **dict.fromkeys(PIECES, str(10 * food.piece))}
    name = unit.strip().lower()
    if name not in known:
        c.refuse(
            "UNIT_NOT_FOR_FOOD",
            f"{food.name} is not measured in {unit!r}; units are {', '.join(known)}.",
            food=food.name,
            units=cast("list[Json]", units_for(food)),
        )
    exact = Decimal(str(value)) * Decimal(known[name])
    amount = int(exact.to_integral_value(ROUND_HALF_UP)) if abs(exact) <= MOST_TENTHS else 0
    if not 1 <= amount <= MOST_TENTHS:
        c.refuse(
            "AMOUNT_OUT_OF_RANGE",
            f"An amount of food is more than nothing and at most {MOST_TENTHS // 10} {food.measure}.",
            food=food.name,
        )
    return amount
