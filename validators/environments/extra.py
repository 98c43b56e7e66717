"""Checks that a service brings for what its records must agree with, found through the group `pausegen.checks`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from validators.environments.context import Case

GROUP = "pausegen.checks"
Check: TypeAlias = "Callable[[Case, Counter[str]], Iterator[str]]"
"""Yields the faults it finds, in plain words, and tallies what it executed."""
Named: TypeAlias = tuple[str, Check]


@dataclass(frozen=True, slots=True)
class ServiceChecks:
    """Name and function of each check."""

    state: tuple[Named, ...] = ()
    """Of any state at the start of a task."""
    fresh: tuple[Named, ...] = ()
    """Of a freshly made environment."""


@cache
def installed_checks() -> tuple[ServiceChecks, ...]:
    """Return the checks of all installed services, by the name of their entry point, loaded once."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return tuple(cast("ServiceChecks", entry.load()) for entry in found)
