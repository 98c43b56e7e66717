"""How the requests of a run read: one of each scenario, with the values of their slots masked.

Twins say the same on purpose, so each scenario counts once. What is left when the values are masked is what the
sentence forms bring: how many different requests they make, how often the commonest of them and the commonest opening
come up, and how many pairs of one template read nearly the same, by the measure that selection uses within a block.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from publishing.diversity import distinct, self_bleu
from validators.selection import Reading
from validators.selection.masking import Tokens, masked_instruction
from validators.selection.near import grams_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schemas.base import Json

OPENING = 4
"""Words that count as the opening of a request."""


@dataclass(slots=True)
class Wording:
    """The masked requests of different scenarios."""

    texts: list[Tokens] = field(default_factory=list[Tokens])
    readings: list[Reading] = field(default_factory=list[Reading])
    _scenarios: set[str] = field(default_factory=set[str])

    def add(self, task: Mapping[str, Json], today: str) -> None:
        """Note a task, given as JSON data, unless one of its scenario is known; `today` is the user's day."""
        scenario = str(task["scenario"])
        if scenario in self._scenarios:
            return
        self._scenarios.add(scenario)
        words = masked_instruction(task, today)
        self.texts.append(words)
        self.readings.append(Reading(str(task["template"]), scenario, grams_of(words)))

    def figures(self) -> dict[str, Json]:
        """Return the figures on all that was noted."""
        skeletons = Counter(self.texts)
        opening, begun = _commonest(Counter(words[:OPENING] for words in self.texts))
        pairs, near = self._pairs()
        return {
            "scenarios": len(self.texts),
            "skeletons": len(skeletons),
            "largest": _commonest(skeletons)[1],
            "opening": " ".join(opening),
            "opening_count": begun,
            "distinct_3": round(distinct(self.texts), 4),
            "self_bleu_4": round(self_bleu(self.texts), 4),
            "pairs": pairs,
            "near_pairs": near,
        }

    def _pairs(self) -> tuple[int, int]:
        """Return how many pairs have a template in common, and how many of these read nearly the same."""
        by_template: dict[str, list[Reading]] = {}
        for reading in self.readings:
            by_template.setdefault(reading.template, []).append(reading)
        alike = [combinations(readings, 2) for readings in by_template.values()]
        return (
            sum(math.comb(len(readings), 2) for readings in by_template.values()),
            sum(one.is_near(other) for pairs in alike for one, other in pairs),
        )


def _commonest(counts: Mapping[Tokens, int]) -> tuple[Tokens, int]:
    """Return what was counted most often, the first by words among equals, and how often."""
    ranked: Iterable[tuple[Tokens, int]] = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return next(iter(ranked), ((), 0))
