"""Environments to test with: one world, some users, and records broken in one place."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

from generators.environments import build_environment
from generators.profiles import make_profile
from generators.worlds import make_world
from schemas.base import Json
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.world import World
from validators.environments import EnvironmentContext, check_environment, environment_context
from validators.environments.records import state_hash

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]
SEED = 7


@cache
def world() -> World:
    return make_world(SEED)


@cache
def person(index: int) -> Profile:
    return make_profile(SEED, index)


@cache
def environment(index: int) -> EnvironmentRecord:
    return build_environment(SEED, person(index), world())


@cache
def context() -> EnvironmentContext:
    """A context in which environments need not be made again."""
    return environment_context(world(), rebuild_required=False)


def failed(record: EnvironmentRecord | dict[str, Json]) -> dict[str, str]:
    """Names of failed checks and their reasons."""
    return {v.check: v.reason for v in check_environment(record, context()) if not v.passed}


def changed(record: EnvironmentRecord, change: Callable[[Tables], object], **fields: str) -> EnvironmentRecord:
    """The record with changed tables, its hash right again, and other fields replaced."""
    tables: Tables = copy.deepcopy(record.tables)
    change(tables)
    return record.model_copy(update={"tables": tables, "state_hash": state_hash(tables), **fields})


def first(rows: Rows, **fields: object) -> dict[str, Any]:
    """The first record with these fields."""
    return next(row for row in rows if all(row[name] == value for name, value in fields.items()))
