"""The state in SQLite: worlds and environments loaded once, patches applied inside a savepoint and taken back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from services.runtime.records import fields_of
from validators.engine.encode import SqlValue, decode, encode
from validators.engine.sql import GoalError, quoted

if TYPE_CHECKING:
    from schemas.base import Json
    from services.runtime.declare import Table
    from validators.engine.goal_sql import GoalSql, Query, Step
    from validators.engine.sql import Columns

Record: TypeAlias = Mapping[str, "Json"]
Patch: TypeAlias = "tuple[str, str, Record | None]"
"""Table, id, and the record that replaces it; None deletes it."""
Bound: TypeAlias = dict[str, SqlValue]
"""Parameter -> value."""
T = TypeVar("T")
_Question: TypeAlias = tuple[str, tuple[SqlValue, ...], tuple[int, ...]]
"""Statement, parameters, and the versions of the tables that it reads."""
_KEPT = 1024
"""Compiled goals and prepared statements kept."""
_ANSWERS = 8192
"""Answers kept."""


class _Answer:
    """The rows of a statement, which nobody changes."""

    def __init__(self, rows: list[tuple[SqlValue, ...]]) -> None:
        self.rows = rows

    @cached_property
    def values(self) -> list[tuple[Json, ...]]:
        """The rows as JSON values."""
        return [tuple([value if type(value) is int else decode(value) for value in row]) for row in self.rows]


class Database:
    """One in-memory database per process. Not safe for use from several threads."""

    def __init__(self, state: Columns, world: Columns, indexes: Mapping[str, Sequence[str]] | None = None) -> None:
        """Create the tables of state and world; `id` is indexed, and so are the columns in `indexes`.

        Raises:
            ValueError: a table stands in both.
        """
        if state.keys() & world.keys():
            raise ValueError(f"the table {min(state.keys() & world.keys())!r} is declared for state and world")
        self.columns: Columns = {**state, **world}
        self._state = tuple(state)
        self._world = tuple(world)
        self._loaded = {"state": "", "world": ""}
        self._compiled: dict[bytes, object] = {}
        self._versions = dict.fromkeys(self.columns, 0)
        """What each table holds, as a number; what it held before has another one."""
        self._changes = count(1)
        self._found: dict[_Question, _Answer] = {}
        # Transactions are begun and ended here, never by the module.
        self._connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=_KEPT)
        for name, columns in self.columns.items():
            listed = ", ".join(quoted(c) + (" PRIMARY KEY" if c == "id" else "") for c in columns)
            self._connection.execute(f"CREATE TABLE {quoted(name)} ({listed})")
            for column in (indexes or {}).get(name, ()):
                index = quoted(f"{name} by {column}")
                self._connection.execute(f"CREATE INDEX {index} ON {quoted(name)} ({quoted(column)})")

    def load_world(self, key: str, tables: Mapping[str, Iterable[Record]]) -> None:
        """Hold the world `key`; nothing is done when it is held already, and an empty key is never held."""
        self._load("world", self._world, key, tables)

    def load_environment(self, key: str, tables: Mapping[str, Iterable[Record]]) -> None:
        """Hold the environment `key` instead of the one before, as `load_world` does; not inside `patched`."""
        self._load("state", self._state, key, tables)

    def _load(self, part: str, names: Sequence[str], key: str, tables: Mapping[str, Iterable[Record]]) -> None:
        if key and self._loaded[part] == key:
            return
        unknown = sorted(tables.keys() - set(names))
        if unknown:
            raise ValueError(f"{part} {key!r} holds the table {unknown[0]!r}, which is not declared")
        self._loaded[part] = ""
        self._found.clear()
        self._versions.update((name, next(self._changes)) for name in names)
        self._connection.execute("BEGIN")
        try:
            for name in names:
                self._connection.execute(f"DELETE FROM {quoted(name)}")
                # The last record first: rows that tie in an order come out otherwise than in the direct engine, so
                # that a goal which depends on them is found out.
                self._insert(name, reversed(list(tables.get(name, ()))))
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
        self._loaded[part] = key

    def _insert(self, table: str, records: Iterable[Record]) -> None:
        columns = self.columns[table]
        holes = ", ".join("?" for _ in columns)
        rows = ([v if type(v := record[column]) is int else encode(v) for column in columns] for record in records)
        self._connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({holes})", rows)

    @contextmanager
    def patched(self, patches: Iterable[Patch]) -> Generator[None]:
        """Hold the state with some records replaced, inside the `with` block; may be nested."""
        self._connection.execute('SAVEPOINT "patch"')
        before = self._versions.copy()
        try:
            for table, key, record in patches:
                if table not in self._state:
                    raise ValueError(f"only the state can be patched, and {table!r} is no table of it")
                self._versions[table] = next(self._changes)
                self._connection.execute(f'DELETE FROM {quoted(table)} WHERE "id" = ?', (key,))
                if record is not None:
                    self._insert(table, [record])
            yield
        finally:
            self._connection.execute('ROLLBACK TO "patch"')
            self._connection.execute('RELEASE "patch"')
            self._versions = before

    def bind(self, goal: GoalSql, slots: Mapping[str, Json], now: str) -> Bound:
        """Return the parameters of a goal's queries: constants, slots, clock, and its nodes evaluated in order.

        Raises:
            GoalError: a slot that a node uses is not given, or SQLite cannot evaluate it.
        """
        bound: Bound = {**goal.constants, "today": now[:10], "now": now}
        bound.update({name: encode(slots[slot]) for slot, name in goal.slots.items() if slot in slots})
        for step in goal.steps:
            rows = self._execute(step, bound).rows
            bound.update(zip(step.parameters, rows[0] if rows else (None,) * len(step.parameters), strict=True))
        return bound

    def fetch(self, query: Query, bound: Bound) -> list[tuple[Json, ...]]:
        """Return the rows of a query over the parameters of its goal; nobody changes the list.

        Raises:
            GoalError: a slot that the query uses is not given, or SQLite cannot evaluate it.
        """
        return self._execute(query, bound).values

    def run(self, goal: GoalSql, query: Query, slots: Mapping[str, Json], now: str) -> list[tuple[Json, ...]]:
        """Return the rows of a single query; for several queries of a goal, bind it once."""
        return self.fetch(query, self.bind(goal, slots, now))

    def _execute(self, statement: Step | Query, bound: Bound) -> _Answer:
        """Return the answer to a statement. The same question is asked of SQLite once."""
        try:
            values = tuple([bound[name] for name in statement.needs])
        except KeyError as error:
            raise GoalError(f"a slot of the goal is not given: {error} is not bound") from error
        if float in map(type, values):
            # 1 and 1.0 would be equal keys, and are not the same to SQLite.
            return _Answer(self._ask(statement.sql, values))
        versions = self._versions
        key = (statement.sql, values, tuple([versions[table] for table in statement.reads]))
        known = self._found.get(key)
        if known is None:
            if len(self._found) >= _ANSWERS:
                self._found.clear()
            known = self._found[key] = _Answer(self._ask(statement.sql, values))
        return known

    def _ask(self, sql: str, values: tuple[SqlValue, ...]) -> list[tuple[SqlValue, ...]]:
        try:
            return cast("list[tuple[SqlValue, ...]]", self._connection.execute(sql, values).fetchall())
        except sqlite3.Error as error:
            raise GoalError(f"the goal cannot be evaluated with {values}: {error}") from error

    def compiled(self, key: bytes, build: Callable[[], T]) -> T:
        """Return what `build` gave for `key` before, or gives now."""
        found = self._compiled.get(key)
        if found is None:
            if len(self._compiled) >= _KEPT:
                self._compiled.clear()
            found = self._compiled[key] = build()
        return cast("T", found)


def open_database(state: Mapping[str, Table], world: Mapping[str, Table]) -> Database:
    """Return an empty database for declared tables."""
    every = {**state, **world}
    return Database(
        {name: fields_of(table.record) for name, table in state.items()},
        {name: fields_of(table.record) for name, table in world.items()},
        {name: table.indexes for name, table in every.items()},
    )
