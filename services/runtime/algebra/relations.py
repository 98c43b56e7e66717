"""The relations of the goal algebra over compiled parts. Semantics: `schemas.goal`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from services.runtime.algebra.scalars import aggregate, column, items_of
from services.runtime.algebra.scope import AlgebraError, ExprFn, PredFn, RelFn, Row, Scope, Value
from services.runtime.identity import by_identity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Sort = tuple[ExprFn, bool]
"""A sort key and whether it descends."""
MeasureFn = tuple[str, str, ExprFn | None]
"""Name, function and what is aggregated."""


def values_of(rows: Sequence[Row], of: ExprFn | None, scope: Scope) -> list[Value]:
    """Return what is aggregated per row: `of`, or 1 so that rows are counted."""
    return [1] * len(rows) if of is None else [of(row, scope) for row in rows]


def sort_rows(rows: Sequence[Row], order: Sequence[Sort], scope: Scope) -> list[Row]:
    """Return `rows` sorted by `order`, a list of (key, descending); null is below everything else."""
    result = list(rows)
    for key, descending in reversed(order):
        values = [(value is not None, value) for value in (key(row, scope) for row in result)]
        try:
            indices = sorted(range(len(result)), key=values.__getitem__, reverse=descending)
        except TypeError as error:
            msg = f"sort keys of different types: {error}"
            raise AlgebraError(msg) from error
        result = [result[i] for i in indices]
    return result


def select(
    source: RelFn,
    columns: Sequence[tuple[str, ExprFn]],
    early: PredFn | None,
    late: PredFn | None,
    order: Sequence[Sort],
    limit: int | None,
) -> RelFn:
    """Return the relation `schemas.goal.Select`, whose condition is `early and late`: `early` reads no computed column.

    Columns are then computed for the rows only that may be left.
    """

    def rows_of(scope: Scope) -> Sequence[Row]:
        rows = source(scope)
        if early is not None:
            rows = [row for row in rows if early(row, scope)]
        if columns:
            extended: list[Row] = []
            for row in rows:
                wider = dict(row)
                for name, value in columns:
                    wider[name] = value(wider, scope)
                extended.append(wider)
            rows = extended
        if late is not None:
            rows = [row for row in rows if late(row, scope)]
        if order:
            rows = sort_rows(rows, order, scope)
        return rows if limit is None else rows[:limit]

    return rows_of


def _partners(
    keys: tuple[str, str], left: Sequence[Row], right: Sequence[Row]
) -> Callable[[Row], Sequence[Row]] | None:
    """Return a look-up of matching right rows where `on` is `a = b` with one flat column on each side, else None."""
    for outer, inner in (keys, keys[::-1]):
        if outer in left[0] and outer not in right[0] and inner in right[0]:
            break
    else:
        return None
    try:
        index = _index(right, inner)
    except TypeError:
        return None  # lists are compared, but cannot be looked up
    return lambda row: index.get(row[outer], ())


def _index(rows: Sequence[Row], column: str) -> dict[Value, list[Row]]:
    known = _indexes(rows) if len(rows) >= _MANY else {}
    if column not in known:
        index: dict[Value, list[Row]] = {}
        for row in rows:
            index.setdefault(row[column], []).append(row)
        known[column] = index
    return known[column]


_MANY = 100
"""Rows from which an index is kept: those of a world's table are the same list every time."""


def _no_index(_rows: Sequence[Row]) -> dict[str, dict[Value, list[Row]]]:
    return {}


_indexes = by_identity(_no_index, kept=16)


def kept_join(rows_of: RelFn, left: RelFn, right: RelFn) -> RelFn:
    """Return a join of tables so that its rows are kept while the records of both are the same."""
    known: dict[tuple[int, int], tuple[Sequence[Row], Sequence[Row], Sequence[Row]]] = {}

    def kept(scope: Scope) -> Sequence[Row]:
        one, other = left(scope), right(scope)
        # Rows of records that did not change are one object, which is held here so that its identity stays its own.
        found = known.get((id(one), id(other)))
        if found is None:
            if len(known) >= _KEPT_JOINS:
                known.clear()
            found = known[id(one), id(other)] = (one, other, rows_of(scope))
        return found[2]

    return kept


_KEPT_JOINS = 8
"""Results of one join kept: those of one user, at a few starts."""


def join(
    left: RelFn,
    right: RelFn,
    on: PredFn,
    equal: tuple[str, str] | None,
    right_columns: Callable[[Scope], Sequence[str]] | None,
) -> RelFn:
    """Return the relation `schemas.goal.Join`; `right_columns` is given when unmatched left rows stay."""

    def rows_of(scope: Scope) -> Sequence[Row]:
        left_rows, right_rows = left(scope), right(scope)
        if not left_rows:
            return []
        nothing: Row = {}
        if right_columns is not None:
            nothing = dict.fromkeys(right_rows[0] if right_rows else right_columns(scope))
        partners = _partners(equal, left_rows, right_rows) if equal and right_rows else None
        result: list[Row] = []
        for row in left_rows:
            if partners is not None:
                found = [{**row, **other} for other in partners(row)]
            else:
                found = [both for other in right_rows if on(both := {**row, **other}, scope)]
            result.extend(found or ([{**row, **nothing}] if right_columns is not None else []))
        return result

    return rows_of


def unnest(source: RelFn, list_column: str, name: str) -> RelFn:
    """Return the relation `schemas.goal.Unnest`."""
    read = column(list_column)

    def rows_of(scope: Scope) -> Sequence[Row]:
        return [{**row, name: item} for row in source(scope) for item in items_of(read(row), list_column)]

    return rows_of


def group(source: RelFn, keys: Sequence[str], measures: Sequence[MeasureFn]) -> RelFn:
    """Return the relation `schemas.goal.Group`; groups come in order of their first row."""
    readers = [column(key) for key in keys]

    def rows_of(scope: Scope) -> Sequence[Row]:
        groups: dict[tuple[Value, ...], list[Row]] = {}
        for row in source(scope):
            groups.setdefault(tuple(_key(read(row)) for read in readers), []).append(row)
        return [
            dict(zip(keys, (read(rows[0]) for read in readers), strict=True))
            | {name: aggregate(fn, values_of(rows, of, scope)) for name, fn, of in measures}
            for rows in groups.values()
        ]

    return rows_of


def _key(value: Value) -> Value:
    return tuple(cast("list[Value]", value)) if isinstance(value, list) else value
