"""A small shop in SQL, and short words for goals over it."""

from __future__ import annotations

from collections.abc import Mapping

from schemas import goal as g
from schemas.base import Json, Scalar
from validators.engine.database import Database
from validators.engine.evaluate import evaluate_goal, evaluate_parts, evaluate_pred

NOW = "2025-05-03T12:00:00"
ITEMS: list[dict[str, Json]] = [
    {"id": "a", "name": "Oats", "price": 300, "live": True, "tags": ["vegan", "bio"], "on": "2025-01-31"},
    {"id": "b", "name": "Rice", "price": None, "live": False, "tags": [], "on": None},
    {"id": "c", "name": "Rye", "price": 100, "live": True, "tags": ["vegan"], "on": "2025-03-01T09:00:00"},
]
SALES: list[dict[str, Json]] = [
    {"id": "s1", "item": "a", "count": 2},
    {"id": "s2", "item": "a", "count": 5},
    {"id": "s3", "item": "c", "count": 1},
    {"id": "s4", "item": None, "count": 9},
]


def database() -> Database:
    db = Database(
        {
            "items": ("id", "name", "price", "live", "tags", "on"),
            "sales": ("id", "item", "count"),
            "empty": ("id", "x"),
        },
        {"world": ("id", "weight")},
        {"sales": ["item"]},
    )
    db.load_world("w", {"world": [{"id": "a", "weight": 7}]})
    db.load_environment("e", {"items": ITEMS, "sales": SALES})
    return db


DB = database()
ITEM, SALE = g.Table(table="items", prefix="i"), g.Table(table="sales", prefix="s")


def c(value: Scalar) -> g.Const:
    return g.Const(value=value)


def col(name: str) -> g.Col:
    return g.Col(name=name)


def compare(fn: str, left: g.Expr, right: g.Expr) -> g.Test:
    return g.Test.model_validate({"fn": fn, "left": left, "right": right})


def value(expr: g.Expr, slots: Mapping[str, Json] | None = None) -> Json:
    return evaluate_parts([expr], slots or {}, NOW, DB)[0]


def truth(pred: g.Pred) -> bool:
    return evaluate_pred(pred, {}, NOW, DB)


def rows(rel: g.Rel, *earlier: g.NamedNode, slots: Mapping[str, Json] | None = None) -> list[dict[str, Json]]:
    goal = g.Goal(nodes=[*earlier, g.NamedNode(name="it", rows=rel)])
    return evaluate_goal(goal, slots or {}, NOW, DB, ["it"]).rows["it"]


def column(rel: g.Rel, name: str, *earlier: g.NamedNode) -> list[Json]:
    return [row[name] for row in rows(rel, *earlier)]


def in_order(source: g.Rel, name: str, descending: bool = False, limit: int | None = None) -> g.Select:
    return g.Select(source=source, order=[g.Order(key=col(name), descending=descending)], limit=limit)
