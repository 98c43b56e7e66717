"""Whether declared invariants hold of a state, by the second engine: the runtime evaluates them with another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from validators.engine.database import Database, open_database
from validators.engine.goal_sql import GoalSql, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from schemas.base import Json
    from schemas.world import World
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Invariant
    from services.runtime.state import Delta
    from validators.environments.context import Case


class Ready(NamedTuple):
    """Invariants as one statement."""

    listed: tuple[Invariant, ...]
    program: GoalSql
    query: Query


class Rules:
    """The invariants of a catalogue over one world, and a database that holds one state at a time."""

    def __init__(self, catalogue: Catalogue, world: World) -> None:
        """Compile all invariants. Raise GoalError when one reads what no service declares."""
        self._db = open_database(catalogue.tables, catalogue.world_tables)
        self._db.load_world(world.world_id, world.tables)
        self._owner: object = None
        self.invariants = _ready(self._db, catalogue.invariants.values())
        self.seeding = _ready(self._db, (one for service in catalogue.services.values() for one in service.seeding))

    def hold(self, owner: object, tables: Mapping[str, Sequence[Mapping[str, Json]]]) -> Rules:
        """Hold the records of `owner`; nothing is done when they are held already."""
        if self._owner is not owner:
            self._owner = None
            self._db.load_environment("", tables)
            self._owner = owner
        return self

    def patched(self, delta: Delta) -> AbstractContextManager[None]:
        """Hold the state with changes applied, inside a `with` block; may be nested."""
        return self._db.patched(
            [(table, key, after) for table, changes in delta.items() for key, (_, after) in changes.items()]
        )

    def broken(self, ready: Ready, now: str) -> list[str]:
        """Return the invariants that do not hold of the state held, in words."""
        if not ready.listed:
            return []
        (values,) = self._db.run(ready.program, ready.query, {}, now)
        pairs = zip(ready.listed, values, strict=True)
        return [f"not so: {one.text} ({one.name})" for one, value in pairs if value != 1]


def _ready(db: Database, invariants: Iterable[Invariant]) -> Ready:
    listed = tuple(sorted(invariants, key=lambda one: one.name))
    program = GoalSql(db.columns)
    return Ready(listed, program, program.one_row([one.holds for one in listed]))


def invariant_faults(case: Case) -> Iterator[str]:
    """Yield invariants of services that do not hold."""
    rules = case.context.rules.hold(case, case.record.tables)
    yield from rules.broken(rules.invariants, case.record.now)


def seeding_faults(case: Case) -> Iterator[str]:
    """Yield what services ask of a fresh environment and what does not hold."""
    rules = case.context.rules.hold(case, case.record.tables)
    yield from rules.broken(rules.seeding, case.record.now)
