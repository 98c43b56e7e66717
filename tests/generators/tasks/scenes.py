"""Real users to make tasks for, built once per session."""

from __future__ import annotations

from functools import cache

from generators.environments import build_environment
from generators.profiles import make_profile
from generators.tasks import Round, make_round
from generators.worlds import make_world
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.world import World

SEED = 11


@cache
def world() -> World:
    """Return the world of the tests."""
    return make_world(SEED)


@cache
def user(index: int) -> tuple[Profile, EnvironmentRecord]:
    """Return a user with their environment."""
    profile = make_profile(SEED, index)
    return profile, build_environment(SEED, profile, world())


@cache
def round_of(index: int, round_index: int = 0, extra: int = 0) -> Round:
    """Return a round of candidates of a user."""
    profile, environment = user(index)
    return make_round(SEED, profile, environment, world(), round_index, extra)
