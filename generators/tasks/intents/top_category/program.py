"""How a perfect assistant finds on what most was spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col
from generators.tasks.history.program import LINE, LINE_COST, orders_in_period, unrecorded
from generators.tasks.program import Filter, Group, Tell, Unnest
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound question."""
    if binding.cell.form != "fulfil":
        yield from unrecorded(x)
        return
    orders = yield from orders_in_period(x)
    lines = yield Unnest(orders, "items")
    key = LINE[binding.variant]
    sums = yield Group(lines, (key,), (g.Measure(name="spent", fn="sum", of=LINE_COST),))
    ranking = yield Filter(sums, order=(g.Order(key=col("spent"), descending=True),))
    yield Tell({binding.variant: ranking[0][key], "spent": ranking[0]["spent"]})
