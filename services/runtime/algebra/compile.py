"""From the nodes of `schemas.goal` to functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from pydantic import BaseModel

from schemas import goal as g
from services.runtime.algebra import relations
from services.runtime.algebra.scalars import aggregate, arith, column, comparison, date_of, items_of
from services.runtime.algebra.scope import NO_ROW, AlgebraError, ExprFn, PredFn, RelFn, Row, Scope, Source, Value
from services.runtime.identity import by_identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

GoalFn: TypeAlias = "Callable[[Source, Mapping[str, Value], str], Scope]"


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
            return _col(expr.name)
        case g.Node():
            return _node(expr.name, expr.field)
        case g.Arith():
            return arith(expr.fn, [compile_expr(arg) for arg in expr.args])
        case g.Case():
            return _case(expr)
        case g.DateOf():
            fn, args = expr.fn, [compile_expr(arg) for arg in expr.args]
            return lambda row, scope: date_of(fn, [arg(row, scope) for arg in args])
        case g.Named():
            return compile_expr(expr.body)
        case g.Lookup():
            return _lookup(expr)
        case g.Aggregate():
            kind, rows, of = expr.fn, compile_rel(expr.source), _measured(expr.fn, expr.of)
            return lambda row, scope: aggregate(kind, relations.values_of(rows(scope), of, scope))


def compile_pred(pred: g.Pred) -> PredFn:
    """Return a function from (row, scope) to the truth of `pred`."""
    match pred:
        case g.All():
            parts = [compile_pred(part) for part in pred.of]
            return parts[0] if len(parts) == 1 else _all(parts)
        case g.Any():
            return _any([compile_pred(part) for part in pred.of])
        case g.Not():
            inner = compile_pred(pred.of)
            return lambda row, scope: not inner(row, scope)
        case g.Test():
            return comparison(pred.fn, compile_expr(pred.left), compile_expr(pred.right))
        case g.Has():
            name, read, value = pred.column, column(pred.column), compile_expr(pred.value)
            return lambda row, scope: value(row, scope) in items_of(read(row), name)


def compile_rel(rel: g.Rel) -> RelFn:
    """Return a function from a scope to the rows of `rel`."""
    match rel:
        case g.Table():
            table, prefix = rel.table, rel.prefix
            return lambda scope: scope.source.rows(table, prefix)
        case g.NodeRows():
            name = rel.name
            return lambda scope: cast("Sequence[Row]", _value(name, scope))
        case g.Select():
            early, late = _early_and_late(rel)
            return relations.select(
                compile_rel(rel.source),
                [(extra.name, compile_expr(extra.value)) for extra in rel.columns],
                compile_pred(early) if early else None,
                compile_pred(late) if late else None,
                [(compile_expr(key.key), key.descending) for key in rel.order],
                rel.limit,
            )
        case g.Join():
            columns = _columns_fn(rel.right) if rel.keep_left else None
            left, right, on = compile_rel(rel.left), compile_rel(rel.right), compile_pred(rel.on)
            joined = relations.join(left, right, on, equal := _equal_columns(rel.on), columns)
            tables = isinstance(rel.left, g.Table) and isinstance(rel.right, g.Table)
            return relations.kept_join(joined, left, right) if tables and equal else joined
        case g.Unnest():
            return relations.unnest(compile_rel(rel.source), rel.column, rel.name)
        case g.Group():
            measures = [(m.name, m.fn, _measured(m.fn, m.of)) for m in rel.measures]
            return relations.group(compile_rel(rel.source), rel.keys, measures)


def _early_and_late(rel: g.Select) -> tuple[g.Pred | None, g.Pred | None]:
    """Return what of a condition needs none of the computed columns, and the rest of it."""
    early: list[g.Pred] = []
    late: list[g.Pred] = []
    for condition in rel.where.of if isinstance(rel.where, g.All) else [rel.where] if rel.where else []:
        (late if _reads(condition, [extra.name for extra in rel.columns]) else early).append(condition)
    return (g.All(of=early) if early else None), (g.All(of=late) if late else None)


def _reads(pred: g.Pred, computed: Sequence[str]) -> bool:
    """Return whether a predicate may read one of the columns `computed`, or what is inside of it."""
    parts = list(_inside(pred))
    read = [part.name for part in parts if isinstance(part, g.Col)]
    read += [part.column for part in parts if isinstance(part, g.Has)]
    return any(name == column or name.startswith(f"{column}.") for name in read for column in computed)


def columns_of(rel: g.Rel, scope: Scope) -> tuple[str, ...]:
    """Return the columns of `rel`, which it has even without rows."""
    match rel:
        case g.Table():
            return tuple(f"{rel.prefix}.{name}" for name in scope.source.columns(rel.table))
        case g.NodeRows():
            if rel.name not in scope.relations:
                msg = f"the columns of node {rel.name!r} are not known"
                raise AlgebraError(msg)
            return columns_of(scope.relations[rel.name], scope)
        case g.Select():
            return (*columns_of(rel.source, scope), *(extra.name for extra in rel.columns))
        case g.Join():
            return (*columns_of(rel.left, scope), *columns_of(rel.right, scope))
        case g.Unnest():
            return (*columns_of(rel.source, scope), rel.name)
        case g.Group():
            return (*rel.keys, *(measure.name for measure in rel.measures))


def _columns_fn(rel: g.Rel) -> Callable[[Scope], Sequence[str]]:
    return lambda scope: columns_of(rel, scope)


def compile_goal(goal: g.Goal) -> GoalFn:
    """Return a function from (source, slots, now) to the scope that holds every node of `goal`, evaluated in order."""
    steps: list[tuple[g.NamedNode, Callable[[Scope], Value]]] = []
    for node in goal.nodes:
        if (node.rows is None) == (node.scalar is None):
            msg = f"node {node.name!r} needs exactly one of rows and scalar"
            raise AlgebraError(msg)
        if node.rows is not None:
            steps.append((node, compile_rel(node.rows)))
        elif node.scalar is not None:
            steps.append((node, _scalar_step(node.scalar)))

    def evaluate(source: Source, slots: Mapping[str, Value], now: str) -> Scope:
        scope = Scope(source, now, slots)
        for node, value in steps:
            scope.nodes[node.name] = value(scope)
            if node.rows is not None:
                scope.relations[node.name] = node.rows
        return scope

    return evaluate


def evaluate_goal(goal: g.Goal, source: Source, slots: Mapping[str, Value], now: str) -> Scope:
    """Evaluate every node of `goal` in order and return the scope that holds them."""
    return _compiled(goal)(source, slots, now)


_compiled = by_identity(compile_goal, kept=1024)
"""Compiled goals: thousands of tasks share a few hundred."""


def slots_of(node: BaseModel) -> set[str]:
    """Return the names of all slots in an expression, predicate, relation or goal."""
    return {found.name for found in _inside(node) if isinstance(found, g.Slot)}


def _scalar_step(expr: g.Expr) -> Callable[[Scope], Value]:
    value = compile_expr(expr)
    return lambda scope: value(NO_ROW, scope)


def _inside(node: object) -> Iterator[BaseModel]:
    if isinstance(node, BaseModel):
        yield node
        for value in node.__dict__.values():
            yield from _inside(value)
    elif isinstance(node, (list, dict)):
        content = cast("list[object] | dict[str, object]", node)
        for item in content.values() if isinstance(content, dict) else content:
            yield from _inside(item)


def _measured(fn: str, of: g.Expr | None) -> ExprFn | None:
    if of is None and fn != "count":
        msg = f"{fn} of nothing: only a count needs no `of`"
        raise AlgebraError(msg)
    return None if of is None else compile_expr(of)


def _col(name: str) -> ExprFn:
    read = column(name)
    # A flat column is what nearly all are: it is read without a further call.
    return lambda row, scope: row[name] if name in row else read(row)


def _all(parts: Sequence[PredFn]) -> PredFn:
    def holds(row: Row, scope: Scope) -> bool:
        for part in parts:  # noqa: SIM110 - a generator would cost more than the tests
            if not part(row, scope):
                return False
        return True

    return holds


def _any(parts: Sequence[PredFn]) -> PredFn:
    def holds(row: Row, scope: Scope) -> bool:
        for part in parts:  # noqa: SIM110
            if part(row, scope):
                return True
        return False

    return holds


def _slot(name: str) -> ExprFn:
    def read(row: Row, scope: Scope) -> Value:
        try:
            return scope.slots[name]
        except KeyError:
            msg = f"slot {name!r} is not given"
            raise AlgebraError(msg) from None

    return read


def _value(name: str, scope: Scope) -> Value:
    if name not in scope.nodes:
        msg = f"node {name!r} is not evaluated yet"
        raise AlgebraError(msg)
    return scope.nodes[name]


def _node(name: str, field: str) -> ExprFn:
    if not field:
        return lambda row, scope: _value(name, scope)
    read = column(field)

    def first(row: Row, scope: Scope) -> Value:
        rows = cast("Sequence[Row]", _value(name, scope))
        return read(rows[0]) if rows else None

    return first


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
        asks_id = where.left == g.Col(name=f"{source.prefix}.id")
        # A key that reads columns would mean columns of the scanned row.
        if asks_id and not any(isinstance(part, g.Col) for part in _inside(where.right)):
            return where.right
    return None


def _lookup(expr: g.Lookup) -> ExprFn:
    read, key = column(expr.field), _id_key(expr)
    if key is not None and isinstance(expr.source, g.Table):
        table, prefix, key_fn = expr.source.table, expr.source.prefix, compile_expr(key)

        def by_id(row: Row, scope: Scope) -> Value:
            wanted = key_fn(NO_ROW, scope)
            found = scope.source.one(table, wanted, prefix) if isinstance(wanted, str) else None
            return None if found is None else read(found)

        return by_id
    rows, where = compile_rel(expr.source), compile_pred(expr.where) if expr.where else None

    def scan(row: Row, scope: Scope) -> Value:
        # The lookup's own row hides the outer one, as in the other engine: lookups are not correlated.
        return next((read(r) for r in rows(scope) if where is None or where(r, scope)), None)

    return scan


def _equal_columns(on: g.Pred) -> tuple[str, str] | None:
    if isinstance(on, g.Test) and on.fn == "eq" and isinstance(on.left, g.Col) and isinstance(on.right, g.Col):
        return on.left.name, on.right.name
    return None
