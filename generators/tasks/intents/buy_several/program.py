"""How a perfect assistant orders several named products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, lt
from generators.tasks.intents.buy_several.goal import items_of, named, units_of
from generators.tasks.program import Args, Filter, Fixed, Pluck, Sum, Tell
from generators.tasks.shop.program import (
    add_each,
    by_form,
    check_out,
    inspected,
    is_empty,
    quoted,
    refuse_top_up,
)

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program


def _told(names: str, binding: Binding, x: SlotReader) -> Args:
    return {slot: x(slot) for slot in binding.values() if slot.startswith(names)}


def _details(binding: Binding, x: SlotReader) -> Program:
    return (yield from inspected(named(col("name"), items_of(binding)), _told("product_", binding, x)))


def _priced(binding: Binding, x: SlotReader) -> Program:
    details = yield from _details(binding, x)
    units = units_of(col("name"), items_of(binding))
    return (yield from quoted(details, {name: x(name) for name in _needed(binding)}, units))


def _needed(binding: Binding) -> list[str]:
    """Return the slots that say how many units of which product; the last product is what is left."""
    return [name for name in binding.values() if name != f"product_{items_of(binding)}"]


def _fulfil(binding: Binding, x: SlotReader) -> Program:
    yield from add_each((yield from _priced(binding, x)))
    yield from check_out()


def _out_of_stock(binding: Binding, x: SlotReader) -> Program:
    details = yield from _details(binding, x)
    too_few = lt(col("stock"), units_of(col("name"), items_of(binding)))
    short = yield Filter(details, where=too_few, args={name: x(name) for name in _needed(binding)})
    yield from is_empty(short)
    names = yield Pluck(short, "name")
    left = yield Sum(short, "sum", col("stock"))
    yield Tell({"reason": Fixed("reason", "out_of_stock"), "short_of": names, "units_left": left})


def _cannot_afford(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    total = yield Sum(priced, "sum", col("total"))
    yield from refuse_top_up(total)


steps = by_form({"fulfil": _fulfil, "out_of_stock": _out_of_stock, "cannot_afford": _cannot_afford})
