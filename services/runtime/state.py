"""State: an immutable base and a flat overlay `(table, id) -> record | None`, copied on first write.

Taking and restoring a snapshot is O(1), and the overlay is the difference to the base. The hash of a state is the sum
modulo 2^128 of the hashes of its records, so that it follows from the base's hash and the overlay; it detects drift, it
does not resist an adversary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from services.runtime.blobs import NO_BLOBS, Blobs
from services.runtime.records import MODULUS, Record, encode, record_hash, to_data
from services.runtime.tables import Records, Tables, as_row, load_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from schemas.base import Json
    from services.runtime.algebra import Row

Key = tuple[str, str]
Overlay = dict[Key, Record | None]
Delta = dict[str, dict[str, tuple[dict[str, "Json"] | None, dict[str, "Json"] | None]]]
"""Table -> id -> (record before, record after); a record that did not change is absent."""


class _Absent:
    """Type of the mark for a record that the overlay does not hold."""


_ABSENT: Final = _Absent()
_MOST_KEPT = 1024
"""Results that a base takes over from bases made of it."""


class Kept(NamedTuple):
    """The result of a read of the base, good in every state that agrees with the base on what was read."""

    text: bytes
    """JSON of the result: parsed anew for every caller, so that none can change another's."""
    reads: frozenset[Key]
    tables: frozenset[str]
    """Tables named in `reads`."""


