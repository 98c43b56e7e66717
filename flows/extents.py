"""Which users and tasks one set of shard files covers, what is still to be made, and how the files are named.

Users stand in blocks of ten. An extent is a rectangle inside one block: users [first, last) x tasks [start, stop),
tasks counted per user. Growing a run only adds extents: new users get all their tasks, old users the further ones.
The first extent of a user makes the user, and may hold no tasks; what follows one without tasks has the same users.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BLOCK = 10
"""Users per block."""
ROUND = 10
"""Tasks per round: the unit in which tasks are planned and quotas filled."""
SHARD_TASKS = 100
"""Most tasks per user in one extent, so that memory stays flat; a whole number of rounds."""
PER_TASK_STAGES = ("tasks", "rejects")
"""Stages with one file per extent; the others have one per range of users."""
_NAME = re.compile(r"block-(\d{5,})-u(\d{6,})-(\d{6,})(?:-t(\d{5,})-(\d{5,}))?\.parquet")


Done: TypeAlias = "dict[int, Extent]"
"""The last extent of each user that has one."""


@dataclass(frozen=True, slots=True, order=True)
class Extent:
    """Users [first, last) of one block, tasks [start, stop) of each."""

    first: int
    last: int
    start: int
    stop: int

    @property
    def block(self) -> int:
        """Index of the block the users stand in."""
        return self.first // BLOCK

    @property
    def users(self) -> range:
        """User indices."""
        return range(self.first, self.last)

    @property
    def tasks(self) -> range:
        """Ordinals of the tasks of each user."""
        return range(self.start, self.stop)

    @property
    def alone(self) -> Extent:
        """Return the extent of the same users without tasks."""
        return Extent(self.first, self.last, 0, 0)

    def rounds(self) -> Iterator[tuple[int, range]]:
        """Yield each round that is touched, with the wanted positions within its ten."""
        for number in range(self.start // ROUND, -(-self.stop // ROUND)):
            base = number * ROUND
            yield number, range(max(self.start - base, 0), min(self.stop - base, ROUND))

    def label(self) -> str:
        """Return the extent in words, for messages."""
        users = f"users {self.first}-{self.last - 1}"
        return f"{users}, tasks {self.start}-{self.stop - 1}" if self.tasks else f"{users} without tasks"


def file_name(stage: str, extent: Extent) -> str:
    """Return the path, below the run folder, of the file that holds `stage` of `extent`."""
    users = f"block-{extent.block:05d}-u{extent.first:06d}-{extent.last:06d}"
    tasks = f"-t{extent.start:05d}-{extent.stop:05d}" if stage in PER_TASK_STAGES else ""
    return f"{stage}/{users}{tasks}.parquet"


def read_name(name: str) -> Extent | None:
    """Return the extent that a shard's name states, without tasks for per-user stages; None for any other name."""
    match = _NAME.fullmatch(name)
    if not match:
        return None
    block, first, last, start, stop = (int(group or 0) for group in match.groups())
    extent = Extent(first, last, start, stop)
    inside = first < last <= (block + 1) * BLOCK and extent.block == block
    return extent if inside else None


def connected(extents: Iterable[Extent]) -> tuple[list[Extent], Done]:
    """Return the extents that continue their users' tasks without gap or overlap, and the last one of each user."""
    done: Done = {}
    kept: list[Extent] = []
    for extent in sorted(extents, key=lambda e: (e.start, e.stop > 0, e.first, e.last, e.stop)):
        if all(_continues(extent, done.get(user)) for user in extent.users):
            kept.append(extent)
            done.update(dict.fromkeys(extent.users, extent))
    return kept, done


def _continues(extent: Extent, last: Extent | None) -> bool:
    """Return whether an extent follows the last one of a user."""
    if last is None:
        return extent.start == 0
    return last == extent.alone != extent if extent.start == 0 else last.stop == extent.start


def missing(done: Mapping[int, Extent], users: int, tasks: int) -> Iterator[list[Extent]]:
    """Yield, block by block, the extents that are still to be made, in the order in which to make them.

    `done` holds the last extent of each user that has one.
    """
    for low in range(0, users, BLOCK):
        block = range(low, min(low + BLOCK, users))
        groups = groupby(block, key=lambda user: _alike(done.get(user)))
        wanted = [part for last, members in groups for part in _split(list(members), last, tasks)]
        if wanted:
            yield sorted(wanted, key=lambda e: e.first)


def _alike(last: Extent | None) -> Extent | int | None:
    """Return what users share who are continued together."""
    return None if last is None else last.stop or last


def _split(members: list[int], last: Extent | int | None, stop: int) -> Iterator[Extent]:
    if last is None and not stop:
        yield Extent(members[0], members[-1] + 1, 0, 0)
    start = last if isinstance(last, int) else 0
    while start < stop:
        edge = min(stop, (start // SHARD_TASKS + 1) * SHARD_TASKS)
        yield Extent(members[0], members[-1] + 1, start, edge)
        start = edge
