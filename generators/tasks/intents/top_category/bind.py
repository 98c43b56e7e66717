"""Bind a period in which one category or brand is ahead, and an order that must not be counted makes a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.tasks.history.bind import History, bind_unrecorded, draw_kinds, draw_period
from generators.tasks.intent import Binding
from generators.tasks.shop.bind import Shop
from generators.tasks.shop.orders import draw_wanted, pending_order, stale_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.history.bind import Period
    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from schemas.task import Patch
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

TRIES = 20
"""Draws per kind of period."""
UNPAID_TRIES = 12
UNPAID_DAYS = (12, 80)
"""Age of an order that is made for a task and must not be counted."""
VARIANTS = ("category", "brand")
LEAST_RANKED = 3
"""With fewer on the list there is little to compare."""


def _top(history: History, orders: list[Transaction], name: str) -> list[tuple[int, str]]:
    """Return the sums, greatest first."""
    return sorted(((spent, key) for key, spent in history.spent(orders, name).items()), reverse=True)


def _good(history: History, period: Period, name: str) -> bool:
    """Return whether one is ahead by a gap, and leaving out any condition on the orders leads elsewhere.

    No voucher was used, so that nobody has to say whether its saving counts.
    """
    inside = history.matching(period, None)
    done = [order for order in inside if order.status == "completed"]
    if any(order.voucher_id for order in done) or not history.bounds(period, None):
        return False
    ranking = _top(history, done, name)
    if len(ranking) < LEAST_RANKED or ranking[0][0] == ranking[1][0]:
        return False
    completed = history.of_status("completed")
    others = [inside, [order for order in completed if order.created_at[:10] <= period[1]]]
    if period[1] < history.today:
        others.append([order for order in completed if order.created_at[:10] >= period[0]])
    return all(_top(history, other, name)[0] != ranking[0] for other in others)


def _waiting(scene: Scene, history: History, stream: Stream) -> list[Patch]:
    """Return the patches of an order that was left unpaid some time ago."""
    shop = Shop(scene)
    carried = [shop.products[item.id] for item in shop.items]
    lines = draw_wanted(shop, carried, stream.between(3, 5), stream)
    at = stale_time(scene.now, history, stream, UNPAID_DAYS)
    return pending_order(scene, shop, lines, at, stream) if lines else []


def _bind(cell: Cell, scene: Scene, setup: Sequence[Patch], kinds: Sequence[str], stream: Stream) -> Binding | None:
    history = History(scene.after(setup))
    decoys = [order.created_at[:10] for order in history.of_status("pending", "cancelled")]
    if setup:
        decoys = [cast("str", cast("dict[str, Json]", setup[0].record)["created_at"])[:10]]
    for name in stream.shuffled(VARIANTS) if decoys else ():
        for number in range(TRIES * len(kinds)):
            period = draw_period(kinds[number // TRIES], stream.choice(decoys), scene.today, stream)
            if _good(history, period, name):
                return Binding(cell=cell, slots=(history.period_slot(period),), setup=tuple(setup), variant=name)
    return None


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when there is none within the tries, even with an unpaid order more."""
    if cell.form != "fulfil":
        return bind_unrecorded(cell, scene, stream, VARIANTS)
    *kinds, last = draw_kinds(stream)
    found = _bind(cell, scene, (), kinds, stream)
    history = History(scene)
    for number in range(UNPAID_TRIES):
        if found:
            break
        found = _bind(cell, scene, _waiting(scene, history, stream.child(number)), kinds, stream)
    return found or _bind(cell, scene, (), (last,), stream)
