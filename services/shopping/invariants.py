"""What every reachable state of shopping satisfies, and what a freshly made one does, in the goal algebra."""

from __future__ import annotations

from schemas.goal import All, Any, Arith, Case, Col, Column, Const, Group, Measure, Select, Table, Test, When
from services.predicates import below, count, is_, joined, none, paired, where
from services.runtime.declare import Invariant
from services.shopping.orders import ORDER_KIND
from services.shopping.records import SIZES

ASSORTMENT_SIZE = (45, 75)
"""Fewest and most products that a store carries."""
CATEGORY_LEAST = 3
"""Fewest products of a category that a store has at all, so that there is a choice."""

_LINES = Group(
    source=Table(table="order_lines", prefix="l"),
    keys=["l.transaction_id"],
    measures=[
        Measure(
            name="amount", fn="sum", of=Arith(fn="mul", args=[Col(name="l.quantity"), Col(name="l.unit_price_cents")])
        )
    ],
)
_ORDERS = where("transactions", "t", is_("t.kind", ORDER_KIND.name))
_SUMMED = joined(
    _LINES,
    _ORDERS,
    ("l.transaction_id", "t.id"),
    Test(fn="eq", left=Col(name="amount"), right=Col(name="t.subtotal_cents")),
)
_BAD_LINES = where("order_lines", "l", Any(of=[below("l.quantity", 1), below("l.unit_price_cents", 1)]))

INVARIANTS = (
    Invariant(
        name="stock_not_negative",
        text="No product has fewer than zero units left.",
        holds=none(where("assortment", "a", below("a.stock", 0))),
    ),
    Invariant(
        name="subtotal_is_lines",
        text="Every order has lines, and its subtotal is their sum; lines belong to orders only.",
        holds=paired(_SUMMED, _ORDERS, _LINES),
    ),
    Invariant(
        name="lines_positive",
        text="Every line of an order or the cart has a quantity of at least one, and a price if it was ordered.",
        holds=All(of=[none(_BAD_LINES), none(where("cart", "c", below("c.quantity", 1)))]),
    ),
)

_STORE = joined(Table(table="assortment", prefix="a"), Table(table="products", prefix="p"), ("a.id", "p.id"))
_CATEGORIES = Group(source=_STORE, keys=["p.category"], measures=[Measure(name="products", fn="count")])
_UNITS = Case(
    branches=[When(test=is_("c.size", size), then=Const(value=held)) for size, held in SIZES.items()],
    otherwise=Const(value=None),
)
_CART = Select(
    source=Table(table="cart", prefix="c"),
    columns=[Column(name="units", value=Arith(fn="mul", args=[Col(name="c.quantity"), _UNITS]))],
)
_CART_UNITS = Group(
    source=_CART, keys=["c.product_id"], measures=[Measure(name="held", fn="sum", of=Col(name="units"))]
)
_OVER_STOCK = joined(
    _CART_UNITS,
    Table(table="assortment", prefix="a"),
    ("c.product_id", "a.id"),
    Test(fn="gt", left=Col(name="held"), right=Col(name="a.stock")),
)
_SIZE = count(Table(table="assortment", prefix="a"))

SEEDING = (
    Invariant(
        name="assortment_size",
        text=f"The store carries {ASSORTMENT_SIZE[0]} to {ASSORTMENT_SIZE[1]} products.",
        holds=All(
            of=[
                Test(fn="ge", left=_SIZE, right=Const(value=ASSORTMENT_SIZE[0])),
                Test(fn="le", left=_SIZE, right=Const(value=ASSORTMENT_SIZE[1])),
            ]
        ),
    ),
    Invariant(
        name="category_choice",
        text=f"The store has at least {CATEGORY_LEAST} products of each category it has.",
        holds=none(Select(source=_CATEGORIES, where=below("products", CATEGORY_LEAST))),
    ),
    Invariant(
        name="cart_within_stock",
        text="The cart holds no more of a product than the store has left.",
        holds=none(_OVER_STOCK),
    ),
)
