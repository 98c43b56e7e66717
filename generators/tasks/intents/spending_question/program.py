"""How a perfect assistant answers a question about spending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, scaled
from generators.tasks.history.goal import of_what
from generators.tasks.history.program import LINE, LINE_COST, LINE_UNITS, orders_in_period, unrecorded
from generators.tasks.program import Filter, Sum, Tell, Unnest

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced


def _answer(binding: Binding, x: SlotReader, orders: Traced) -> Program:
    names = binding.values().keys()
    if binding.variant == "orders":
        return {"orders": (yield Sum(orders, "count"))}
    kinds = [name for name in ("category", "brand") if name in names]
    if not kinds:
        return {"spent": (yield Sum(orders, "sum", scaled(col("final_total"), 100)))}
    items = yield Unnest(orders, "items")
    lines = yield Filter(items, where=both(*of_what(names, LINE)), args={name: x(name) for name in kinds})
    if binding.variant == "units":
        return {"units": (yield Sum(lines, "sum", LINE_UNITS))}
    return {"spent": (yield Sum(lines, "sum", LINE_COST))}


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound question."""
    if binding.cell.form != "fulfil":
        yield from unrecorded(x)
        return
    orders = yield from orders_in_period(x)
    yield Tell((yield from _answer(binding, x, orders)))
