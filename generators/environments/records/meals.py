"""Meals of one person: plates filled with foods in portions that lead towards the daily energy goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.moments import DAY, iso_time, moment
from generators.environments.records.habits import MAIN, plates
from services.records.meals import meal_type_at
from services.records.records import Meal, MealItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generators.environments.records.habits import Habits
    from generators.environments.seeder import SeedContext
    from services.records.records import Food, MealType
    from services.runtime.streams import Stream

_MINUTE = 60
_FREE_FROM = 5
"""The first day of the week, Monday 0, of the weekend."""


def draw_meals(c: SeedContext, stream: Stream, habits: Habits) -> tuple[list[Meal], list[MealItem]]:
    """Return the logged meals, none after now, and their items."""
    meals: list[Meal] = []
    items: list[MealItem] = []
    latest = moment(c.now)
    fitting = {kind: _fitting(habits, kind) for kind in plates().plates}
    for day in range(habits.first_day, habits.last_day + 1):
        mine = stream.child(day)
        for kind, minute in _eaten_on(mine, habits, day):
            at = day * DAY + minute * _MINUTE
            if at > latest:
                continue
            time = iso_time(at)
            meals.append(Meal(id=c.new_id("meals"), time=time, meal_type=meal_type_at(time)))
            items += [
                MealItem(id=c.new_id("meal_items"), meal_id=meals[-1].id, food_id=food.id, amount_tenths=amount)
                for food, amount in _plate(mine.child(kind), habits, kind, fitting[kind])
            ]
    return meals, items


def _eaten_on(stream: Stream, habits: Habits, day: int) -> Iterator[tuple[MealType, int]]:
    """Yield the meals of a day that are logged, each with its minute of the day."""
    data = plates()
    # The first day of the calendar, ordinal 1, is a Monday.
    weekend = (day - 1) % 7 >= _FREE_FROM
    for kind in MAIN:
        times = data.times[kind]
        later = times.weekend_later if weekend else 0
        minute = habits.times[kind] + later + stream.between(-times.stray, times.stray)
        if stream.chance(habits.logged, 100):
            yield kind, max(times.within[0], min(times.within[1], minute))
    if stream.chance(habits.logger.snack, 100):
        yield "snack", stream.between(*stream.weighted([(span, weight) for weight, span in data.snack_times]))


def _fitting(habits: Habits, kind: MealType) -> list[tuple[Sequence[str], int]]:
    """Return the plates of a meal that the person has foods for, with weights."""
    return [
        (roles, weight)
        for weight, roles in plates().plates[kind]
        if all(habits.foods.get(role) for role in roles if not role.endswith("?"))
    ]


def _plate(
    stream: Stream, habits: Habits, kind: MealType, fitting: Sequence[tuple[Sequence[str], int]]
) -> list[tuple[Food, int]]:
    """Return the foods of a meal on one of the plates `fitting`, each once, with amounts in tenths."""
    data = plates()
    foods: list[Food] = []
    for role in stream.weighted(fitting):
        wanted = role.removesuffix("?")
        if (role == wanted or stream.chance(data.optional, 100)) and habits.foods.get(wanted):
            foods += _choose(stream, habits, wanted, foods)
    return _portions(stream, habits, kind, foods)


def _choose(stream: Stream, habits: Habits, role: str, taken: Sequence[Food]) -> list[Food]:
    source = habits.usual[role] if stream.chance(plates().usual, 100) else habits.foods[role]
    options = [food for food in source if food not in taken]
    return [stream.choice(options)] if options else []


def _portions(stream: Stream, habits: Habits, kind: MealType, foods: Sequence[Food]) -> list[tuple[Food, int]]:
    """Return amounts: usual servings, those of food scaled towards the meal's share of the day's energy."""
    data = plates()
    usual = sum(food.piece * food.calories_dkcal for food in foods)
    wanted = habits.energy_dkcal * data.energy_share_percent[kind]
    low, high = data.scale_percent
    # A serving of 100 g has the energy that the table states.
    scale = max(low, min(high, 100 * wanted // usual)) if usual else 100
    portions: list[tuple[Food, int]] = []
    for food in foods:
        percent = stream.between(*data.portion_percent) * (scale if food.measure == "g" else 100)
        exact = food.piece * percent
        step = data.portion_step if food.piece >= data.fine_below else 1
        portions.append((food, 10 * step * max(1, (2 * exact + 10_000 * step) // (20_000 * step))))
    return portions
