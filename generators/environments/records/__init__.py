"""Seeds the user's log: meals out of a shared table of foods, and sessions; the distributions stand in data files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.moments import day_of
from generators.environments.records.foods import listed_foods
from generators.environments.records.habits import draw_habits
from generators.environments.records.meals import draw_meals
from generators.environments.records.sessions import draw_sessions
from generators.environments.seeder import Seeder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from services.runtime.records import Record
    from services.runtime.streams import Stream


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    habits = draw_habits(c.stream.child("habits"), c.profile, day_of(c.now))
    meals, items = draw_meals(c, c.stream.child("meals"), habits)
    return {"meals": meals, "meal_items": items, "sessions": draw_sessions(c, c.stream.child("sessions"))}


def _shared(_stream: Stream) -> Mapping[str, Sequence[Record]]:
    """Return the table of foods, which is the same in every world."""
    return {"foods": [one.food for one in listed_foods()]}


SEEDER = Seeder("records", _seed, shared=_shared)
