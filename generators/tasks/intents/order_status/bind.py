"""Bind a category or brand of which a later order was never paid, so that the last order is not the last completed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.history.bind import History
from generators.tasks.intent import Binding

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.orders import About
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

VARIANTS = (("day", 3), ("total", 3), ("units", 2))
LEAST_UNITS = 4
"""A smaller number is guessed too easily."""


def _value(history: History, orders: list[Transaction], about: About | None, variant: str) -> object:
    """Return what is told of the last of these orders."""
    order = orders[-1]
    told = {"day": order.created_at[:10], "total": order.total_cents, "units": history.units([order], about)}
    return told[variant]


def _good(history: History, about: About, variant: str) -> bool:
    """Return whether the status and the filter decide what is told."""
    everything = history.matching(None, about)
    done = [order for order in everything if order.status == "completed"]
    if not done:
        return False
    told = _value(history, done, about, variant)
    if isinstance(told, int) and told < LEAST_UNITS:
        return False
    careless = _value(history, everything, about, variant)
    return careless != told and _value(history, history.of_status("completed"), None, variant) != told


def _abouts(history: History, orders: list[Transaction]) -> list[About]:
    return [(name, value) for name in ("category", "brand") for value in history.values(orders, name)]


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when no category or brand fits."""
    history = History(scene)
    never_paid = history.of_status("pending", "cancelled")
    variants = [stream.weighted(VARIANTS), *(name for name, _ in VARIANTS)]
    for about in stream.shuffled(_abouts(history, never_paid)):
        for variant in variants:
            if cell.form == "fulfil":
                fits = _good(history, about, variant)
            else:
                fits = all(order.status != "completed" for order in history.matching(None, about))
            if fits:
                return Binding(cell=cell, slots=(history.slot(about),), variant=variant)
    return None
