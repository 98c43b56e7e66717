"""Bind a period in which one category or brand is ahead, and an order that must not be counted makes a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.history.bind import History, bind_unrecorded, draw_period
from generators.tasks.intent import Binding

if TYPE_CHECKING:
    from generators.tasks.history.bind import Period
    from generators.tasks.intent import Cell, Scene
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

TRIES = 60
VARIANTS = ("category", "brand")
LEAST_RANKED = 3
"""With fewer on the list there is little to compare."""


def _top(history: History, orders: list[Transaction], name: str) -> list[tuple[int, str]]:
    """Return the sums, greatest first."""
    return sorted(((spent, key) for key, spent in history.spent(orders, name).items()), reverse=True)


def _good(history: History, period: Period, name: str) -> bool:
    """Return whether one is ahead by a gap, and leaving out any condition on the orders leads elsewhere."""
    inside = history.matching(period, None)
    done = [order for order in inside if order.status == "completed"]
    ranking = _top(history, done, name)
    if len(ranking) < LEAST_RANKED or ranking[0][0] == ranking[1][0]:
        return False
    completed = history.of_status("completed")
    others = (
        inside,
        [order for order in completed if order.created_at[:10] <= period[1]],
        [order for order in completed if order.created_at[:10] >= period[0]],
    )
    return all(_top(history, other, name)[0] != ranking[0] for other in others)


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the user's orders offer none within the tries."""
    if cell.form != "fulfil":
        return bind_unrecorded(cell, scene, stream, VARIANTS)
    history = History(scene)
    decoys = history.of_status("pending", "cancelled")
    if not decoys:
        return None
    for name in stream.shuffled(VARIANTS):
        for _ in range(TRIES):
            period = draw_period(stream.choice(decoys).created_at[:10], stream)
            if period[1] < scene.today and _good(history, period, name):
                return Binding(cell=cell, slots=(history.period_slot(period),), variant=name)
    return None
