"""What a rule is judged by, as relations of the goal algebra: the amounts on record, by period.

A rule on a day, a night or a breakfast is kept or broken by each row on its own. A rule on a week is judged by the sum
of the rows of its seven days, a rule on a workout by each workout. Amounts are in the unit that records store; what is
not on record has no row, so that it is neither kept nor broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from schemas.goal import Col, Column, Const, DateOf, Expr, Group, Measure, Pred, Rel, Select, Table, Test
from services.records.nutrition import Nutrient, day_nutrition, meal_nutrition
from services.rules import METRICS, kept

if TYPE_CHECKING:
    from services.rules import Metric, Period

_EATEN: Mapping[Metric, Nutrient] = {
    "calories_eaten": "calories_dkcal",
    "sugar": "sugar_dg",
    "fat": "fat_dg",
    "fiber": "fiber_dg",
    "sodium": "sodium_mg",
}
_WORN: Mapping[Metric, tuple[str, str]] = {
    "steps": ("wearable_days", "total_steps"),
    "active_zone_minutes": ("wearable_days", "azm"),
    "calories_burned": ("wearable_days", "total_calories"),
    "sleep": ("nights", "asleep"),
}


def _named(source: Rel, period: Expr, amount: Expr, where: Pred | None = None) -> Select:
    columns = [Column(name="period", value=period), Column(name="amount", value=amount)]
    return Select(source=source, columns=columns, where=where)


def _eaten(metric: Metric, period: Period) -> Select:
    if period == "breakfast":
        breakfast = Select(
            source=meal_nutrition(),
            where=Test(fn="eq", left=Col(name="m.meal_type"), right=Const(value="breakfast")),
        )
        return _named(day_nutrition(breakfast), Col(name="day"), Col(name=_EATEN[metric]))
    return _named(day_nutrition(), Col(name="day"), Col(name=_EATEN[metric]))


def _worn(metric: Metric, _: Period) -> Select:
    table, field = _WORN[metric]
    return _named(Table(table=table, prefix="d"), Col(name="d.id"), Col(name=f"d.{field}"))


def _workouts(metric: Metric, _: Period) -> Select:
    """Return the number of workouts on each day that has some."""
    hard = Test(fn="eq", left=Col(name="w.intensity"), right=Const(value="vigorous"))
    dated = Select(
        source=Table(table="workouts", prefix="w"),
        columns=[Column(name="day", value=DateOf(fn="day", args=[Col(name="w.start")]))],
        where=hard if metric == "hard_workouts" else None,
    )
    counted = Group(source=dated, keys=["day"], measures=[Measure(name="workouts", fn="count")])
    return _named(counted, Col(name="day"), Col(name="workouts"))


_SOURCES: Mapping[Metric, Callable[[Metric, Period], Select]] = {
    **dict.fromkeys(_EATEN, _eaten),
    **dict.fromkeys(_WORN, _worn),
    "workouts": _workouts,
    "hard_workouts": _workouts,
}
"""All metrics but the minutes of a workout, which are no number of its record: they lie between its two times."""


def amounts(metric: Metric, period: Period) -> Select:
    """Return the amounts on record: `period`, the day that they are of, and `amount`.

    Raise KeyError where the algebra cannot tell them.
    """
    return _SOURCES[metric](metric, period)


def judged(rows: Rel, metric: Metric, comparison: Expr, value: Expr) -> Select:
    """Return rows of amounts with the column `kept`: 1 where the rule is kept, else 0."""
    verdict = kept(Col(name="amount"), comparison, value, METRICS[metric].scale)
    return Select(source=rows, columns=[Column(name="kept", value=verdict)])
