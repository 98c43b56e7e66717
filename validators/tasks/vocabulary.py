"""What the records around a task say: ids, free texts, the values of a column, the texts that name a single record.

Everything comes from declarations. A word that the type of a field lists, or that names a kind of transaction, belongs
to the services and is no text of the user's data. Records of the world are looked at once per world, those of the state
once per user, and those of a setup once per task.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, cast, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

from services.runtime.identity import by_identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json, Scalar
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Table
    from services.runtime.records import Record
    from validators.tasks.context import Rows, TaskContext, UserContext


@lru_cache(maxsize=256)
def free_fields(record: type[Record]) -> tuple[str, ...]:
    """Return the fields of a record type, but the id, that may hold any text."""
    hints = get_type_hints(record)
    return tuple(name for name, hint in hints.items() if name != "id" and str in _parts(hint))


@lru_cache(maxsize=256)
def listed_words(record: type[Record]) -> frozenset[str]:
    """Return the words that the types of a record's fields list."""
    parts = [part for hint in get_type_hints(record).values() for part in _parts(hint)]
    return frozenset(word for part in parts if get_origin(part) is Literal for word in get_args(part))


def _parts(hint: object) -> Iterator[object]:
    """Yield a type and the types inside it."""
    yield hint
    if get_origin(hint) is not Literal:
        for part in get_args(hint):
            yield from _parts(part)


class Vocabulary:
    """The texts of some tables."""

    def __init__(self, tables: Mapping[str, Rows], declared: Mapping[str, Table], words: frozenset[str]) -> None:
        """Look at `tables`, declared as `declared`; `words` are those of the services."""
        self._tables = tables
        self._declared = declared
        self._words = words
        self._columns: dict[tuple[str, str], tuple[Json, ...]] = {}
        self._naming: dict[str, tuple[str, ...]] = {}

    @cached_property
    def holders(self) -> dict[str, list[str]]:
        """The tables that have a record of an id, by id."""
        found: dict[str, list[str]] = {}
        for name, rows in self._tables.items():
            for key in rows:
                found.setdefault(key, []).append(name)
        return found

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all records."""
        return frozenset(self.holders)

    @cached_property
    def texts(self) -> frozenset[str]:
        """All texts that are neither ids nor words of the services."""
        found: set[str] = set()
        for name, rows in self._tables.items():
            for field in free_fields(self._declared[name].record):
                for row in rows.values():
                    found.update(texts_in(row[field]))
        return frozenset(found - self._words - self.ids)

    @cached_property
    def proper_names(self) -> tuple[str, ...]:
        """All values of the text fields in which every value starts with a capital letter."""
        found: dict[str, None] = {}
        for table, rows in self._tables.items():
            for field in free_fields(self._declared[table].record):
                values = [value for value in (row[field] for row in rows.values()) if isinstance(value, str)]
                if len(values) == len(rows) and all(value[:1].isupper() for value in values):
                    found.update((value, None) for value in values)
        return tuple(found)

    def naming(self, table: str) -> tuple[str, ...]:
        """Return the text fields of a table in which no two records are the same."""
        if table not in self._naming:
            declared, rows = self._declared[table], self._tables[table]
            fields = [field for field in free_fields(declared.record) if field not in declared.references]
            values = {field: [row[field] for row in rows.values() if isinstance(row[field], str)] for field in fields}
            self._naming[table] = tuple(f for f in fields if values[f] and len(set(map(str, values[f]))) == len(rows))
        return self._naming[table]

    def column(self, table: str, field: str) -> tuple[Json, ...]:
        """Return the distinct values of a column, the elements of lists one by one."""
        if (table, field) not in self._columns:
            self._columns[table, field] = distinct(self._tables[table], field)
        return self._columns[table, field]


def texts_in(value: Json) -> list[str]:
    """Return the texts in a value: itself, or the elements of a list."""
    if isinstance(value, str):
        return [value]
    return [text for item in value for text in texts_in(item)] if isinstance(value, list) else []


def distinct(rows: Rows, field: str) -> tuple[Json, ...]:
    """Return the distinct values of a field, the elements of lists one by one, sorted."""
    values = (row[field] for row in rows.values())
    items = (item for value in values for item in (value if isinstance(value, list) else [value]))
    return tuple(sorted({cast("Scalar", item) for item in items}, key=lambda item: (type(item).__name__, item)))


_worlds: list[tuple[Mapping[str, Rows], Vocabulary]] = []
"""The world that was looked at last."""
_users: WeakKeyDictionary[UserContext, Vocabulary] = WeakKeyDictionary()


@by_identity
def _service_words(catalogue: Catalogue) -> frozenset[str]:
    tables = [*catalogue.tables.values(), *catalogue.world_tables.values()]
    return frozenset(catalogue.kinds).union(*(listed_words(table.record) for table in tables))


def world_vocabulary(user: UserContext) -> Vocabulary:
    """Return the texts of the user's world."""
    tables = user.world_tables
    if not _worlds or _worlds[0][0] is not tables:
        _worlds[:] = [(tables, Vocabulary(tables, user.catalogue.world_tables, _service_words(user.catalogue)))]
    return _worlds[0][1]


