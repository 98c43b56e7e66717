"""The environments in which one user's conversations start, made from records that are loaded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.runtime.catalogue import Catalogue, installed_catalogue
from services.runtime.door import base_of, known_world
from services.runtime.environment import Environment
from services.runtime.records import from_data

if TYPE_CHECKING:
    from schemas.environment import EnvironmentRecord
    from schemas.task import Task
    from schemas.world import World
    from services.runtime.state import Base


class Starts:
    """One user's environment, opened at the start of any of their tasks. Not safe for use from several threads."""

    def __init__(self, environment: EnvironmentRecord, world: World, catalogue: Catalogue | None = None) -> None:
        """Load the records. Raise ValueError when they do not fit their declarations or name another world."""
        if environment.world_id != world.world_id:
            msg = f"{environment.environment_id} needs world {environment.world_id!r}, not {world.world_id!r}"
            raise ValueError(msg)
        self._record = environment
        self._catalogue = catalogue or installed_catalogue()
        self._base = base_of(environment, known_world(world), self._catalogue)
        self._last: tuple[Task, Base] | None = None

    def open(self, task: Task) -> Environment:
        """Return a fresh environment at the start of `task`. Raise ValueError where that is not what the task says."""
        return Environment(self._at(task), self._catalogue, now=self._record.now, seed=self._record.seed)

    def _at(self, task: Task) -> Base:
        # Attempts at one task come one after the other and share its start, and what was read of it.
        if self._last is None or self._last[0] is not task:
            tables = self._catalogue.tables
            base = self._base.with_changes(
                (p.table, p.id, None if p.record is None else from_data(tables[p.table].record, p.record))
                for p in task.setup
            )
            if f"{base.hash:032x}" != task.start_hash:
                msg = f"{task.task_id}: its start has the hash {base.hash:032x}, not {task.start_hash}"
                raise ValueError(msg)
            self._last = (task, base)
        return self._last[1]
