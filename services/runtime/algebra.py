"""The direct engine of the goal algebra: expressions, predicates and relations compiled to closures.

Used by the runtime for gates and invariants, by the planner for goals, and on tool results for derived values. Validators evaluate goals
with an engine of their own. Semantics: `schemas.goal`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Sequence

Value: TypeAlias = object
Row: TypeAlias = Mapping[str, Value]


class Source(Protocol):
    """Where tables come from."""

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return the records of `table` as rows with columns `prefix.column`; raise KeyError for an unknown table."""
        ...

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        """Return the record with id `key` as a row, or None."""
        ...


class Scope:
    """What an expression may read beside its row: the tables, the clock, the slots and the nodes evaluated before."""

    __slots__ = ("nodes", "now", "slots", "source")

    def __init__(self, source: Source, now: str, slots: Mapping[str, Value]) -> None:
        """Make a scope with no nodes evaluated yet."""
        self.source = source
        self.now = now
        self.slots = slots
        self.nodes: dict[str, Value] = {}


class AlgebraError(ValueError):
    """An expression that cannot be evaluated: an unknown slot, column or node, or a value of the wrong type."""


ExprFn: TypeAlias = Callable[[Row, Scope], Value]
PredFn: TypeAlias = Callable[[Row, Scope], bool]
RelFn: TypeAlias = Callable[[Scope], "Sequence[Row]"]
NO_ROW: Row = {}


# --- scalar functions -------------------------------------------------------------------------------------------


def _to_int(value: Value, factor: int) -> int:
    exact = Decimal(str(value)) * factor
    if exact != exact.to_integral_value():
        msg = f"{value} has more decimals than a factor of {factor} allows"
        raise AlgebraError(msg)
    return int(exact)


def _to_decimal(value: int, factor: int) -> int | float:
    return value // factor if value % factor == 0 else value / factor


def _div_half_up(a: int, b: int) -> int:
    if b <= 0:
        msg = f"div_half_up needs a positive divisor, not {b}"
        raise AlgebraError(msg)
    return (2 * a + b) // (2 * b)


_ARITH: dict[str, Callable[..., Value]] = {
    "add": lambda *xs: sum(xs),
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mod": lambda a, b: a % b,
    "min": lambda *xs: min(xs),
    "max": lambda *xs: max(xs),
    "div_half_up": _div_half_up,
    "to_int": _to_int,
    "to_decimal": _to_decimal,
}

_TESTS: dict[str, Callable[[Value, Value], bool]] = {
    "eq": lambda a, b: a == b and (a is None) == (b is None),
    "ne": lambda a, b: not (a == b),
    "lt": lambda a, b: a is not None and b is not None and a < b,  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]
    "le": lambda a, b: a is not None and b is not None and a <= b,  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]
    "gt": lambda a, b: a is not None and b is not None and a > b,  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]
    "ge": lambda a, b: a is not None and b is not None and a >= b,  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]
}


def _date(fn: str, args: list[Value]) -> Value:
    if args[0] is None:
        return None
    day = str(args[0])[:10]
    if fn == "day":
        return day
    if fn == "month_start":
        return day[:8] + "01"
    return (dt.date.fromisoformat(day) + dt.timedelta(days=cast("int", args[1]))).isoformat()


def aggregate(fn: str, values: Sequence[Value]) -> Value:
    """Return the aggregate of the non-null `values`; see `schemas.goal.Aggregate` for empty inputs."""
    numbers = [cast("int", value) for value in values if value is not None]
    match fn:
        case "count":
            return len(values)
        case "sum":
            return sum(numbers)
        case "mean":
            return _div_half_up(sum(numbers), len(numbers)) if numbers else None
        case "min":
            return min(numbers, default=None)
        case _:
            return max(numbers, default=None)


# --- compilation ------------------------------------------------------------------------------------------------


def compile_expr(expr: g.Expr) -> ExprFn:
    """Return a function from (row, scope) to the value of `expr`."""
    match expr:
        case g.Const():
            constant = expr.value
            return lambda row, scope: constant
        case g.Slot():
            return _slot(expr.name)
        case g.Now():
            return (lambda row, scope: scope.now[:10]) if expr.part == "date" else (lambda row, scope: scope.now)
        case g.Col():
            return _column(expr.name)
        case g.Node():
            return _node(expr.name, expr.field)
        case g.Arith():
            return _arith(expr)
        case g.Case():
            return _case(expr)
        case g.DateOf():
            fn, args = expr.fn, [compile_expr(arg) for arg in expr.args]
            return lambda row, scope: _date(fn, [arg(row, scope) for arg in args])
        case g.Named():
            return compile_expr(expr.body)
        case g.Lookup():
            return _lookup(expr)
        case g.Aggregate():
            rows, of = compile_rel(expr.source), compile_expr(expr.of) if expr.of else None
            kind = expr.fn
            return lambda row, scope: aggregate(kind, [of(r, scope) if of else 1 for r in rows(scope)])


