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


class Records(dict[str, Record]):
    """The records of one table by id, ids in order. Never changed after they are put in."""

    __slots__ = ("_indexes", "_rows", "kind")

    def __init__(self, records: Mapping[str, Record], kind: type[Record] | None = None) -> None:
        """Hold `records`; without `kind`, their type, an empty table has no known columns."""
        super().__init__(records)
        first = next(iter(records.values()), None)
        self.kind = kind if first is None else type(first)
        self._rows: dict[str, Sequence[Row]] = {}
        self._indexes: dict[str, Mapping[object, Sequence[str]]] = {}

    def rows(self, prefix: str) -> Sequence[Row]:
        """Return all records as rows."""
        found = self._rows.get(prefix)
        if found is None:
            found = self._rows[prefix] = [as_row(record, prefix) for record in self.values()]
        return found

    def index(self, field: str) -> Mapping[object, Sequence[str]]:
        """Return the ids of records, in order, by value of `field`."""
        found = self._indexes.get(field)
        if found is None:
            index: dict[object, list[str]] = {}
            for key, record in self.items():
                index.setdefault(getattr(record, field), []).append(key)
            found = self._indexes[field] = index
        return found

    def columns(self) -> tuple[str, ...]:
        """Return the fields of the records. Raise LookupError when the table is empty and its type was not told."""
        if self.kind is None:
            msg = "an empty table of unknown type has no known columns"
            raise LookupError(msg)
        return fields_of(self.kind)


class Tables(dict[str, Records]):
    """Records by table. Never changed after it is made; `replaced` makes another one."""

    def __init__(
        self, tables: Mapping[str, Mapping[str, Record]], types: Mapping[str, type[Record]] | None = None
    ) -> None:
        """Hold `tables`; `types` tells the record type of each."""
        known = types or {}
        super().__init__(
            {
                name: records if isinstance(records, Records) else Records(records, known.get(name))
                for name, records in tables.items()
            }
        )

    def replaced(self, changed: Mapping[str, Mapping[str, Record]]) -> Tables:
        """Return the same tables with those in `changed` instead; what follows from the others is shared."""
        return Tables({**self, **{name: Records(rows, self[name].kind) for name, rows in changed.items()}})


def load_tables(data: Mapping[str, Sequence[Mapping[str, Json]]], tables: Mapping[str, Table]) -> Tables:
    """Return JSON records as typed records by id, every declared table present.

    Raise ValueError naming table and record when a table is unknown, an id occurs twice or a record does not fit.
    """
    import msgspec

    unknown = sorted(set(data) - set(tables))
    if unknown:
        msg = f"unknown table {unknown[0]!r}; known: {', '.join(sorted(tables))}"
        raise ValueError(msg)
    loaded: dict[str, Records] = {}
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
        loaded[name] = Records(dict(sorted(records.items())), table.record)
    return Tables(loaded)
