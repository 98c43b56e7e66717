"""Fills a round of ten tasks from its candidates, in their order: planned ones, reserves, further batches.

A candidate is taken when it passed its checks, is no duplicate of an earlier one and reads like no other task of its
block, until ten are taken. So position n of a round depends only on the candidates up to the one that took it: asking
for the first five now and the other five later gives the same ten as asking at once, and each candidate is decided
exactly once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

DUPLICATE, QUOTA, KIN = "selection.duplicate", "selection.quota", "selection.kin"
NEAR_DUPLICATE = "selection.near_duplicate"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate as far as selection looks at it."""

    number: int
    """Place among the candidates of the round."""
    keys: tuple[str, ...]
    """What it must not share with another task of the user."""
    check: str = ""
    """The first check that failed; empty when all passed."""
    reason: str = ""
    """Why it failed."""
    of: int | None = None
    """Number of the candidate that it is a twin or a variation of; it is taken only if that one was."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A candidate that is not taken, and why."""

    number: int
    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What becomes of the candidates of a round."""

    kept: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(position in the round, number of the candidate) for the wanted positions."""
    rejected: list[Reject] = field(default_factory=list[Reject])
    """Candidates decided against at the wanted positions."""
    order: list[int] = field(default_factory=list[int])
    """Numbers of the candidates taken for all positions, wanted or not, in order."""
    keys: frozenset[str] = frozenset()
    """Keys of all tasks so far, those of this round included."""

    @property
    def filled(self) -> int:
        """Positions filled, counted from the first, wanted or not."""
        return len(self.order)


def nothing_near(_number: int, _order: Sequence[int]) -> str:
    """Say of every candidate that no task reads like it."""
    return ""


def select_round(
    candidates: Iterable[Candidate],
    taken: Set[str],
    want: range,
    size: int = 10,
    near: Callable[[int, Sequence[int]], str] = nothing_near,
) -> Selection:
    """Return the selection of the positions `want` of a round of `size`.

    `taken` are the keys of the user's earlier tasks. `near` names the task, if there is one, that reads nearly like the
    candidate of a number, given the numbers of those that are taken already. A candidate is decided at the position
    that was free when its turn came, and at the last position when none was.
    """
    kept: list[tuple[int, int]] = []
    rejected: list[Reject] = []
    order, keys = list[int](), set(taken)
    for candidate in candidates:
        reject = _against(candidate, keys, order, size)
        if not reject and (other := near(candidate.number, order)):
            reject = Reject(candidate.number, NEAR_DUPLICATE, other)
        if min(len(order), size - 1) in want:
            if reject:
                rejected.append(reject)
            else:
                kept.append((len(order), candidate.number))
        if not reject:
            order.append(candidate.number)
            keys.update(candidate.keys)
    return Selection(kept, rejected, order, frozenset(keys))


def _against(candidate: Candidate, keys: Set[str], order: list[int], size: int) -> Reject | None:
    if candidate.check:
        return Reject(candidate.number, candidate.check, candidate.reason)
    if candidate.of is not None and candidate.of not in order:
        return Reject(candidate.number, KIN, "the task of whose scenario it is was not kept")
    shared = sorted(keys & set(candidate.keys))
    if shared:
        return Reject(candidate.number, DUPLICATE, f"same {shared[0].partition(' ')[0]} as an earlier task of the user")
    return Reject(candidate.number, QUOTA, "the round was full") if len(order) == size else None
