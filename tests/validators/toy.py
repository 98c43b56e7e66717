"""A small state with every sort of table that contracts know: plain, viewed, ledger, stamped, linked."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.base import Json
from services.runtime.declare import Table, View
from services.runtime.records import Record

NOW = "2025-05-03T12:00:00"
LATER = "2025-05-03T12:00:01"
TOO_LATE = "2025-05-05T12:00:00"


class Note(Record, frozen=True):
    title: str
    tag: str | None
    day: str
    pinned: bool
    made_at: str


class Order(Record, frozen=True):
    kind: str
    total_cents: int
    made_at: str
    settled_at: str | None


class Line(Record, frozen=True):
    order_id: str
    product_id: str
    quantity: int
    price_cents: int


class Entry(Record, frozen=True):
    kind: str
    amount_cents: int
    order_id: str | None


class Wallet(Record, frozen=True):
    balance_cents: int
    opening_cents: int


class Product(Record, frozen=True):
    name: str
    stock: int
    tags: tuple[str, ...]


class Node(Record, frozen=True):
    label: str
    parent_id: str | None
    friends: tuple[str, ...]


class Permission(Record, frozen=True):
    allowed: bool


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table("notes", Note, "note", stamps=("made_at",)),
        Table("orders", Order, "order", stamps=("made_at", "settled_at")),
        Table(
            "lines",
            Line,
            "line",
            references={"order_id": "orders", "product_id": "products"},
            view=View(keys=("order_id", "product_id", "price_cents"), sums=("quantity",)),
        ),
        Table("ledger", Entry, "entry", references={"order_id": "orders"}, ledger=True),
        Table("wallet", Wallet, "wallet"),
        Table("products", Product, "product"),
        Table("nodes", Node, "node", references={"parent_id": "nodes", "friends": "nodes"}),
        Table("permissions", Permission, "permission"),
    )
}

Rows = dict[str, Json]


def note(key: str, title: str = "milk", **fields: Json) -> Rows:
    return {"id": key, "title": title, "tag": None, "day": "2025-05-03", "pinned": False, "made_at": LATER, **fields}


def order(key: str, total: int = 500, **fields: Json) -> Rows:
    return {"id": key, "kind": "shop", "total_cents": total, "made_at": LATER, "settled_at": LATER, **fields}


def line(key: str, of: str, product: str, quantity: int = 1, price: int = 100) -> Rows:
    return {"id": key, "order_id": of, "product_id": product, "quantity": quantity, "price_cents": price}


def entry(key: str, amount: int, kind: str = "payment", of: str | None = None) -> Rows:
    return {"id": key, "kind": kind, "amount_cents": amount, "order_id": of}


def node(key: str, label: str = "a", parent: str | None = None, friends: tuple[str, ...] = ()) -> Rows:
    return {"id": key, "label": label, "parent_id": parent, "friends": list(friends)}


def product(key: str, stock: int = 5, name: str = "Oats", tags: tuple[str, ...] = ("vegan",)) -> Rows:
    return {"id": key, "name": name, "stock": stock, "tags": list(tags)}


def made(*records: Rows) -> dict[str, tuple[Rows | None, Rows | None]]:
    """The records, as created."""
    return {str(record["id"]): (None, record) for record in records}


def state(**tables: list[Rows]) -> Mapping[str, Mapping[str, Rows]]:
    """A state by table and id, every declared table present."""
    return {name: {str(row["id"]): row for row in tables.get(name, [])} for name in TABLES}
