"""Records that never change, with what follows from them: rows of the goal algebra and indexes, computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.runtime.records import Record, fields_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.base import Json
    from services.runtime.algebra import Row
    from services.runtime.declare import Table


def as_row(record: Record, prefix: str) -> Row:
    """Return a record as a row of the goal algebra."""
    return {f"{prefix}.{name}": getattr(record, name) for name in fields_of(type(record))}


class Tables(dict[str, "Mapping[str, Record]"]):
    """Table -> id -> record, ids in order. Never changed after it is made; `replaced` makes another one."""

    __slots__ = ("_indexes", "_rows", "types")

    def __init__(
        self, tables: Mapping[str, Mapping[str, Record]], types: Mapping[str, type[Record]] | None = None
    ) -> None:
        """Hold `tables`; `types` tells the record type of each, without which an empty table has no known columns."""
        super().__init__(tables)
        self.types = types or {}
        self._rows: dict[tuple[str, str], Sequence[Row]] = {}
        self._indexes: dict[tuple[str, str], Mapping[object, Sequence[str]]] = {}

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return all records of `table` as rows. Raise KeyError for an unknown table."""
        found = self._rows.get((table, prefix))
        if found is None:
            found = self._rows[table, prefix] = [as_row(record, prefix) for record in self[table].values()]
        return found

    def index(self, table: str, field: str) -> Mapping[object, Sequence[str]]:
        """Return the ids of records, in order, by value of `field`."""
        found = self._indexes.get((table, field))
        if found is None:
            index: dict[object, list[str]] = {}
            for key, record in self[table].items():
                index.setdefault(getattr(record, field), []).append(key)
            found = self._indexes[table, field] = index
        return found

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the fields of `table`. Raise KeyError when the table is unknown, or empty and of unknown type."""
        first = next(iter(self[table].values()), None)
        return fields_of(self.types[table] if first is None else type(first))

    def replaced(self, changed: Mapping[str, Mapping[str, Record]]) -> Tables:
        """Return the same tables with those in `changed` instead; what follows from the others is kept."""
        tables = Tables({**self, **changed}, self.types)
        tables._rows = {key: rows for key, rows in self._rows.items() if key[0] not in changed}
        tables._indexes = {key: index for key, index in self._indexes.items() if key[0] not in changed}
        return tables


def load_tables(data: Mapping[str, Sequence[Mapping[str, Json]]], tables: Mapping[str, Table]) -> Tables:
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
        try:
            rows = msgspec.convert(data.get(name, []), list[table.record], strict=True)  # type: ignore[name-defined]
        except msgspec.ValidationError as error:
            msg = f"table {name!r}: {error}"
            raise ValueError(msg) from error
        records: dict[str, Record] = {}
        for record in rows:
            if record.id in records:
                msg = f"table {name!r} holds id {record.id!r} twice"
                raise ValueError(msg)
            records[record.id] = record
        loaded[name] = dict(sorted(records.items()))
    return Tables(loaded, {name: table.record for name, table in tables.items()})
