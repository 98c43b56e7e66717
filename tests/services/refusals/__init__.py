"""Calls that must be refused, by part of the environment: each module holds its `CASES`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from schemas.base import Json
from services.runtime.environment import Environment
from tests.services import sample


class Case(NamedTuple):
    """One call that must be refused with `code`."""

    tool: str
    code: str
    arguments: dict[str, Json]
    start: Callable[[], Environment] = sample.environment


def made(**tables: list[sample.Row]) -> Callable[[], Environment]:
    """Return a maker of environments with these tables."""
    return lambda: sample.environment(sample.NOW, **tables)
