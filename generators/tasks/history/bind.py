"""The user's orders as binders see them, and the slots that speak of them: a period, a category, a brand."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.orders import About, Orders
from schemas.task import Slot
from services.shopping.records import SIZES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

Period = tuple[str, str]


class History(Orders):
    """The user's orders by period, and what they come to."""

    def matching(self, period: Period | None, about: About | None) -> list[Transaction]:
        """Return the orders of a period that hold a line of the category or brand."""
        return [
            order
            for order in self.orders
            if (period is None or period[0] <= order.created_at[:10] <= period[1])
            and (about is None or any(self.fits(line, about) for line in self.lines_of(order)))
        ]

    def units(self, orders: Sequence[Transaction], about: About | None) -> int:
        """Return the units that orders hold of the category or brand."""
        lines = [line for order in orders for line in self.lines_of(order)]
        return sum(line.quantity * SIZES[line.size] for line in lines if about is None or self.fits(line, about))

    def spent(self, orders: Sequence[Transaction], name: str) -> dict[str, int]:
        """Return what the lines of orders cost by category or brand, in cents, before vouchers."""
        sums: dict[str, int] = {}
        for order in orders:
            for line in self.lines_of(order):
                key = self.what(line, name)
                sums[key] = sums.get(key, 0) + line.quantity * line.unit_price_cents
        return sums

    def period_slot(self, period: Period) -> Slot:
        """Return the slot of a period; its alternatives are the other months in which something was ordered."""
        days = [order.created_at[:10] for order in self.orders]
        return Slot(name="period", kind="period", value=list(period), alternatives=_months(days, period))


def _months(days: Sequence[str], without: Period) -> list[Json]:
    return [list(month) for month in sorted({month_around(dt.date.fromisoformat(day)) for day in days} - {without})]


def month_around(day: dt.date) -> Period:
    """Return the first and the last day of the month of `day`."""
    last = calendar.monthrange(day.year, day.month)[1]
    return day.replace(day=1).isoformat(), day.replace(day=last).isoformat()


def draw_period(day: str, stream: Stream) -> Period:
    """Return a period that holds `day`: its month, or one to seven weeks around it."""
    inside = dt.date.fromisoformat(day)
    if stream.chance(1, 2):
        return month_around(inside)
    start = inside - dt.timedelta(days=stream.below(25))
    return start.isoformat(), (inside + dt.timedelta(days=stream.between(7, 25))).isoformat()


def bind_unrecorded(cell: Cell, scene: Scene, stream: Stream, variants: Sequence[str]) -> Binding | None:
    """Return a binding to a month before the first day on record, or None when nothing is on record."""
    orders = History(scene)
    if not orders.first_day:
        return None
    first = dt.date.fromisoformat(orders.first_day)
    period = month_around(first.replace(day=1) - dt.timedelta(days=stream.between(1, 150)))
    recorded = _months([orders.first_day], period)
    slot = Slot(name="period", kind="period", value=list(period), constraint=False, alternatives=recorded)
    return Binding(cell=cell, slots=(slot,), variant=stream.choice(variants))
