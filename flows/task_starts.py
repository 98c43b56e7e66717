"""Where the tasks of a run or release start, each by its id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.extents import BLOCK
from flows.rollout_tasks import UserTasks, open_tasks
from generators.dialogue.starts import Starts
from publishing.splits import index_of
from schemas.rollout import Subset

if TYPE_CHECKING:
    from pathlib import Path

    from services.runtime.environment import Environment

_EVERY = 10**9
"""More tasks than any block holds."""


class TaskStarts:
    """Opens environments at the starts of tasks; quick when tasks are asked for in their order."""

    def __init__(self, source: Path) -> None:
        """Open the tasks of a run or release. Raise StoreError or ReleaseError when it is neither."""
        self._tasks = open_tasks(source, Subset())
        self._world = self._tasks.world()
        self._block = -1
        self._users: dict[str, UserTasks] = {}
        self._starts: tuple[str, Starts] | None = None

    def __call__(self, task_id: str) -> Environment:
        """Return a fresh environment at the start of a task. Raise LookupError when there is no such task."""
        user_id = task_id.partition("-")[0]
        block = index_of(user_id) // BLOCK
        if block != self._block:
            self._users = {}  # before the next ones are read
            self._users = {user.environment.user_id: user for user in self._tasks.block(block, _EVERY)}
            self._block = block
        user = self._users[user_id]
        task = next((task for task in user.tasks if task.task_id == task_id), None)
        if task is None:
            raise LookupError(task_id)
        if self._starts is None or self._starts[0] != user_id:
            self._starts = user_id, Starts(user.environment, self._world)
        return self._starts[1].open(task)
