"""What changed between start and end, record by record, and the facts that a contract is compared with.

A fact is a changed record, or a changed row of the view of a table that has one. Deltas hold no entry that changes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import add
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from schemas.base import Json

if TYPE_CHECKING:
    from services.runtime.declare import Table, View

Row: TypeAlias = Mapping[str, Json]
Pair: TypeAlias = tuple[Row | None, Row | None]
"""A record before and after; None where it did not exist."""
Delta: TypeAlias = Mapping[str, Mapping[str, Pair]]
"""Table -> id -> the record before and after."""
Op: TypeAlias = Literal["create", "update", "delete"]
Keys: TypeAlias = tuple[Json, ...]
Sums: TypeAlias = tuple[int, ...]
Held: TypeAlias = Mapping[str, Iterable[Row]]
"""Viewed table -> its records at the start. Without it, a view row is taken to consist of changed records only."""
HeldRows: TypeAlias = Mapping[Keys, Sequence[Row]]
"""The records of one viewed table at the start, by the row of the view that they are part of."""


class Fact(NamedTuple):
    """One change that a contract must account for, unless it is `free`."""

    op: Op
    table: str
    id: str
    """Empty for a row of a view."""
    before: Row | None
    after: Row | None


def op_of(pair: Pair) -> Op:
    """Return what happened to a record. Raise ValueError for a pair of nothing and nothing."""
    before, after = pair
    if before is None and after is None:
        raise ValueError("a change must hold a record before or after")
    return "create" if before is None else "delete" if after is None else "update"


def created_records(delta: Delta, table: str) -> list[Row]:
    """Return the records of `table` that were created."""
    return [after for before, after in delta.get(table, {}).values() if before is None and after is not None]


def rows_held(held: Held, tables: Mapping[str, Table]) -> dict[str, HeldRows]:
    """Return records of viewed tables by the rows of their views. Raise KeyError for a table that is not declared."""
    found: dict[str, HeldRows] = {}
    for name, records in held.items():
        view = tables[name].view
        if view is not None:
            rows: dict[Keys, list[Row]] = {}
            for record in records:
                rows.setdefault(_keys(record, view), []).append(record)
            found[name] = rows
    return found


def facts_of(delta: Delta, tables: Mapping[str, Table], held: Mapping[str, HeldRows]) -> list[Fact]:
    """Return the facts of `delta`. Raise KeyError for a table that is not declared."""
    return [
        fact for table, records in delta.items() for fact in table_facts(tables[table], records, held.get(table, {}))
    ]


def table_facts(table: Table, records: Mapping[str, Pair], held: HeldRows) -> list[Fact]:
    """Return the facts of the changed `records` of one table; `held` are those at the start by row of its view."""
    if table.view is not None:
        return view_facts(table.name, records, table.view, held)
    return [Fact(op_of(pair), table.name, key, *pair) for key, pair in records.items()]


class ViewRow(NamedTuple):
    """The changed part of one row of a view: its sums over the changed records, before and after."""

    before: Sums
    after: Sums


def view_rows(records: Mapping[str, Pair], view: View) -> dict[Keys, ViewRow]:
    """Return the rows of the view that the changed `records` are part of, by the values of its keys."""
    rows: dict[Keys, ViewRow] = {}
    nothing = ViewRow((0,) * len(view.sums), (0,) * len(view.sums))
    for before, after in records.values():
        if before is not None:
            keys = _keys(before, view)
            row = rows.get(keys, nothing)
            rows[keys] = ViewRow(_add(row.before, before, view), row.after)
        if after is not None:
            keys = _keys(after, view)
            row = rows.get(keys, nothing)
            rows[keys] = ViewRow(row.before, _add(row.after, after, view))
    return rows


def _keys(record: Row, view: View) -> Keys:
    return tuple([record[field] for field in view.keys])


def _add(sums: Sums, record: Row, view: View) -> Sums:
    return tuple([total + cast("int", record[field]) for total, field in zip(sums, view.sums, strict=True)])


def view_facts(table: str, records: Mapping[str, Pair], view: View, held: HeldRows) -> list[Fact]:
    """Return the rows of a view that differ between start and end. A row exists while one of its sums is not zero."""
    rows = view_rows(records, view)
    rest: dict[Keys, Sums] = {}
    for keys in rows:
        for record in held.get(keys, ()):
            if record["id"] not in records:
                rest[keys] = _add(rest.get(keys, (0,) * len(view.sums)), record, view)
    facts: list[Fact] = []
    for keys, row in rows.items():
        extra = rest.get(keys)
        before, after = _shown(keys, row.before, extra, view), _shown(keys, row.after, extra, view)
        if before != after:
            facts.append(Fact(op_of((before, after)), table, "", before, after))
    return facts


def _shown(keys: Keys, sums: Sums, extra: Sums | None, view: View) -> Row | None:
    total = sums if extra is None else tuple(map(add, sums, extra))
    return dict(zip((*view.keys, *view.sums), (*keys, *total), strict=True)) if any(total) else None
