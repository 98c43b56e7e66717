"""Real users and tasks that everything is measured on, the same in every run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from generators.environments import build_environment
from generators.profiles import make_profile
from generators.tasks import make_round
from generators.worlds import make_world
from services import open_environment

if TYPE_CHECKING:
    from schemas.environment import EnvironmentRecord
    from schemas.profile import Profile
    from schemas.task import Task
    from schemas.world import World
    from services.runtime.environment import Environment

SEED = 20260101
USERS = 6


@dataclass(frozen=True, slots=True)
class Person:
    """One user with candidates of the first round."""

    profile: Profile
    environment: EnvironmentRecord
    tasks: list[Task]


@cache
def world() -> World:
    """Return the world."""
    return make_world(SEED)


@cache
def people() -> list[Person]:
    """Return the users."""
    return [_person(index) for index in range(USERS)]


def at_start(person: Person, task: Task) -> Environment:
    """Return the running environment at the start of a task."""
    return open_environment(person.environment, world(), task)


def _person(index: int) -> Person:
    profile = make_profile(SEED, index)
    environment = build_environment(SEED, profile, world())
    return Person(profile, environment, make_round(SEED, profile, environment, world(), 0).candidates)
