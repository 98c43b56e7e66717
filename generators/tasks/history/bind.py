"""The user's orders as binders see them, and the slots that speak of them: a period, a category, a brand."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING

from generators.tasks.intent import Binding
from generators.tasks.shop.orders import About, Orders
from language.relative import LAST_DAYS
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

    def __init__(self, scene: Scene) -> None:
        """Read the orders of a scene."""
        super().__init__(scene)
        self.today = scene.today

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

    def bounds(self, period: Period, about: About | None) -> bool:
        """Return whether completed orders lie before a period, and behind it unless it lasts until now.

        What people count from some days ago begins on a day without orders: whether it counts would be in doubt.
        """
        done = [order.created_at[:10] for order in self.matching(None, about) if order.status == "completed"]
        if not done or min(done) >= period[0] or period[1] > self.today:
            return False
        if period[1] < self.today:
            return max(done) > period[1]
        return period[0].endswith("-01") or not self.matching((period[0], period[0]), about)

    def period_slot(self, period: Period) -> Slot:
        """Return the slot of a period; its alternatives are the other months in which something was ordered.

        What lasts until now leaves out only what was before.
        """
        days = [order.created_at[:10] for order in self.orders]
        closed = period[1] < self.today
        alternatives = _months(days, period)
        return Slot(name="period", kind="period", value=list(period), constraint=closed, alternatives=alternatives)


def _months(days: Sequence[str], without: Period) -> list[Json]:
    return [list(month) for month in sorted({month_around(dt.date.fromisoformat(day)) for day in days} - {without})]


def month_around(day: dt.date) -> Period:
    """Return the first and the last day of the month of `day`."""
    last = calendar.monthrange(day.year, day.month)[1]
    return day.replace(day=1).isoformat(), day.replace(day=last).isoformat()


KINDS = (("month", 10), ("months", 4), ("year", 1), ("until_now", 4))
"""How people name periods: a month, several in a row, a year, what ends today."""
_SINCE_MONTHS = 6
"""Months back to whose start people say that something has been so since."""


def draw_kinds(stream: Stream) -> tuple[str, ...]:
    """Return the kinds of period in the order in which a binder tries them."""
    return tuple(dict.fromkeys((stream.weighted(KINDS), *(kind for kind, _ in KINDS))))


def draw_period(kind: str, day: str, today: str, stream: Stream) -> Period:
    """Return a period of a kind that holds `day`; a month where there is none."""
    inside, now = dt.date.fromisoformat(day), dt.date.fromisoformat(today)
    if kind == "months":
        before = stream.below(3)
        first = _months_before(inside, before)
        return first.isoformat(), month_around(_months_before(first, -stream.between(max(1, before), 2)))[1]
    if kind == "until_now" and (starts := [start for start in _starts(now) if start <= inside]):
        return stream.choice(starts).isoformat(), today
    if kind == "year" and inside.year < now.year:
        return f"{inside.year}-01-01", f"{inside.year}-12-31"
    return month_around(inside)


def _starts(now: dt.date) -> list[dt.date]:
    """Return the days from which one may look at everything until now: of months, of the year, some days ago."""
    months = [_months_before(now, back) for back in range(_SINCE_MONTHS)]
    return sorted({*months, now.replace(month=1, day=1), *(now - dt.timedelta(days=days) for days in LAST_DAYS)})


def _months_before(day: dt.date, count: int) -> dt.date:
    """Return the first day of the month `count` months before that of `day`, or after it when negative."""
    months = 12 * day.year + day.month - 1 - count
    return dt.date(months // 12, months % 12 + 1, 1)


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
