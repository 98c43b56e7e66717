"""What every reachable state of the user's log satisfies, and every table of foods."""

from __future__ import annotations

from schemas.goal import Any, Arith, Col, Const, Group, Measure, Select, Table, Test
from services.predicates import below, distinct, joined, none, paired, where
from services.records.amounts import MOST_TENTHS
from services.records.nutrition import KCAL_PER_GRAM
from services.runtime.declare import Invariant


def _more(column: str, other: str) -> Test:
    return Test(fn="gt", left=Col(name=column), right=Col(name=other))


_MEALS = Table(table="meals", prefix="m")
_ITEMS = Group(
    source=Table(table="meal_items", prefix="i"), keys=["i.meal_id"], measures=[Measure(name="items", fn="count")]
)
_BAD_AMOUNTS = where(
    "meal_items",
    "i",
    Any(
        of=[
            below("i.amount_tenths", 1),
            Test(fn="gt", left=Col(name="i.amount_tenths"), right=Const(value=MOST_TENTHS)),
        ]
    ),
)
_BAD_SESSIONS = where("sessions", "s", Test(fn="ge", left=Col(name="s.start"), right=Col(name="s.end")))

INVARIANTS = (
    Invariant(
        name="meals_have_items",
        text="Every meal has items, and items belong to meals.",
        holds=paired(joined(_ITEMS, _MEALS, ("i.meal_id", "m.id")), _MEALS, _ITEMS),
    ),
    Invariant(
        name="amounts_eaten",
        text=f"An amount eaten is more than nothing and at most {MOST_TENTHS // 10} g or ml.",
        holds=none(_BAD_AMOUNTS),
    ),
    Invariant(
        name="meals_at_different_times", text="No two meals are of the same time.", holds=distinct("meals", "time")
    ),
    Invariant(name="sessions_end", text="Every session ends after it starts.", holds=none(_BAD_SESSIONS)),
    Invariant(
        name="sessions_start_apart",
        text="No two sessions start at the same time.",
        holds=distinct("sessions", "start"),
    ),
)

_ENERGY = Arith(
    fn="add",
    args=[Arith(fn="mul", args=[Const(value=kcal), Col(name=f"f.{part}")]) for part, kcal in KCAL_PER_GRAM.items()],
)
_MASS = Arith(fn="add", args=[Col(name=f"f.{part}") for part in KCAL_PER_GRAM])
_FOODS = Table(table="foods", prefix="f")
_HEAVIEST_DRINK_DG = 1300
"""A millilitre weighs at most 1.3 g, as syrup does."""

WORLD_RULES = (
    Invariant(
        name="food_energy",
        text="The energy of a food is that of its macronutrients.",
        holds=none(
            Select(source=_FOODS, where=Test(fn="ne", left=Col(name="f.calories_dkcal"), right=_ENERGY)),
        ),
    ),
    Invariant(
        name="food_parts",
        text="The parts of a food weigh no more than the whole, sugar is carbohydrate, and nothing is negative.",
        holds=none(
            Select(
                source=_FOODS,
                where=Any(
                    of=[
                        _more("f.sugar_dg", "f.carbs_dg"),
                        Test(fn="gt", left=_MASS, right=Const(value=_HEAVIEST_DRINK_DG)),
                        *(below(f"f.{part}", 0) for part in (*KCAL_PER_GRAM, "sugar_dg", "sodium_mg")),
                        below("f.piece", 1),
                    ]
                ),
            )
        ),
    ),
    Invariant(name="food_names", text="No two foods have the same name.", holds=distinct("foods", "name")),
)
