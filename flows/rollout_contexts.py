"""The tasks of a rollout with what executing them needs, one block of users in memory at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError, StoreError
from flows.rollout_config import digest_of
from flows.rollout_tasks import open_tasks
from validators.tasks import TaskContext, UserContext

if TYPE_CHECKING:
    from schemas.rollout import RolloutConfig


class Contexts:
    """Contexts of tasks, block by block."""

    def __init__(self, config: RolloutConfig, source: Path | None = None) -> None:
        """Open the tasks; `source` is where they lie by now. Raise ConfigError when it holds other tasks."""
        self.path = source or Path(config.source.path)
        """Where the tasks lie."""
        if digest_of(self.path) != config.source.digest:
            raise ConfigError(f"{self.path} is not what was played: its manifest is another one")
        self._tasks = open_tasks(self.path, config.subset)
        self._world = self._tasks.world()
        self._block: int | None = None
        self._loaded: list[TaskContext] = []

    def block(self, index: int, size: int) -> list[TaskContext]:
        """Return the context of each task of a block, in order, the same for all attempts at it.

        Raise StoreError when there are not `size`.
        """
        if self._block != index:
            self._loaded = []  # before the next one is read
            for user in self._tasks.block(index, size):
                context = UserContext(user.environment, self._world)
                self._loaded += [TaskContext(context, task) for task in user.tasks]
            self._block = index
        if len(self._loaded) != size:
            raise StoreError(f"block {index} holds {len(self._loaded)} tasks that fit, where {size} were counted")
        return self._loaded
