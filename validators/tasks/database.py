"""The SQL database at the start of a task: one per process, with one world, one environment and one setup at a time."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

from services.runtime.catalogue import installed_catalogue
from validators.engine.database import open_database

if TYPE_CHECKING:
    from services.runtime.catalogue import Catalogue
    from validators.engine.database import Database
    from validators.tasks.context import TaskContext

_numbers = count()


def next_key() -> str:
    """Return a key for data to be loaded under; ids would not do, for a record that was tampered with keeps its id."""
    return str(next(_numbers))


class _Server:
    """A database and the task at whose start it stands."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.db = open_database(catalogue.tables, catalogue.world_tables)
        self.task: TaskContext | None = None
        self.setup = ExitStack()

    def at(self, context: TaskContext) -> Database:
        if self.task is not context:
            self.setup.close()
            self.task = None
            user = context.user
            self.db.load_world(user.world_key, {name: rows.values() for name, rows in user.world_tables.items()})
            self.db.load_environment(user.key, {name: rows.values() for name, rows in user.tables.items()})
            patches = [(patch.table, patch.id, patch.record) for patch in context.task.setup]
            self.setup.enter_context(self.db.patched(patches))
            self.task = context
        return self.db


@cache
def _server() -> _Server:
    return _Server(installed_catalogue())


def database_at(context: TaskContext) -> Database:
    """Return the database, standing at the start of the task; what another task had set up is taken back."""
    return _server().at(context)
