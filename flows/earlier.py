"""What the users of a block have been given so far: tasks that stand in its shards, and those made since.

Each is read once, for all extents of the block that are made in one go.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from flows.extents import BLOCK, read_name
from flows.shards import read_rows
from validators.selection import Reading, Shelf, duplicate_keys, reading_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from flows.rows import Row
    from schemas.base import Json

_TYPED = ("user_id", "ordinal", "task_id", "template", "scenario", "instruction", "start_hash")
_JSON = ("goals", "intents", "kin", "script")
_Keys = tuple[str, ...]


class Given(NamedTuple):
    """A kept task, as far as later ones are compared with it."""

    user_id: str
    ordinal: int
    task_id: str
    keys: _Keys
    reading: Reading


@dataclass(frozen=True, slots=True)
class Earlier:
    """The kept tasks of a block."""

    shelf: Shelf = field(default_factory=Shelf)
    _keys: dict[str, list[tuple[int, _Keys]]] = field(default_factory=dict[str, "list[tuple[int, _Keys]]"])

    def add(self, task: Given) -> None:
        """Note a kept task."""
        self.shelf.add(task.user_id, task.ordinal, task.task_id, task.reading)
        self._keys.setdefault(task.user_id, []).append((task.ordinal, task.keys))

    def taken(self, user_id: str, before: int) -> frozenset[str]:
        """Return the keys of a user's tasks whose ordinal is below `before`."""
        return frozenset(key for ordinal, keys in self._keys.get(user_id, ()) if ordinal < before for key in keys)


def stored_before(root: Path, block: int) -> Earlier:
    """Return the kept tasks that stand in the shards of a block."""
    days = {str(row["user_id"]): str(row["now"])[:10] for row in _rows(root, "environments", block, ("user_id", "now"))}
    return earlier_of(_rows(root, "tasks", block, (*_TYPED, *(f"{name}_json" for name in _JSON))), days)


def earlier_of(tasks: Iterable[Row], days: Mapping[str, str]) -> Earlier:
    """Return the tasks of some rows, asked by each user on their own day, an ISO date."""
    earlier = Earlier()
    for row in tasks:
        earlier.add(_given(row, days[str(row["user_id"])]))
    return earlier


def _rows(root: Path, stage: str, block: int, columns: tuple[str, ...]) -> Iterator[Row]:
    for file in sorted((root / stage).glob(f"block-{block:05d}-*.parquet")):
        extent = read_name(file.name)
        if extent and extent.first // BLOCK == block:
            yield from read_rows(file, columns)


def _given(row: Row, today: str) -> Given:
    opened = {name: json.loads(str(row[f"{name}_json"])) for name in _JSON}
    task = cast("dict[str, Json]", {**{name: row[name] for name in _TYPED}, **opened})
    named = (str(task["user_id"]), cast("int", task["ordinal"]), str(task["task_id"]))
    return Given(*named, duplicate_keys(task), reading_of(task, today))
