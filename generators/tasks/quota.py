"""Which cells of which intents a user's rounds are made of.

All cells of all intents, each as often as its weight, form a cycle. The ten users of a block share its laps, each lap
in an order of its own: a user's round takes some consecutive places, one for each task that is no twin or variation of
another, and the next round goes on where the eighth user's ended. So eight users see every kind of task early, what a
user gets depends on the seed and the index alone, and more rounds change no earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
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
BLOCK_USERS = 10
ROUND_USERS = 8
"""Users of a block after whom the next round goes on in the cycle."""
Place = tuple["Intent", "Cell"]


@dataclass(frozen=True, slots=True)
class Share:
    """What share of a round's ten tasks is of which kind."""

    twins: int = 0
    """Tasks that are twins of others."""
    variations: int = 0
    """Tasks that tell others in another way."""
    multi_intent_percent: int = 0
    """Share of the candidates, on average, that ask for two to four things at once."""

    @property
    def planned(self) -> int:
        """Tasks of a round that stand for a place of the cycle."""
        return ROUND_TASKS - self.twins - self.variations


NO_KIN = Share()


@cache
def installed_intents() -> tuple[Intent, ...]:
    """Return the intents of the entry-point group `pausegen.intents`, by name."""
    entries = sorted(entry_points(group="pausegen.intents"), key=lambda entry: entry.name)
    return tuple(entry.load() for entry in entries)


def _cycle(intents: tuple[Intent, ...]) -> list[Place]:
    return [(intent, cell) for intent in intents for cell in intent.cells for _ in range(cell.weight)]


@lru_cache(maxsize=64)
def _lap(seed: int, block: int, lap: int, intents: tuple[Intent, ...]) -> list[Place]:
    """Return one lap of the cycle in the order that a block takes it."""
    return Stream(seed, "block", block, "quota", lap).shuffled(_cycle(intents))


def places(
    seed: int, user: int, round_index: int, extra: int, intents: tuple[Intent, ...], share: Share = NO_KIN
) -> list[Place]:
    """Return the planned cells of a round and its reserves; a further batch (`extra` > 0) is drawn by weight."""
    cycle = _cycle(intents)
    block, place_in_block = divmod(user, BLOCK_USERS)
    planned: list[Place] = []
    if extra == 0:
        first = share.planned * (ROUND_USERS * round_index + place_in_block)
        for position in range(first, first + share.planned):
            lap, place = divmod(position, len(cycle))
            planned.append(_lap(seed, block, lap, intents)[place])
    reserve = Stream(seed, "user", user, "reserve", round_index, extra)
    count = RESERVES if extra == 0 else ROUND_CANDIDATES
    return planned + [reserve.choice(cycle) for _ in range(count)]