def compile_pred(pred: g.Pred) -> PredFn:
    """Return a function from (row, scope) to the truth of `pred`."""
    match pred:
        case g.All():
            parts = [compile_pred(part) for part in pred.of]
            if len(parts) == 1:
                return parts[0]
            return lambda row, scope: all(part(row, scope) for part in parts)
        case g.Any():
            parts = [compile_pred(part) for part in pred.of]
            return lambda row, scope: any(part(row, scope) for part in parts)
        case g.Not():
            inner = compile_pred(pred.of)
            return lambda row, scope: not inner(row, scope)
        case g.Test():
            test, left, right = _TESTS[pred.fn], compile_expr(pred.left), compile_expr(pred.right)
            return lambda row, scope: test(left(row, scope), right(row, scope))
        case g.Has():
            column, value = _column(pred.column), compile_expr(pred.value)
            return lambda row, scope: value(row, scope) in cast("list[Value]", column(row, scope) or ())


def compile_rel(rel: g.Rel) -> RelFn:
    """Return a function from a scope to the rows of `rel`."""
    match rel:
        case g.Table():
            table, prefix = rel.table, rel.prefix
            return lambda scope: scope.source.rows(table, prefix)
        case g.NodeRows():
            name = rel.name
            return lambda scope: cast("Sequence[Row]", scope.nodes[name])
        case g.Select():
            return _select(rel)
        case g.Join():
            return _join(rel)
        case g.Unnest():
            source, column, name = compile_rel(rel.source), rel.column, rel.name
            return lambda scope: [
                {**row, name: item} for row in source(scope) for item in cast("list[Value]", row[column] or ())
            ]
        case g.Group():
            return _group(rel)


def _slot(name: str) -> ExprFn:
    def read(row: Row, scope: Scope) -> Value:
        try:
            return scope.slots[name]
        except KeyError:
            msg = f"slot {name!r} is not given"
            raise AlgebraError(msg) from None

    return read


def _column(name: str) -> ExprFn:
    path = name.split(".")

    def read(row: Row, scope: Scope) -> Value:
        if name in row:
            return row[name]
        value: Value = row
        for part in path:
            if not isinstance(value, Mapping) or part not in value:
                msg = f"no column {name!r}"
                raise AlgebraError(msg)
            value = cast("Row", value)[part]
        return value

    return read


def _node(name: str, field: str) -> ExprFn:
    def read(row: Row, scope: Scope) -> Value:
        if name not in scope.nodes:
            msg = f"node {name!r} is not evaluated yet"
            raise AlgebraError(msg)
        value = scope.nodes[name]
        if not field:
            return value
        rows = cast("Sequence[Row]", value)
        return rows[0][field] if rows else None

    return read


def _arith(expr: g.Arith) -> ExprFn:
    fn, args = _ARITH[expr.fn], [compile_expr(arg) for arg in expr.args]

    def compute(row: Row, scope: Scope) -> Value:
        values = [arg(row, scope) for arg in args]
        return None if None in values else fn(*values)

    return compute


def _case(expr: g.Case) -> ExprFn:
    branches = [(compile_pred(branch.test), compile_expr(branch.then)) for branch in expr.branches]
    otherwise = compile_expr(expr.otherwise)

    def choose(row: Row, scope: Scope) -> Value:
        for test, then in branches:
            if test(row, scope):
                return then(row, scope)
        return otherwise(row, scope)

    return choose


def _id_key(lookup: g.Lookup) -> g.Expr | None:
    """Return the key expression when `lookup` asks a table for one id, so that no scan is needed."""
    source, where = lookup.source, lookup.where
    if isinstance(source, g.Table) and isinstance(where, g.Test) and where.fn == "eq":
        column = f"{source.prefix}.id"
        if where.left == g.Col(name=column) and not isinstance(where.right, g.Col):
            return where.right
    return None