class Base:
    """The records an environment starts from; immutable, shared by all its states."""

    __slots__ = ("_by_name", "_changed", "_origin", "blobs", "hash", "kept", "tables", "world")

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Record]],
        world: Mapping[str, Mapping[str, Record]],
        known_hash: int | None = None,
        blobs: Blobs = NO_BLOBS,
    ) -> None:
        """Hold state and world tables by record id, and blobs; `known_hash` spares hashing records just verified."""
        self.tables = tables if isinstance(tables, Tables) else Tables(tables)
        self.world = world if isinstance(world, Tables) else Tables(world)
        self._by_name = {**self.world, **self.tables}
        self.blobs = blobs
        self.hash = known_hash if known_hash is not None else self.compute_hash()
        self.kept: dict[object, Kept] = {}
        """Results of reads by call; holds nothing that does not follow from the records."""
        self._origin: Base | None = None
        """The base that this one was made of by changes in some tables."""
        self._changed: frozenset[str] = frozenset()

    def compute_hash(self) -> int:
        """Return the hash from all records."""
        return sum(record_hash(t, r) for t, records in self.tables.items() for r in records.values()) % MODULUS

    def records(self, table: str) -> Records:
        """Return the base's records of a state or world table. Raise KeyError when there is none of this name."""
        found = self._by_name.get(table)
        if found is None:
            msg = f"there is no table {table!r}"
            raise KeyError(msg)
        return found

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return all base or world records of `table` as rows, computed once."""
        return self.records(table).rows(prefix)

    def with_changes(self, changes: Iterable[tuple[str, str, Record | None]]) -> Base:
        """Return a base with some records replaced (None deletes); untouched tables are shared."""
        changed: dict[str, dict[str, Record]] = {}
        value = self.hash
        for table, key, record in changes:
            if table not in changed:
                changed[table] = dict(self.tables[table])
            old = changed[table].pop(key, None)
            if old is not None:
                value -= record_hash(table, old)
            if record is not None:
                changed[table][key] = record
                value += record_hash(table, record)
        tables = self.tables.replaced({table: dict(sorted(records.items())) for table, records in changed.items()})
        base = Base(tables, self.world, value % MODULUS, self.blobs)
        base.kept = {call: kept for call, kept in self.kept.items() if kept.tables.isdisjoint(changed)}
        base._origin, base._changed = self, frozenset(changed)
        return base

    def keep(self, call: object, kept: Kept) -> None:
        """Keep the result of a read, also for other bases that are made of what this one was made of."""
        self.kept[call] = kept
        origin = self._origin
        # What was read of tables that did not change is the same there.
        if origin is not None and len(origin.kept) < _MOST_KEPT and kept.tables.isdisjoint(self._changed):
            origin.keep(call, kept)


class State:
    """One state over a base. Reads and writes are by record; nothing is mutated in place."""

    __slots__ = ("_hashes", "_shared", "base", "overlay", "touched")

    def __init__(self, base: Base) -> None:
        """Start at the base, unchanged."""
        self.base = base
        self.overlay: Overlay = {}
        self.touched: dict[str, int] = {}
        """Table -> number of overlay entries, to know quickly which tables equal the base."""
        self._shared = True
        self._hashes: dict[Key, tuple[Record | None, int]] = {}
        """By how much a record that stands in the overlay moves the hash; good while it is the same record."""

    def get(self, table: str, key: str) -> Record | None:
        """Return a state or world record, or None. Raise KeyError for an unknown table."""
        if self.touched.get(table):
            found = self.overlay.get((table, key), _ABSENT)
            if not isinstance(found, _Absent):
                return found
        return self.base.records(table).get(key)

    def scan(self, table: str) -> Iterator[Record]:
        """Yield all records of a state or world table: the base's by id, then created ones in order of creation."""
        return iter(self.all(table))

    def all(self, table: str) -> list[Record]:
        """Return what `scan` yields."""
        records = self.base.records(table)
        if not self.touched.get(table):
            return list(records.values())
        overlay = self.overlay
        current = [overlay.get((table, key), record) for key, record in records.items()]
        created = [r for (name, key), r in overlay.items() if name == table and key not in records]
        return [record for record in (*current, *created) if record is not None]

    def where(self, table: str, field: str, value: object) -> list[Record]:
        """Return the records whose `field` equals `value` in the order of `scan`, through the index of the base."""
        records = self.base.records(table)
        keys = records.index(field).get(value, ())
        if not self.touched.get(table):
            return [records[key] for key in keys]
        changed = {key: record for (name, key), record in self.overlay.items() if name == table}
        fitting = {k: r for k, r in changed.items() if r is not None and getattr(r, field) == value}
        kept = [key for key in keys if key not in changed]
        moved = [key for key in fitting if key in records]
        created = [record for key, record in fitting.items() if key not in records]
        # Base ids are in order, so sorting puts a record that moved into the value where a scan finds it.
        return [fitting.get(key) or records[key] for key in (sorted([*kept, *moved]) if moved else kept)] + created

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

    def agrees(self, reads: Iterable[Key], tables: Iterable[str]) -> bool:
        """Return whether the records `reads`, all in `tables`, are those of the base; id `*` is a whole table."""
        touched = self.touched
        if not any(touched.get(table) for table in tables):
            return True
        overlay = self.overlay
        return not any(touched.get(entry[0]) and (entry[1] == "*" or entry in overlay) for entry in reads)

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
        known = self._hashes
        for entry, record in self.overlay.items():
            found = known.get(entry)
            if found is None or found[0] is not record:
                found = known[entry] = (record, self._moved(entry, record))
            value += found[1]
        return f"{value % MODULUS:032x}"

    def _moved(self, entry: Key, record: Record | None) -> int:
        """Return by how much the hash moves when this is the record, and not that of the base."""
        table, key = entry
        old = self.base.tables[table].get(key)
        value = 0 if old is None else -record_hash(table, old)
        return value if record is None else value + record_hash(table, record)

    def delta(self, since: Overlay | None = None, data: Callable[[Record], dict[str, Json]] = to_data) -> Delta:
        """Return what changed since the overlay `since`, or the base, as JSON data in order of table and id.

        `data` says what a record is as JSON data.
        """
        before, after = since or {}, self.overlay
        delta: Delta = {}
        moved: Iterable[Key] = after
        if before:
            both = after.keys() | before.keys()
            moved = [e for e in both if after.get(e, _ABSENT) is not before.get(e, _ABSENT)]
        for table, key in sorted(moved):
            base = self.base.tables[table].get(key)
            old, new = before.get((table, key), base), after.get((table, key), base)
            if old != new:
                pair = (None if old is None else data(old), None if new is None else data(new))
                delta.setdefault(table, {})[key] = pair
        return delta

    # The methods by which this is a source of the goal algebra.

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return all records of a table as rows."""
        rows = self.base.rows(table, prefix)
        if not self.touched.get(table):
            return rows
        records = self.base.records(table)
        changed = {key: record for (name, key), record in self.overlay.items() if name == table}
        new = {key: None if record is None else as_row(record, prefix) for key, record in changed.items()}
        # Rows of records that did not change are the base's, made once.
        current = [new.get(key, row) for key, row in zip(records, rows, strict=True)]
        created = [row for key, row in new.items() if key not in records]
        return [row for row in (*current, *created) if row is not None]

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        """Return one record as a row."""
        record = self.get(table, key)
        return None if record is None else as_row(record, prefix)

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the field names of a table."""
        return self.base.records(table).columns()


def dump_tables(state: State) -> dict[str, list[dict[str, Json]]]:
    """Return all state records as JSON data, tables and records sorted."""
    return {
        name: [to_data(r) for r in sorted(state.all(name), key=lambda record: record.id)]
        for name in sorted(state.base.tables)
    }


__all__ = ["Base", "Delta", "Key", "Overlay", "State", "Tables", "as_row", "dump_tables", "encode", "load_tables"]
