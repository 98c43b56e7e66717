"""Bind the request to what waits for payment: several orders, of which what the user names tells exactly one apart.

Where the order is to be paid, another one could be paid as well: else it would do to pay what can be paid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.shop.bind import Shop, fund
from generators.tasks.shop.orders import (
    FIELDS,
    Orders,
    draw_wanted,
    fresh_time,
    is_fresh,
    is_stale,
    order_binding,
    pending_order,
    stale_time,
)

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, Cell, Scene
    from generators.tasks.shop.orders import About
    from schemas.task import Patch
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

TRIES = 6
"""Draws of the orders that wait."""


def _with_order(scene: Scene, stream: Stream, at: str) -> list[Patch]:
    """Return the patches of a further pending order, which holds something that was ordered before, if there is any."""
    shop, orders = Shop(scene), Orders(scene)
    known = set(orders.values(orders.of_status("completed", "cancelled"), "name"))
    carried = [shop.products[item.id] for item in shop.items]
    familiar = [product for product in carried if product.name in known]
    lines = draw_wanted(shop, familiar or carried, 1, stream.child("familiar"))
    taken = {line.product.id for line in lines}
    others = [product for product in carried if product.id not in taken]
    lines += draw_wanted(shop, others, stream.below(3), stream.child("others"))
    return pending_order(scene, shop, lines, at, stream) if lines else []


def _target(scene: Scene, orders: Orders, stream: Stream, *, fresh: bool) -> tuple[str, list[Patch]]:
    """Return the id of a pending order of the age that is wanted, and the patches that make one where there is none."""
    waiting = orders.of_status("pending")
    right_age = is_fresh if fresh else is_stale
    fitting = [order.id for order in waiting if right_age(order, scene)]
    if fitting:
        return stream.choice(fitting), []
    at = fresh_time(scene, orders, stream) if fresh else stale_time(scene.now, orders, stream)
    if waiting and stream.chance(1, 2):
        moved = stream.choice(waiting)
        return moved.id, [scene.patch("transactions", moved.id, created_at=at)]
    made = _with_order(scene, stream, at)
    return (made[0].id if made else ""), made


def _telling(orders: Orders, order: Transaction, stream: Stream) -> About | None:
    """Return what `order` alone of all that wait holds, while an older one that does not wait any more held it too."""
    others = [other for other in orders.of_status("pending") if other.id != order.id]
    past = [o for o in orders.of_status("completed", "cancelled") if o.created_at < order.created_at]
    found = [
        (field, weight, value)
        for field, weight in FIELDS
        for value in orders.values([order], field)
        if not any(orders.holds(other, (field, value)) for other in others)
        and any(orders.holds(other, (field, value)) for other in past)
    ]
    if not found:
        return None
    field = stream.weighted([(field, weight) for field, weight in FIELDS if any(f == field for f, _, _ in found)])
    return field, stream.choice([value for f, _, value in found if f == field])


def _others_payable(orders: Orders, key: str, scene: Scene) -> bool:
    """Return whether another order than `key` can be paid."""
    return any(order.id != key and is_fresh(order, scene) for order in orders.of_status("pending"))


def _bind_order(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Bind a form in which there is such an order, with an older one that waits as well, and one that could be paid."""
    orders = Orders(scene)
    key, setup = _target(scene, orders, stream, fresh=cell.form != "policy")
    if not key:
        return None
    now = scene.after(setup)
    known = Orders(now)
    order = next(o for o in known.orders if o.id == key)
    if not any(other.created_at < order.created_at for other in known.of_status("pending")):
        setup += _with_order(now, stream.child("older"), stale_time(order.created_at, known, stream))
        known = Orders(scene.after(setup))
    if cell.form != "policy" and not _others_payable(known, key, scene):
        payable = stream.child("payable")
        setup += _with_order(scene.after(setup), payable, fresh_time(scene, known, payable.child("at")))
        known = Orders(scene.after(setup))
        if not _others_payable(known, key, scene):
            return None
    about = _telling(known, order, stream)
    if about is None or not any(other.created_at < order.created_at for other in known.of_status("pending")):
        return None
    setup += fund(scene, cell, order.total_cents, stream)
    return order_binding(cell, known, about, setup)


def _bind_none(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Bind something that was ordered before, while other things wait for payment."""
    setup: list[Patch] = []
    orders = Orders(scene)
    if not orders.of_status("pending"):
        setup = _with_order(scene, stream, stale_time(scene.now, orders, stream))
        orders = Orders(scene.after(setup))
    waiting, past = orders.of_status("pending"), orders.of_status("completed", "cancelled")
    field = stream.weighted(FIELDS)
    known = [v for v in orders.values(past, field) if v not in orders.values(waiting, field)]
    return order_binding(cell, orders, (field, stream.choice(known)), setup) if known and waiting else None


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the user's orders offer none within the tries."""
    bind_form = _bind_none if cell.form == "none_satisfies" else _bind_order
    for number in range(TRIES):
        binding = bind_form(cell, scene, stream.child(number))
        if binding is not None:
            return binding
    return None
