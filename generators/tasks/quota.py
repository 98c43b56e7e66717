"""Which cells of which intents a user's rounds are made of.

All cells of all intents, each as often as its weight, form a cycle; a user's cycles are permuted one by one, and round
r takes the
ten places from 10r on. So every user gets every kind of task, in an order of their own, and growing the rounds changes
no earlier one.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from services.runtime.streams import Stream

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Intent

ROUND_TASKS = 10
"""Tasks that a round is to keep."""
RESERVES = 3
"""Candidates beyond them, used where a planned one fails."""
ROUND_CANDIDATES = ROUND_TASKS + RESERVES
Place = tuple["Intent", "Cell"]


@cache
def installed_intents() -> tuple[Intent, ...]:
    """Return the intents of the entry-point group `pausegen.intents`, by name."""
    entries = sorted(entry_points(group="pausegen.intents"), key=lambda entry: entry.name)
    return tuple(entry.load() for entry in entries)


def _cycle(intents: tuple[Intent, ...]) -> list[Place]:
    return [(intent, cell) for intent in intents for cell in intent.cells for _ in range(cell.weight)]


def places(seed: int, user: int, round_index: int, extra: int, intents: tuple[Intent, ...]) -> list[Place]:
    """Return the planned cells of a round and its reserves; a further batch (`extra` > 0) is drawn by weight."""
    cycle = _cycle(intents)
    stream = Stream(seed, "user", user, "quota")
    planned: list[Place] = []
    if extra == 0:
        for position in range(ROUND_TASKS * round_index, ROUND_TASKS * (round_index + 1)):
            lap, place = divmod(position, len(cycle))
            planned.append(stream.child(lap).shuffled(cycle)[place])
    reserve = stream.child("reserve", round_index, extra)
    return planned + [reserve.choice(cycle) for _ in range(ROUND_CANDIDATES - len(planned))]
