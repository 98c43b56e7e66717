"""State: an immutable base and a flat overlay `(table, id) -> record | None`, copied at the first write after a snapshot.

Taking and restoring a snapshot is O(1), and the overlay is the difference to the base. The hash of a state is the sum modulo 2^128 of the
hashes of its records, so that it follows from the base's hash and the overlay; it detects drift, it does not resist an adversary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from services.runtime.records import MODULUS, Record, encode, fields_of, record_hash, to_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from schemas.base import Json
    from services.runtime.algebra import Row
    from services.runtime.declare import Table

Key = tuple[str, str]
Overlay = dict[Key, Record | None]
Delta = dict[str, dict[str, tuple[dict[str, "Json"] | None, dict[str, "Json"] | None]]]
"""Table -> id -> (record before, record after); a record that did not change is absent."""


def as_row(record: Record, prefix: str) -> Row:
    """Return a record as a row of the goal algebra."""
    return {f"{prefix}.{name}": getattr(record, name) for name in fields_of(type(record))}


class Base:
    """The records an environment starts from; immutable, shared by all its states, with caches that follow from it."""

    __slots__ = ("_indexes", "_rows", "hash", "tables", "world")

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Record]],
        world: Mapping[str, Mapping[str, Record]],
        known_hash: int | None = None,
    ) -> None:
        """Hold state tables and world tables by record id; `known_hash` spares hashing when the caller just verified it."""
        self.tables = tables
        self.world = world
        self._rows: dict[Key, Sequence[Row]] = {}
        self._indexes: dict[tuple[str, str], dict[object, list[str]]] = {}
        self.hash = known_hash if known_hash is not None else self.compute_hash()

    def compute_hash(self) -> int:
        """Return the hash from all records."""
        return sum(record_hash(t, r) for t, records in self.tables.items() for r in records.values()) % MODULUS

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return all base or world records of `table` as rows, computed once."""
        key = (table, prefix)
        if key not in self._rows:
            records = self.tables[table] if table in self.tables else self.world[table]
            self._rows[key] = [as_row(record, prefix) for record in records.values()]
        return self._rows[key]

    def index(self, table: str, field: str) -> dict[object, list[str]]:
        """Return ids by value of `field`, computed once."""
        key = (table, field)
        if key not in self._indexes:
            index: dict[object, list[str]] = {}
            for record in self.tables[table].values():
                index.setdefault(getattr(record, field), []).append(record.id)
            self._indexes[key] = index
        return self._indexes[key]

    def with_changes(self, changes: Iterable[tuple[str, str, Record | None]]) -> Base:
        """Return a base with some records replaced (None deletes); untouched tables are shared."""
        tables: dict[str, Mapping[str, Record]] = dict(self.tables)
        value = self.hash
        for table, key, record in changes:
            records = dict(tables[table])
            old = records.pop(key, None)
            if old is not None:
                value -= record_hash(table, old)
            if record is not None:
                records[key] = record
                value += record_hash(table, record)
            tables[table] = dict(sorted(records.items()))
        changed = Base(tables, self.world, value % MODULUS)
        for key, rows in self._rows.items():
            if key[0] in self.world or tables[key[0]] is self.tables[key[0]]:
                changed._rows[key] = rows
        return changed


