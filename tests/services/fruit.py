"""Tables as plain dicts, and short names for the nodes of the goal algebra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas import goal as g
from schemas.base import Scalar
from services.runtime.algebra import (
    NO_ROW,
    Row,
    Scope,
    Value,
    compile_expr,
    compile_pred,
    compile_rel,
)

NOW = "2024-02-28T23:59:58"


class Shelf:
    """Tables as plain dicts."""

    def __init__(
        self, tables: Mapping[str, Sequence[Mapping[str, Value]]], columns: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.tables, self.names = tables, columns

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        return [{f"{prefix}.{name}": value for name, value in row.items()} for row in self.tables[table]]

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        return next((row for row in self.rows(table, prefix) if row[f"{prefix}.id"] == key), None)

    def columns(self, table: str) -> tuple[str, ...]:
        return self.names[table]


FRUIT: list[dict[str, Value]] = [
    {"id": "a", "kind": "pome", "cents": 30, "tags": ("red", "sweet")},
    {"id": "b", "kind": "stone", "cents": 20, "tags": ()},
    {"id": "c", "kind": "pome", "cents": None, "tags": None},
    {"id": "d", "kind": None, "cents": 25, "tags": ("sweet",)},
]
SOLD: list[dict[str, Value]] = [
    {"id": "1", "fruit": "a", "units": 2},
    {"id": "2", "fruit": "a", "units": 5},
    {"id": "3", "fruit": "d", "units": 1},
]
SHELF = Shelf(
    {"fruit": FRUIT, "sold": SOLD, "none": []},
    {"fruit": ("id", "kind", "cents", "tags"), "sold": ("id", "fruit", "units"), "none": ("id", "fruit", "note")},
)
TABLE = g.Table(table="fruit", prefix="f")


def scope(**slots: Value) -> Scope:
    return Scope(SHELF, NOW, slots)


def value(expr: g.Expr, row: Row = NO_ROW, **slots: Value) -> Value:
    return compile_expr(expr)(row, scope(**slots))


def truth(pred: g.Pred, row: Row = NO_ROW, **slots: Value) -> bool:
    return compile_pred(pred)(row, scope(**slots))


def rows(rel: g.Rel) -> list[dict[str, Value]]:
    return [dict(row) for row in compile_rel(rel)(scope())]


def ids(rel: g.Rel, column: str = "f.id") -> list[Value]:
    return [row[column] for row in rows(rel)]


def const(item: Scalar) -> g.Const:
    return g.Const(value=item)


def col(name: str) -> g.Col:
    return g.Col(name=name)


def arith(fn: str, *args: Scalar) -> g.Arith:
    return g.Arith.model_validate({"fn": fn, "args": [const(arg) for arg in args]})


def test(fn: str, left: g.Expr, right: g.Expr) -> g.Test:
    return g.Test.model_validate({"fn": fn, "left": left, "right": right})


def total(fn: str, source: g.Rel, of: g.Expr | None = None) -> g.Aggregate:
    return g.Aggregate.model_validate({"fn": fn, "source": source, "of": of})


def date(fn: str, *args: Scalar) -> g.DateOf:
    return g.DateOf.model_validate({"fn": fn, "args": [const(arg) for arg in args]})


test.__test__ = False  # type: ignore[attr-defined]
