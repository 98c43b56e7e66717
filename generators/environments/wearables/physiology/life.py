"""The body and the habits of one user, drawn together: habits make fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.wearables.physiology.families import families
from generators.environments.wearables.physiology.habits import draw_family, draw_habits
from generators.environments.wearables.physiology.person import draw_person

if TYPE_CHECKING:
    from generators.environments.wearables.physiology.habits import Habits
    from generators.environments.wearables.physiology.person import Person
    from schemas.profile import Profile
    from services.runtime.streams import Stream


def draw_life(profile: Profile, stream: Stream, family: str | None = None) -> tuple[Person, Habits]:
    """Return the body and the habits of a profile, of the named family or of one drawn among those that suit it."""
    name = family or draw_family(profile, stream.child("family"))
    fitness = stream.child("fitness").between(*families().families[name].fitness)
    person = draw_person(profile, fitness, stream.child("person"))
    return person, draw_habits(profile, name, stream.child("habits"))