class State:
    """One state over a base. Reads and writes are by record; nothing is mutated in place."""

    __slots__ = ("_shared", "base", "overlay", "touched")

    def __init__(self, base: Base) -> None:
        """Start at the base, unchanged."""
        self.base = base
        self.overlay: Overlay = {}
        self.touched: dict[str, int] = {}
        """Table -> number of overlay entries, to know quickly which tables equal the base."""
        self._shared = True

    def get(self, table: str, key: str) -> Record | None:
        """Return a state or world record, or None."""
        found = self.overlay.get((table, key), _ABSENT)
        if found is not _ABSENT:
            return cast("Record | None", found)
        records = self.base.tables.get(table)
        return (self.base.world[table] if records is None else records).get(key)

    def scan(self, table: str) -> Iterator[Record]:
        """Yield all records of a state or world table: the base's in id order, then created ones in order of creation."""
        records = self.base.tables.get(table)
        if records is None:
            yield from self.base.world[table].values()
            return
        if not self.touched.get(table):
            yield from records.values()
            return
        overlay = self.overlay
        for key, record in records.items():
            current = overlay.get((table, key), record)
            if current is not None:
                yield current
        for (name, key), record in overlay.items():
            if name == table and record is not None and key not in records:
                yield record

    def where(self, table: str, field: str, value: object) -> list[Record]:
        """Return the records of a state table whose `field` equals `value`, through the index of the base."""
        if self.touched.get(table):
            return [record for record in self.scan(table) if getattr(record, field) == value]
        records = self.base.tables[table]
        return [records[key] for key in self.base.index(table, field).get(value, ())]

    def set(self, table: str, key: str, record: Record | None) -> None:
        """Put a record, or delete it with None. An entry equal to the base leaves the overlay."""
        if self._shared:
            self.overlay = dict(self.overlay)
            self.touched = dict(self.touched)
            self._shared = False
        entry = (table, key)
        present = entry in self.overlay
        if record == self.base.tables[table].get(key):
            if present:
                del self.overlay[entry]
                self.touched[table] -= 1
            return
        self.overlay[entry] = record
        if not present:
            self.touched[table] = self.touched.get(table, 0) + 1

    def snapshot(self) -> tuple[Overlay, dict[str, int]]:
        """Return the state as a value in O(1); the next write copies the overlay."""
        self._shared = True
        return self.overlay, self.touched

    def restore(self, snapshot: tuple[Overlay, dict[str, int]]) -> None:
        """Return to a snapshot in O(1)."""
        self.overlay, self.touched = snapshot
        self._shared = True

    def hash(self) -> str:
        """Return the state hash as 32 hexadecimal digits."""
        value = self.base.hash
        for (table, key), record in self.overlay.items():
            old = self.base.tables[table].get(key)
            if old is not None:
                value -= record_hash(table, old)
            if record is not None:
                value += record_hash(table, record)
        return f"{value % MODULUS:032x}"

    def delta(self, since: Overlay | None = None) -> Delta:
        """Return what changed since the overlay `since` (the base when not given), as JSON data."""
        before = since or {}
        keys = self.overlay.keys() if not before else sorted(self.overlay.keys() | before.keys())
        delta: Delta = {}
        for table, key in keys:
            base = self.base.tables[table].get(key)
            old, new = before.get((table, key), base), self.overlay.get((table, key), base)
            if old != new:
                pair = (None if old is None else to_data(old), None if new is None else to_data(new))
                delta.setdefault(table, {})[key] = pair
        return delta

    # The two methods by which this is a source of the goal algebra.

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return all records of a table as rows."""
        if not self.touched.get(table):
            return self.base.rows(table, prefix)
        return [as_row(record, prefix) for record in self.scan(table)]

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        """Return one record as a row."""
        record = self.get(table, key)
        return None if record is None else as_row(record, prefix)


_ABSENT: Any = object()


def load_tables(data: Mapping[str, Sequence[Mapping[str, Json]]], tables: Mapping[str, Table]) -> dict[str, dict[str, Record]]:
    """Return JSON records as typed records by id, every declared table present.

    Raise ValueError naming table and record when a table is unknown, an id occurs twice or a record does not fit.
    """
    import msgspec

    unknown = sorted(set(data) - set(tables))
    if unknown:
        msg = f"unknown table {unknown[0]!r}; known: {', '.join(sorted(tables))}"
        raise ValueError(msg)
    loaded: dict[str, dict[str, Record]] = {}
    for name, table in tables.items():
        records: dict[str, Record] = {}
        try:
            rows = msgspec.convert(data.get(name, []), list[table.record], strict=True)  # type: ignore[name-defined]
        except msgspec.ValidationError as error:
            msg = f"table {name!r}: {error}"
            raise ValueError(msg) from error
        for record in rows:
            if record.id in records:
                msg = f"table {name!r} holds id {record.id!r} twice"
                raise ValueError(msg)
            records[record.id] = record
        loaded[name] = dict(sorted(records.items()))
    return loaded


def dump_tables(state: State) -> dict[str, list[dict[str, Json]]]:
    """Return all state records as JSON data, tables and records sorted."""
    return {
        name: [to_data(r) for r in sorted(state.scan(name), key=lambda record: record.id)] for name in sorted(state.base.tables)
    }


__all__ = ["Base", "Delta", "Key", "Overlay", "State", "as_row", "dump_tables", "encode", "load_tables"]
