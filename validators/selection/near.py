"""When two tasks read nearly the same: what they say around the values of their slots hardly differs.

Requests are compared within a template, by the runs of three words that they have in common. Tasks of one scenario are
meant to be alike, and are told apart by their kin; they are never near-duplicates of each other.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from validators.selection.masking import masked_instruction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from validators.selection.masking import Tokens

NEAR = 0.8
"""Jaccard similarity of word trigrams from which two requests read nearly the same."""
_ORDER = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """How a task reads."""

    template: str
    scenario: str
    grams: frozenset[int]
    """Checksums of the word trigrams of the masked instruction."""

    def is_near(self, other: Reading) -> bool:
        """Return whether this task and another read nearly the same, though they are of different scenarios."""
        if self.template != other.template or self.scenario == other.scenario:
            return False
        return similarity(self.grams, other.grams) >= NEAR


def reading_of(task: Mapping[str, Json], today: str) -> Reading:
    """Return how a task, given as JSON data, reads to a user who asks it on the day `today`, an ISO date."""
    return Reading(str(task["template"]), str(task["scenario"]), grams_of(masked_instruction(task, today)))


def grams_of(words: Tokens) -> frozenset[int]:
    """Return the checksums of the trigrams of a text; a shorter text counts as one."""
    runs = (words[at : at + _ORDER] for at in range(max(1, len(words) - _ORDER + 1)))
    return frozenset(zlib.crc32(" ".join(run).encode()) for run in runs)


def similarity(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the Jaccard similarity of two sets, one of which is not empty."""
    common = len(one & other)
    return common / (len(one) + len(other) - common)


class _Kept(NamedTuple):
    user_id: str
    ordinal: int
    task_id: str
    reading: Reading


class Shelf:
    """How the kept tasks of a block of users read.

    A task is compared with those that are kept whatever the size of the run: of users up to its own in the block, up to
    its own ordinal. Ids of the users of a block sort as their indices do.
    """

    def __init__(self) -> None:
        """Start without tasks."""
        self._by_template: dict[str, list[_Kept]] = {}

    def add(self, user_id: str, ordinal: int, task_id: str, reading: Reading) -> None:
        """Note a kept task."""
        self._by_template.setdefault(reading.template, []).append(_Kept(user_id, ordinal, task_id, reading))

    def near(self, reading: Reading, user_id: str, ordinal: int, first: int) -> str:
        """Return the id of the first task that reads nearly the same as one that would be the task `ordinal` of a user.

        Of the user's own tasks only those before `first` count. Empty when there is none.
        """
        found = (
            kept.task_id
            for kept in self._by_template.get(reading.template, ())
            if (kept.ordinal <= ordinal if kept.user_id < user_id else kept.user_id == user_id and kept.ordinal < first)
            and reading.is_near(kept.reading)
        )
        return min(found, default="")