def user_vocabulary(user: UserContext) -> Vocabulary:
    """Return the texts of the user's state before any setup."""
    found = _users.get(user)
    if found is None:
        found = _users[user] = Vocabulary(user.tables, user.catalogue.tables, _service_words(user.catalogue))
    return found


class TaskVocabulary:
    """The texts of world and state at the start of a task."""

    def __init__(self, context: TaskContext) -> None:
        """Look at the world, the user's state and the task's setup."""
        self._context = context
        self._world = world_vocabulary(context.user)
        self._user = user_vocabulary(context.user)
        self._setup = self._of_setup()
        self._named: dict[tuple[str, int], frozenset[str]] = {}

    def _of_setup(self) -> Vocabulary:
        tables: dict[str, Rows] = {}
        for patch in self._context.task.setup:
            if patch.record is not None:
                tables.setdefault(patch.table, {})[patch.id] = self._context.tables[patch.table][patch.id]
        catalogue = self._context.catalogue
        return Vocabulary(tables, catalogue.tables, _service_words(catalogue))

    @property
    def parts(self) -> tuple[Vocabulary, ...]:
        """The vocabularies of world, state and setup."""
        return self._world, self._user, self._setup

    @property
    def proper_names(self) -> tuple[str, ...]:
        """Proper names of the world, such as those of brands."""
        return self._world.proper_names

    def is_id(self, text: str) -> bool:
        """Return whether a record has this id."""
        return any(text in part.ids for part in self.parts)

    def is_free_text(self, text: str) -> bool:
        """Return whether a record says this, and it is no word of the services."""
        return any(text in part.texts for part in self.parts)

    def column(self, table: str, field: str) -> tuple[Json, ...]:
        """Return the distinct values of a column at the start. Raise KeyError for an unknown table or field."""
        if table in self._context.user.world_tables:
            return self._world.column(table, field)
        if any(patch.table == table for patch in self._context.task.setup):
            return distinct(self._context.tables[table], field)
        return self._user.column(table, field)

    def names_of(self, key: str, depth: int = 3) -> frozenset[str]:
        """Return the texts that name the records with this id, and those they refer to."""
        known = self._named.get((key, depth))
        if known is None:
            known = self._named[key, depth] = frozenset(self._names_of(key, depth))
        return known

    def _names_of(self, key: str, depth: int) -> set[str]:
        catalogue, user = self._context.catalogue, self._context.user
        held = {*self._user.holders.get(key, ()), *self._setup.holders.get(key, ())}
        found: set[str] = set()
        for part, holding, tables, declared in (
            (self._world, self._world.holders.get(key, ()), user.world_tables, catalogue.world_tables),
            (self._user, held, self._context.tables, catalogue.tables),
        ):
            for table in holding:
                row = tables[table].get(key)
                if row is None:
                    continue  # the setup takes it away
                # A record that the task brings may lack what names all others.
                found.update(name for field in part.naming(table) if isinstance(name := row[field], str))
                others = {str(row[field]) for field in declared[table].references if field != "id" and row[field]}
                for other in others if depth else ():
                    found |= self.names_of(other, depth - 1)
        return found
