"""Bind a question to the user's orders: there is something to count, and orders that must not be counted."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING, cast

from generators.tasks.intent import Binding
from schemas.task import Reference, Slot
from services.payments.records import Transaction
from services.shopping.records import SIZES, OrderLine, Product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from services.runtime.streams import Stream

TRIES = 40
LEAST_COUNT = 4
"""A smaller count is guessed too easily."""
VARIANTS = (("total", 4), ("orders", 3), ("units", 3))
_REFERS = {name: Reference(table="products", column=name) for name in ("category", "brand")}
Period = tuple[str, str]


def _month(day: dt.date) -> Period:
    last = calendar.monthrange(day.year, day.month)[1]
    return day.replace(day=1).isoformat(), day.replace(day=last).isoformat()


def _period(day: str, stream: Stream) -> Period:
    """Return a period that holds `day`: its month, or one to seven weeks around it."""
    inside = dt.date.fromisoformat(day)
    if stream.chance(1, 2):
        return _month(inside)
    start = inside - dt.timedelta(days=stream.below(25))
    return start.isoformat(), (inside + dt.timedelta(days=stream.between(7, 25))).isoformat()


class Orders:
    """The user's orders and their lines, as the binder sees them."""

    def __init__(self, scene: Scene) -> None:
        """Read the transactions of a scene."""
        everything = [cast("Transaction", t) for t in scene.records("transactions").values()]
        self.first_day = min((t.created_at[:10] for t in everything), default="")
        self.orders = sorted((t for t in everything if t.kind == "order"), key=lambda t: t.created_at)
        self.products = cast("dict[str, Product]", scene.records("products"))
        self.lines: dict[str, list[OrderLine]] = {}
        for record in scene.records("order_lines").values():
            line = cast("OrderLine", record)
            self.lines.setdefault(line.transaction_id, []).append(line)

    def matching(self, period: Period | None, about: tuple[str, str] | None) -> list[Transaction]:
        """Return the orders of a period that hold a line of the category or brand."""
        return [
            order
            for order in self.orders
            if (period is None or period[0] <= order.created_at[:10] <= period[1])
            and (about is None or any(self.fits(line, about) for line in self.lines.get(order.id, [])))
        ]

    def fits(self, line: OrderLine, about: tuple[str, str]) -> bool:
        """Return whether a line is of the category or brand."""
        return getattr(self.products[line.product_id], about[0]) == about[1]


def _number(orders: Orders, counted: Sequence[Transaction], about: tuple[str, str] | None, variant: str) -> int:
    """Return the count that is asked for; of an amount of money, how many cents at least."""
    if variant != "units":
        return len(counted) if variant == "orders" else 100 * len(counted)
    lines = [line for order in counted for line in orders.lines.get(order.id, [])]
    return sum(line.quantity * SIZES[line.size] for line in lines if about is None or orders.fits(line, about))


def _good(orders: Orders, period: Period, about: tuple[str, str] | None, variant: str) -> bool:
    """Return whether enough counts, something in the period must not count, and both ends and the filter matter."""
    inside = orders.matching(period, about)
    counted = [order for order in inside if order.status == "completed"]
    if len(counted) == len(inside) or _number(orders, counted, about, variant) < LEAST_COUNT:
        return False
    if about is not None and any(order.voucher_id for order in counted):
        return False
    done = [order.created_at[:10] for order in orders.matching(None, about) if order.status == "completed"]
    narrow = about is None or any(
        not orders.fits(line, about) for order in counted for line in orders.lines.get(order.id, [])
    )
    return narrow and min(done) < period[0] and max(done) > period[1]


def _about(orders: Orders, decoy: Transaction, variant: str, stream: Stream) -> tuple[str, str] | None:
    """Return the category or brand of a line of `decoy`, so that there is an order that must not be counted."""
    lines = sorted(orders.lines.get(decoy.id, []), key=lambda line: line.id)
    if not lines or variant == "orders" or (variant == "total" and stream.chance(1, 3)):
        return None
    name = stream.weighted((("category", 2), ("brand", 1)))
    return name, getattr(orders.products[stream.choice(lines).product_id], name)


def _slots(period: Period, others: list[Json], about: tuple[str, str] | None, orders: Orders) -> tuple[Slot, ...]:
    slots = [Slot(name="period", kind="period", value=list(period), alternatives=others)]
    if about is not None:
        name, value = about
        pool = {getattr(orders.products[line.product_id], name) for lines in orders.lines.values() for line in lines}
        slots.append(
            Slot(
                name=name,
                kind="name" if name == "brand" else "term",
                value=value,
                refers_to=_REFERS[name],
                alternatives=cast("list[Json]", sorted(pool - {value})),
            )
        )
    return tuple(slots)


def _other_periods(days: Sequence[str], period: Period) -> list[Json]:
    months = sorted({_month(dt.date.fromisoformat(day)) for day in days} - {period})
    return [list(month) for month in months]


def _bind_answer(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    orders = Orders(scene)
    days = [order.created_at[:10] for order in orders.orders]
    decoys = [order for order in orders.orders if order.status != "completed"]
    if not decoys:
        return None
    for variant in (stream.weighted(VARIANTS), "total", "orders"):
        for _ in range(TRIES):
            decoy = stream.choice(decoys)
            period, about = _period(decoy.created_at[:10], stream), _about(orders, decoy, variant, stream)
            if (variant != "units" or about) and period[1] < scene.today and _good(orders, period, about, variant):
                slots = _slots(period, _other_periods(days, period), about, orders)
                return Binding(cell=cell, slots=slots, variant=variant)
    return None


def _bind_unrecorded(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    orders = Orders(scene)
    if not orders.first_day:
        return None
    first = dt.date.fromisoformat(orders.first_day)
    period = _month(first.replace(day=1) - dt.timedelta(days=stream.between(1, 150)))
    recorded = _other_periods([orders.first_day], period)
    slot = Slot(name="period", kind="period", value=list(period), constraint=False, alternatives=recorded)
    return Binding(cell=cell, slots=(slot,), variant=stream.choice(("total", "orders")))


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the user's orders offer none within the tries."""
    return (_bind_answer if cell.form == "fulfil" else _bind_unrecorded)(cell, scene, stream)
