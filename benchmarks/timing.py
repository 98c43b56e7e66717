"""Time and memory, as the operating system counts them for this process and the ones it started."""

from __future__ import annotations

import resource
import time
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

BATCH_S = 0.01
"""Least CPU time of one timed batch, a thousand times the resolution of the clock."""
BATCHES = 7


def cpu_per_call(call: Callable[[], object]) -> float:
    """Return the CPU seconds of one call: the median over batches that are long enough to time."""
    count = 1
    while (spent := _batch(call, count)) < BATCH_S:
        count = max(count + 1, int(count * min(10.0, 1.2 * BATCH_S / max(spent, 1e-9))))
    return median(_batch(call, count) for _ in range(BATCHES)) / count


def _batch(call: Callable[[], object], count: int) -> float:
    started = time.process_time()
    for _ in range(count):
        call()
    return time.process_time() - started


@dataclass(slots=True)
class Spent:
    """What a stretch of work cost."""

    own_s: float = 0.0
    """CPU seconds of this process."""
    children_s: float = 0.0
    """CPU seconds of the processes it started and waited for."""
    wall_s: float = 0.0

    @property
    def cpu_s(self) -> float:
        """Return the CPU seconds of all of them."""
        return self.own_s + self.children_s


@contextmanager
def spending() -> Generator[Spent]:
    """Count what the block costs; read the result after it."""
    spent = Spent()
    own, children, wall = _cpu(resource.RUSAGE_SELF), _cpu(resource.RUSAGE_CHILDREN), time.perf_counter()
    yield spent
    spent.own_s = _cpu(resource.RUSAGE_SELF) - own
    spent.children_s = _cpu(resource.RUSAGE_CHILDREN) - children
    spent.wall_s = time.perf_counter() - wall


def _cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
