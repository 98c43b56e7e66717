"""Means over trajectories with confidence intervals, and what k attempts at a task say together.

Tasks of one user share environment and scenarios, so they are no independent draws: intervals come from drawing whole
users again, with replacement, from a fixed stream (percentile intervals of a cluster bootstrap).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, isfinite
from typing import TYPE_CHECKING

import numpy as np

from schemas.base import Model
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DRAWS = 1_000
"""Times that the users are drawn anew."""
MOST_WORK = 20_000_000
"""Users drawn at most in all; a rollout of very many is drawn less often."""
FEWEST_DRAWS = 200
LOW, HIGH = 2.5, 97.5
"""Percentiles that bound an interval."""


class Figure(Model):
    """A mean with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    number: int
    """What it is the mean of: trajectories, tasks or scenarios."""


class Figures:
    """Gathers values by user, in the memory of some numbers for each."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._users: dict[str, dict[str, tuple[float, int]]] = {}

    def add(self, user: str, values: Mapping[str, float]) -> None:
        """Take the values of one trajectory, task or scenario. Raise ValueError where one is no finite number."""
        odd = [name for name, value in values.items() if not isfinite(value)]
        if odd:
            msg = f"{odd[0]} of {user} is {values[odd[0]]}, which no mean can hold"
            raise ValueError(msg)
        found = self._users.setdefault(user, {})
        for name, value in values.items():
            total, number = found.get(name, (0.0, 0))
            found[name] = (total + value, number + 1)
            self._names.setdefault(name, len(self._names))

    def figures(self) -> dict[str, Figure]:
        """Return each mean with its interval, in the order in which they came up."""
        shape = (len(self._users), len(self._names))
        totals, numbers = np.zeros(shape), np.zeros(shape)
        for at, found in enumerate(self._users.values()):
            for name, (total, number) in found.items():
                totals[at, self._names[name]], numbers[at, self._names[name]] = total, number
        drawn = _drawn_means(totals, numbers)
        made: dict[str, Figure] = {}
        for name, at in self._names.items():
            count = int(numbers[:, at].sum())
            means = drawn[:, at][~np.isnan(drawn[:, at])]
            low, high = (float(edge) for edge in np.percentile(means, [LOW, HIGH]))
            made[name] = Figure(value=float(totals[:, at].sum()) / count, low=low, high=high, number=count)
        return made


def _drawn_means(totals: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of each draw of users; not a number where none of them has a value."""
    size = len(totals)
    draws = max(FEWEST_DRAWS, min(DRAWS, MOST_WORK // max(size, 1)))
    stream = Stream(0, "bootstrap", size)
    found = np.full((draws, totals.shape[1]), np.nan)
    for draw in range(draws):
        words = np.frombuffer(stream.take(4 * size), dtype="<u4").astype(np.uint64)
        times = np.bincount((words * np.uint64(size) >> np.uint64(32)).astype(np.int64), minlength=size)
        number = times @ numbers
        np.divide(times @ totals, number, out=found[draw], where=number > 0)
    return found


def pass_at(attempts: Sequence[bool], k: int) -> float:
    """Return the chance that at least one of k attempts, drawn from these, passes; there must be so many."""
    failed = sum(not passed for passed in attempts)
    return 1 - comb(failed, k) / comb(len(attempts), k)


def pass_all(attempts: Sequence[bool], k: int) -> float:
    """Return the chance that each of k attempts, drawn from these, passes; there must be so many."""
    return comb(sum(attempts), k) / comb(len(attempts), k)