def _lookup(expr: g.Lookup) -> ExprFn:
    field, key = expr.field, _id_key(expr)
    if key is not None and isinstance(expr.source, g.Table):
        table, prefix, key_fn = expr.source.table, expr.source.prefix, compile_expr(key)

        def by_id(row: Row, scope: Scope) -> Value:
            found = scope.source.one(table, cast("str", key_fn(row, scope)), prefix)
            return None if found is None else found[field]

        return by_id
    rows, where = compile_rel(expr.source), compile_pred(expr.where) if expr.where else None

    def scan(row: Row, scope: Scope) -> Value:
        # The lookup's own row hides the outer one, as in the other engine: lookups are not correlated.
        return next((r[field] for r in rows(scope) if where is None or where(r, scope)), None)

    return scan


def sort_rows(rows: Sequence[Row], order: Sequence[tuple[ExprFn, bool]], scope: Scope) -> list[Row]:
    """Return `rows` sorted by `order`, a list of (key, descending); nulls first when ascending, last when descending."""
    result = list(rows)
    for key, descending in reversed(order):
        values = [(value is not None, value) for value in (key(row, scope) for row in result)]
        indices = sorted(range(len(result)), key=values.__getitem__, reverse=descending)
        result = [result[i] for i in indices]
    return result


def _select(rel: g.Select) -> RelFn:
    source = compile_rel(rel.source)
    columns = [(column.name, compile_expr(column.value)) for column in rel.columns]
    where = compile_pred(rel.where) if rel.where else None
    order = [(compile_expr(key.key), key.descending) for key in rel.order]
    limit = rel.limit

    def select(scope: Scope) -> Sequence[Row]:
        rows = source(scope)
        if columns:
            extended: list[Row] = []
            for row in rows:
                wider = dict(row)
                for name, value in columns:
                    wider[name] = value(wider, scope)
                extended.append(wider)
            rows = extended
        if where is not None:
            rows = [row for row in rows if where(row, scope)]
        if order:
            rows = sort_rows(rows, order, scope)
        return rows if limit is None else rows[:limit]

    return select


def _equi_join(on: g.Pred) -> tuple[str, str] | None:
    if isinstance(on, g.Test) and on.fn == "eq" and isinstance(on.left, g.Col) and isinstance(on.right, g.Col):
        return on.left.name, on.right.name
    return None


def _join(rel: g.Join) -> RelFn:
    left, right, on, keep = compile_rel(rel.left), compile_rel(rel.right), compile_pred(rel.on), rel.keep_left
    keys = _equi_join(rel.on)

    def join(scope: Scope) -> Sequence[Row]:
        left_rows, right_rows = left(scope), right(scope)
        nothing = dict.fromkeys(right_rows[0]) if right_rows else {}
        partners: dict[Value, list[Row]] | None = None
        outer = ""
        if keys and left_rows and right_rows:
            outer, inner = keys if keys[0] in left_rows[0] else (keys[1], keys[0])
            partners = {}
            for row in right_rows:
                partners.setdefault(row[inner], []).append(row)
        result: list[Row] = []
        for row in left_rows:
            if partners is not None:
                matches = partners.get(row[outer], ())
                found = [{**row, **other} for other in matches]
            else:
                found = [both for other in right_rows if on(both := {**row, **other}, scope)]
            result.extend(found or ([{**row, **nothing}] if keep else []))
        return result

    return join


def _group(rel: g.Group) -> RelFn:
    source, keys = compile_rel(rel.source), rel.keys
    measures = [(m.name, m.fn, compile_expr(m.of) if m.of else None) for m in rel.measures]

    def group(scope: Scope) -> Sequence[Row]:
        groups: dict[tuple[Value, ...], list[Row]] = {}
        for row in source(scope):
            groups.setdefault(tuple(row[key] for key in keys), []).append(row)
        return [
            dict(zip(keys, values, strict=True))
            | {name: aggregate(fn, [of(r, scope) if of else 1 for r in rows]) for name, fn, of in measures}
            for values, rows in groups.items()
        ]

    return group


def evaluate_goal(goal: g.Goal, source: Source, slots: Mapping[str, Value], now: str) -> Scope:
    """Evaluate every node of `goal` in order and return the scope that holds them."""
    scope = Scope(source, now, slots)
    for node in goal.nodes:
        if node.rows is not None:
            scope.nodes[node.name] = compile_rel(node.rows)(scope)
        elif node.scalar is not None:
            scope.nodes[node.name] = compile_expr(node.scalar)(NO_ROW, scope)
    return scope
