"""Bind the request to a completed order that is not the latest of all, and that the store can still serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.shop.bind import Shop, start
from generators.tasks.shop.orders import FIELDS, Orders, draw_wanted, order_binding, pending_order, stale_time
from services.shopping.records import SIZES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generators.tasks.intent import Binding, Cell, Scene
    from generators.tasks.shop.bind import Offer
    from generators.tasks.shop.orders import About
    from schemas.task import Patch
    from services.payments.records import Transaction
    from services.runtime.streams import Stream

TRIES = 6
"""Draws of an order that could run short."""
Units = dict[str, int]


def _units(orders: Orders, order: Transaction) -> Units:
    """Return the units by product that an order held; nothing when a product stands on two lines."""
    lines = orders.lines_of(order)
    held = {line.product_id: line.quantity * SIZES[line.size] for line in lines}
    return held if len(held) == len(lines) else {}


class Past:
    """What the user ordered and could order again."""

    def __init__(self, scene: Scene) -> None:
        """Read orders and store of a scene."""
        self.orders = Orders(scene)
        self.shop = Shop(scene)
        self.items = {item.id: item for item in self.shop.items}
        self.done = self.orders.of_status("completed")

    def offers(self, units: Mapping[str, int]) -> list[Offer]:
        """Return what products cost in these units today."""
        return [self.shop.offer(self.items[key], count) for key, count in units.items()]

    def choices(self) -> dict[str, list[tuple[About, Transaction]]]:
        """Return by field what could be said, with the order it means: one that is not the latest of all."""
        found: dict[str, list[tuple[About, Transaction]]] = {}
        for field, _ in FIELDS:
            later = set(self.orders.values(self.done[-1:], field))
            for order in self.done[-2::-1]:
                new = [value for value in self.orders.values([order], field) if value not in later]
                found.setdefault(field, []).extend(((field, value), order) for value in new)
                later.update(new)
        return {field: choices for field, choices in found.items() if choices}

    def as_packed(self, order: Transaction) -> bool:
        """Return whether the cheapest packing of today is that of the order: "the same" may be meant of packs too."""
        lines = {line.product_id: line for line in self.orders.lines_of(order)}
        offers = {offer.product.id: offer for offer in self.offers(_units(self.orders, order))}
        return all(offers[key].packs == (line.quantity if SIZES[line.size] > 1 else 0) for key, line in lines.items())

    def can_be_had(self, units: Mapping[str, int]) -> bool:
        """Return whether the store has all of it."""
        return bool(units) and all(key in self.items and self.items[key].stock >= n for key, n in units.items())

    def others(self, about: About, order: Transaction) -> list[Units]:
        """Return what a careless reader would order: the latest of all, and the next that holds what is named."""
        before = [o for o in self.done if o.created_at < order.created_at and self.orders.holds(o, about)]
        return [_units(self.orders, other) for other in (self.done[-1], *before[-1:])]

    def misleads(self, about: About, order: Transaction, units: Units) -> bool:
        """Return whether list prices, single packs, or a later order that was not completed lead astray."""
        unpaid = self.orders.of_status("cancelled", "pending")
        decoys = [o for o in unpaid if o.created_at > order.created_at and self.orders.holds(o, about)]
        return bool(decoys) or any(offer.misleads for offer in self.offers(units))


def _draw(past: Past, stream: Stream) -> tuple[About, Transaction, Units] | None:
    """Return one of the choices in which the store has everything, and a careless reader would order something else."""
    choices = past.choices()
    while choices:
        field = stream.weighted([(name, weight) for name, weight in FIELDS if name in choices])
        for about, order in stream.shuffled(choices.pop(field)):
            units = _units(past.orders, order)
            if (
                past.can_be_had(units)
                and past.as_packed(order)
                and past.misleads(about, order, units)
                and units not in past.others(about, order)
            ):
                return about, order, units
    return None


def _bind_again(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Bind a form in which everything is there."""
    past = Past(scene)
    drawn = _draw(past, stream)
    if drawn is None:
        return None
    about, _, units = drawn
    setup = start(scene, cell, sum(offer.total for offer in past.offers(units)), stream)
    return order_binding(cell, past.orders, about, setup)


def _bind_short(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Bind an order of which one product has run short since, as has something of another order."""
    past = Past(scene)
    for _ in range(TRIES):
        drawn = _draw(past, stream)
        if drawn is None:
            return None
        about, order, units = drawn
        # The orders that a careless reader would take must not run short of the same.
        taken = _keys(past.others(about, order))
        scarce = [key for key, count in units.items() if count > 1 and key not in taken]
        elsewhere = [
            (key, count)
            for other in past.done
            for key, count in _units(past.orders, other).items()
            if count > 1 and key in past.items and key not in {*units, *taken}
        ]
        pairs = [
            (key, other)
            for key in scarce
            for other in elsewhere
            if past.shop.products[other[0]].name < past.shop.products[key].name
        ]
        if pairs:
            key, (decoy, count) = stream.choice(pairs)
            setup = [scene.patch("assortment", key, stock=stream.between(1, units[key] - 1))]
            if past.items[decoy].stock >= count:
                setup.append(scene.patch("assortment", decoy, stock=stream.between(1, count - 1)))
            total = sum(offer.total for offer in past.offers(units))
            return order_binding(cell, past.orders, about, [*setup, *start(scene, cell, total, stream)])
    return None


def _keys(held: Iterable[Units]) -> set[str]:
    return {key for units in held for key in units}


def _bind_unknown(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Bind something that was put into an order once, but never bought."""
    past = Past(scene)
    setup: list[Patch] = []
    if not past.done:
        return None
    found = _never_bought(past.orders)
    if not found:
        known = past.orders.values(past.done, "name")
        new = [p for p in (past.shop.products[key] for key in past.items) if p.name not in known]
        lines = draw_wanted(past.shop, new, 1, stream)
        if not lines:
            return None
        setup = pending_order(scene, past.shop, lines, stale_time(scene.now, past.orders, stream), stream)
        past = Past(scene.after(setup))
        found = _never_bought(past.orders)
    fields = [(name, weight) for name, weight in FIELDS if name in found]
    field = stream.weighted(fields)
    return order_binding(cell, past.orders, (field, stream.choice(found[field])), setup)


def _never_bought(orders: Orders) -> dict[str, list[str]]:
    """Return by field what orders hold that were not completed, and no completed one does."""
    done, others = orders.of_status("completed"), orders.of_status("cancelled", "pending")
    values = {f: [v for v in orders.values(others, f) if v not in orders.values(done, f)] for f, _ in FIELDS}
    return {field: found for field, found in values.items() if found}


_FORMS = {"out_of_stock": _bind_short, "not_recorded": _bind_unknown}


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the user's orders offer none."""
    return _FORMS.get(cell.form, _bind_again)(cell, scene, stream)
