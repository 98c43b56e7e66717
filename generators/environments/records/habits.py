"""How one person eats and logs: usual foods within the diet, usual times, and how much of it is written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from generators.environments.records.foods import PACKAGE, foods_by_role
from language.terms import key
from schemas.profile_facts import DIETS
from services.records.records import MealType

if TYPE_CHECKING:
    from schemas.profile import Profile
    from services.records.records import Food
    from services.runtime.streams import Stream

Range: TypeAlias = tuple[int, int]
MAIN: tuple[MealType, ...] = ("breakfast", "lunch", "dinner")


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MealTimes(_Data):
    """When a meal is eaten, in minutes of the day."""

    usual: Range
    stray: int
    within: Range
    weekend_later: int


class Logger(_Data):
    """One way to keep a log."""

    weight: int
    name: str
    logged: Range
    """Share of main meals that are logged, in percent."""
    snack: int
    """Chance of a logged snack on a day, in percent."""
    days: Range
    """Days until today over which the log reaches."""
    stopped_days_ago: Range | None = None


class Plates(_Data):
    """The data file; its comments say what the figures mean."""

    plates: dict[MealType, list[tuple[int, list[str]]]]
    optional: int
    usual_foods: Range
    usual: int
    liked: int
    portion_percent: Range
    portion_step: int
    fine_below: int
    energy_share_percent: dict[MealType, int]
    scale_percent: Range
    times: dict[MealType, MealTimes]
    snack_times: list[tuple[int, Range]]
    loggers: list[Logger]


@cache
def plates() -> Plates:
    """Return the data file, read once."""
    return Plates.model_validate(read_yaml(PACKAGE, "plates.yaml"))


@dataclass(frozen=True, slots=True)
class Habits:
    """What is drawn once for a person."""

    foods: Mapping[str, Sequence[Food]]
    """All foods of a role that the diets allow."""
    usual: Mapping[str, Sequence[Food]]
    times: Mapping[MealType, int]
    logger: Logger
    logged: int
    """Percent of the main meals."""
    first_day: int
    last_day: int
    """Ordinals of the days over which the log reaches."""
    energy_dkcal: int
    """Daily goal of energy eaten, in tenths of a kilocalorie."""


def draw_habits(stream: Stream, profile: Profile, today: int) -> Habits:
    """Return the habits of a person."""
    data = plates()
    forbidden = {content for diet in profile.dietary_restrictions for content in DIETS[diet]}
    allowed = {
        role: [food for food in foods if forbidden.isdisjoint(food.contents)]
        for role, foods in sorted(foods_by_role().items())
    }
    liked = {key(food) for food in profile.preferences.food}
    usual = {role: _draw_usual(stream.child("usual", role), foods, liked) for role, foods in allowed.items() if foods}
    logger = stream.weighted([(one, one.weight) for one in data.loggers])
    stopped = stream.between(*logger.stopped_days_ago) if logger.stopped_days_ago else 0
    return Habits(
        foods=allowed,
        usual=usual,
        times={meal: stream.child("times", meal).between(*data.times[meal].usual) for meal in MAIN},
        logger=logger,
        logged=stream.between(*logger.logged),
        first_day=today - stream.between(*logger.days) + 1,
        last_day=today - stopped,
        energy_dkcal=10 * profile.daily_goal.calories_intake,
    )


def _draw_usual(stream: Stream, foods: Sequence[Food], liked: set[tuple[str, ...]]) -> list[Food]:
    """Return some foods, liked ones more likely."""
    rest = list(foods)
    found: list[Food] = []
    for _ in range(min(len(rest), stream.between(*plates().usual_foods))):
        found.append(stream.weighted([(food, plates().liked if key(food.name) in liked else 1) for food in rest]))
        rest.remove(found[-1])
    return found
