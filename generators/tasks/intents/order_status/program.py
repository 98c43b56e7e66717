"""How a perfect assistant finds the last completed order with something in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, scaled, slot
from generators.tasks.history.goal import completed, of_what
from generators.tasks.history.program import LINE, LINE_UNITS, TRANSACTION
from generators.tasks.program import Call, Derive, Filter, Fixed, Group, Tell, Unnest
from generators.tasks.shop.program import is_empty
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced


def _answer(variant: str, last: Traced) -> Program:
    match variant:
        case "total":
            return (yield Derive(scaled(slot("total"), 100), {"total": last["final_total"]}))
        case "units":
            return last["units"]
        case _:
            return (yield Derive(g.DateOf(fn="day", args=[slot("time")]), {"time": last["created_at"]}))


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound question."""
    names = binding.values().keys()
    history = yield Call("get_transactions")
    orders = yield Filter(history["transactions"], where=both(*completed(TRANSACTION)))
    items = yield Unnest(orders, "items")
    lines = yield Filter(items, where=both(*of_what(names, LINE)), args={name: x(name) for name in names})
    if (yield from is_empty(lines)):
        yield Tell({"reason": Fixed("reason", "not_recorded"), "first_date": history["records_since"]})
        return
    keys = ("transaction_id", "created_at", "final_total")
    by_order = yield Group(lines, keys, (g.Measure(name="units", fn="sum", of=LINE_UNITS),))
    ranking = yield Filter(by_order, order=(g.Order(key=col("created_at"), descending=True),))
    yield Tell({binding.variant: (yield from _answer(binding.variant, ranking[0]))})
