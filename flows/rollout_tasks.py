"""The tasks that a rollout plays, block after block of users, from a run folder or a release."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, cast

from flows.errors import ConfigError
from flows.extents import BLOCK, read_name
from flows.rows import record_columns, record_of
from flows.shards import read_rows
from flows.store import WORLD_FILE, manifest_of
from publishing.reader import is_release, open_release
from schemas.environment import EnvironmentRecord
from schemas.task import Task
from schemas.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flows.rows import Row
    from publishing.reader import Release
    from schemas.rollout import Subset

_FACTS = ("task_id", "family", "level")


@dataclass(frozen=True, slots=True)
class UserTasks:
    """One user's environment and the tasks that are played in it."""

    environment: EnvironmentRecord
    tasks: list[Task]


class Tasks(Protocol):
    """The tasks of a run or release."""

    def world(self) -> World:
        """Return the world that all users share."""
        ...

    def blocks(self) -> dict[int, int]:
        """Return how many tasks are played, by block of users; only blocks with some."""
        ...

    def block(self, index: int, most: int) -> Iterator[UserTasks]:
        """Yield the users of a block with the tasks that fit, the first `most` of them."""
        ...


def open_tasks(source: Path, subset: Subset) -> Tasks:
    """Return the tasks of a run or release that fit `subset`. Raise StoreError or ReleaseError when it is neither."""
    return ReleaseTasks(source, subset) if is_release(source) else RunTasks(source, subset)


def blocks_of(tasks: Tasks, subset: Subset) -> dict[int, int]:
    """Return how many tasks are played, by block. Raise ConfigError when there are none, or a named one is missing."""
    blocks = tasks.blocks()
    played = sum(blocks.values())
    if not played:
        raise ConfigError("no task fits; choose another --family, --level or --task-id")
    if subset.task_ids and not subset.tasks and played < len(set(subset.task_ids)):
        raise ConfigError(f"{played} of {len(set(subset.task_ids))} named tasks are there and fit; look at --task-id")
    return blocks


def fits(subset: Subset, task_id: object, family: object, level: object) -> bool:
    """Return whether a task is among those that a subset names."""
    return (
        (not subset.families or family in subset.families)
        and (not subset.levels or level in subset.levels)
        and (not subset.task_ids or task_id in subset.task_ids)
    )


class RunTasks:
    """The tasks of a run folder; any block can be read on its own."""

    def __init__(self, root: Path, subset: Subset) -> None:
        self._root = root
        self._subset = subset
        self._files: dict[int, dict[str, list[Path]]] = {}
        for entry in manifest_of(root).files:
            extent = read_name((root / entry.path).name)
            if extent:
                stages = self._files.setdefault(extent.first // BLOCK, {})
                stages.setdefault(entry.stage, []).append(root / entry.path)

    def world(self) -> World:
        """Return the world of the run."""
        (row,) = read_rows(self._root / WORLD_FILE)
        return World.model_validate(record_of("worlds", row))

    def blocks(self) -> dict[int, int]:
        """Count the tasks that fit."""
        found: dict[int, int] = {}
        left = self._subset.tasks
        for index, stages in sorted(self._files.items()):
            rows = [row for file in stages.get("tasks", ()) for row in read_rows(file, _FACTS)]
            count = sum(self._fits(row) for row in rows)
            count = count if left is None else min(count, left)
            left = None if left is None else left - count
            if count:
                found[index] = count
        return found

    def block(self, index: int, most: int) -> Iterator[UserTasks]:
        """Read one block."""
        stages = self._files[index]
        chosen: dict[str, list[Row]] = {}
        rows = [row for file in stages["tasks"] for row in _records(file, "tasks") if self._fits(row)]
        for row in sorted(rows, key=lambda row: (str(row["user_id"]), cast("int", row["ordinal"])))[:most]:
            chosen.setdefault(str(row["user_id"]), []).append(row)
        found = [
            row for file in stages["environments"] for row in _records(file, "environments") if row["user_id"] in chosen
        ]
        for row in sorted(found, key=lambda row: str(row["user_id"])):
            environment = EnvironmentRecord.of_parsed(record_of("environments", row))
            mine = chosen[environment.user_id]
            yield UserTasks(environment, [Task.of_parsed(record_of("tasks", each)) for each in mine])

    def _fits(self, row: Row) -> bool:
        return fits(self._subset, *(row[name] for name in _FACTS))


def _records(file: Path, stage: str) -> list[Row]:
    """Return the rows of a shard without what validation added to the records: as much again, and never played."""
    return read_rows(file, record_columns(stage))


class ReleaseTasks:
    """The tasks of a release, which is read from its start whenever a block before the last one is asked for."""

    def __init__(self, root: Path, subset: Subset) -> None:
        self._release: Release = open_release(root)
        self._subset = subset
        self._next = self._from_start()

    def world(self) -> World:
        """Return the world of the release. Raise ConfigError when it holds several."""
        worlds = list(self._release.worlds())
        if len(worlds) != 1:
            raise ConfigError(f"the release holds {len(worlds)} worlds; a rollout needs one")
        return worlds[0]

    def blocks(self) -> dict[int, int]:
        """Count the tasks that fit."""
        found: dict[int, int] = {}
        left = self._subset.tasks
        for index, users in self._from_start():
            count = sum(len(user.tasks) for user in users)
            count = count if left is None else min(count, left)
            left = None if left is None else left - count
            if count:
                found[index] = count
        return found

    def block(self, index: int, most: int) -> Iterator[UserTasks]:
        """Read on to a block."""
        found = next((users for number, users in self._next if number == index), None)
        if found is None:
            self._next = self._from_start()
            found = next(users for number, users in self._next if number == index)
        for user in found:
            yield UserTasks(user.environment, user.tasks[:most])
            most -= len(user.tasks)
            if most <= 0:
                return

    def _from_start(self) -> Iterator[tuple[int, list[UserTasks]]]:
        for index, users in groupby(self._release.by_user(), key=lambda user: user.profile.index // BLOCK):
            pairs = ((user.environment, [task for task in user.tasks if self._fits(task)]) for user in users)
            yield index, [UserTasks(environment, tasks) for environment, tasks in pairs if tasks]

    def _fits(self, task: Task) -> bool:
        return fits(self._subset, task.task_id, task.family, task.level)
