"""Bind a question to the user's orders: there is something to count, and orders that must not be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.history.bind import History, Period, bind_unrecorded, draw_kinds, draw_period
from generators.tasks.intent import Binding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.orders import About
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

TRIES = 20
"""Draws per kind of period."""
LEAST_COUNT = 4
"""A smaller count is guessed too easily."""
VARIANTS = (("total", 4), ("orders", 3), ("units", 3))


def _number(orders: History, counted: Sequence[Transaction], about: About | None, variant: str) -> int:
    """Return the count that is asked for; of an amount of money, how many cents at least."""
    if variant != "units":
        return len(counted) if variant == "orders" else 100 * len(counted)
    return orders.units(counted, about)


def _good(orders: History, period: Period, about: About | None, variant: str) -> bool:
    """Return whether enough counts, something in the period must not count, and both ends and the filter matter."""
    inside = orders.matching(period, about)
    counted = [order for order in inside if order.status == "completed"]
    if len(counted) == len(inside) or _number(orders, counted, about, variant) < LEAST_COUNT:
        return False
    if about is not None and any(order.voucher_id for order in counted):
        return False
    narrow = about is None or any(not orders.fits(line, about) for order in counted for line in orders.lines_of(order))
    return narrow and orders.bounds(period, about)


def _about(orders: History, decoy: Transaction, variant: str, stream: Stream) -> About | None:
    """Return the category or brand of a line of `decoy`, so that there is an order that must not be counted."""
    lines = sorted(orders.lines_of(decoy), key=lambda line: line.id)
    if not lines or variant == "orders" or (variant == "total" and stream.chance(1, 3)):
        return None
    name = stream.weighted((("category", 2), ("brand", 1)))
    return name, orders.what(stream.choice(lines), name)


def _bind_answer(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    orders = History(scene)
    decoys = [order for order in orders.orders if order.status != "completed"]
    if not decoys:
        return None
    kinds = draw_kinds(stream)
    for variant in (stream.weighted(VARIANTS), "total", "orders"):
        for number in range(TRIES * len(kinds)):
            decoy = stream.choice(decoys)
            period = draw_period(kinds[number // TRIES], decoy.created_at[:10], scene.today, stream)
            about = _about(orders, decoy, variant, stream)
            if (variant != "units" or about) and _good(orders, period, about, variant):
                slots = (orders.period_slot(period), *((orders.slot(about),) if about else ()))
                return Binding(cell=cell, slots=slots, variant=variant)
    return None


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the user's orders offer none within the tries."""
    if cell.form == "fulfil":
        return _bind_answer(cell, scene, stream)
    return bind_unrecorded(cell, scene, stream, ("total", "orders"))
