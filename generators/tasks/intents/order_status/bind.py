"""Bind a category or brand of which a later order was never paid, so that the last order is not the last completed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.history.bind import History
from generators.tasks.intent import Binding
from generators.tasks.shop.bind import Shop
from generators.tasks.shop.orders import draw_wanted, fresh_time, pending_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.orders import About
    from schemas.base import Json
    from schemas.task import Patch
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

TRIES = 3
"""Pending orders that are tried."""
VARIANTS = (("day", 3), ("total", 3), ("units", 2))
LEAST_UNITS = 4
"""A smaller number is guessed too easily."""


def _value(history: History, orders: list[Transaction], about: About | None, variant: str) -> object:
    """Return what is told of the last of these orders."""
    order = orders[-1]
    told = {"day": order.created_at[:10], "total": order.total_cents, "units": history.units([order], about)}
    return told[variant]


def _good(history: History, about: About, variant: str) -> bool:
    """Return whether status, filter and order decide what is told."""
    everything = history.matching(None, about)
    done = [order for order in everything if order.status == "completed"]
    if not done:
        return False
    told = _value(history, done, about, variant)
    if isinstance(told, int) and told < LEAST_UNITS:
        return False
    others = (everything, done[:-1], history.of_status("completed"))
    abouts = (about, about, None)
    return all(not o or _value(history, o, a, variant) != told for o, a in zip(others, abouts, strict=True))


def _abouts(history: History, orders: list[Transaction]) -> list[About]:
    return [(name, value) for name in ("category", "brand") for value in history.values(orders, name)]


def _waiting(cell: Cell, scene: Scene, history: History, stream: Stream) -> list[Patch]:
    """Return the patches of a pending order of today: of things that were bought before, or that never were."""
    shop = Shop(scene)
    completed = history.of_status("completed")
    known = {value for name in ("category", "brand") for value in history.values(completed, name)}
    carried = [shop.products[item.id] for item in shop.items]
    if cell.form == "fulfil":
        fitting = [product for product in carried if product.category in known]
    else:
        fitting = [product for product in carried if product.category not in known or product.brand not in known]
    lines = draw_wanted(shop, fitting, stream.between(1, 2), stream)
    return pending_order(scene, shop, lines, fresh_time(scene, history, stream), stream) if lines else []


def _may_be(about: About, given: Mapping[str, Json]) -> bool:
    """Return whether a category or brand is the one that an earlier part of the task leads to, if one does."""
    return not given or given.get(about[0]) == about[1]


def _bind(
    cell: Cell, history: History, setup: Sequence[Patch], given: Mapping[str, Json], stream: Stream
) -> Binding | None:
    never_paid = history.of_status("pending", "cancelled")
    abouts = [about for about in stream.shuffled(_abouts(history, never_paid)) if _may_be(about, given)]
    for variant in (stream.weighted(VARIANTS), *(name for name, _ in VARIANTS)):
        for about in abouts:
            if cell.form == "fulfil":
                fits = _good(history, about, variant)
            else:
                fits = all(order.status != "completed" for order in history.matching(None, about))
            if fits:
                return Binding(cell=cell, slots=(history.slot(about),), setup=tuple(setup), variant=variant)
    return None


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when no category or brand fits, even with a pending order more."""
    history = History(scene)
    found = _bind(cell, history, (), scene.given, stream)
    for number in range(0 if found else TRIES):
        setup = _waiting(cell, scene, history, stream.child(number))
        found = found or _bind(cell, History(scene.after(setup)), setup, scene.given, stream)
    return found
