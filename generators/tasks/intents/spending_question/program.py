"""How a perfect assistant answers a question about spending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, lt, mul, scaled, slot
from generators.tasks.intents.spending_question.goal import in_period, of_what, units_of
from generators.tasks.program import Call, Decide, Filter, Fixed, Sum, Tell, Unnest

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

_TRANSACTION = {"created_at": "created_at", "kind": "type", "status": "status"}
_LINE = {"category": "category", "brand": "brand"}


def _answer(binding: Binding, x: SlotReader, orders: Traced) -> Program:
    names = binding.values().keys()
    if binding.variant == "orders":
        return {"orders": (yield Sum(orders, "count"))}
    kinds = [name for name in ("category", "brand") if name in names]
    if not kinds:
        return {"spent": (yield Sum(orders, "sum", scaled(col("final_total"), 100)))}
    items = yield Unnest(orders, "items")
    lines = yield Filter(items, where=both(*of_what(names, _LINE)), args={name: x(name) for name in kinds})
    if binding.variant == "units":
        return {"units": (yield Sum(lines, "sum", units_of(col("size"), col("quantity"))))}
    return {"spent": (yield Sum(lines, "sum", mul(col("quantity"), scaled(col("unit_price"), 100))))}


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound question."""
    history = yield Call("get_transactions")
    if binding.cell.form == "fulfil":
        args = {"period_first": x("period_first"), "period_last": x("period_last")}
        orders = yield Filter(history["transactions"], where=both(*in_period(_TRANSACTION)), args=args)
        yield Tell((yield from _answer(binding, x, orders)))
        return
    first = history["records_since"]
    yield Decide(lt(slot("last"), slot("first")), {"last": x("period_last"), "first": first})
    yield Tell({"reason": Fixed("reason", "not_recorded"), "first_date": first})
