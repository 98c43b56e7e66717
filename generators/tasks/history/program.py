"""Looking through past orders, as a perfect assistant does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, lt, mul, scaled, slot
from generators.tasks.history.goal import in_period
from generators.tasks.program import Call, Decide, Filter, Fixed, Tell
from services.shopping.expressions import units_of

if TYPE_CHECKING:
    from generators.tasks.intent import SlotReader
    from generators.tasks.program import Program

TRANSACTION = {"created_at": "created_at", "kind": "type", "status": "status"}
"""Columns of a transaction as tools show it."""
LINE = {"product": "name", "category": "category", "brand": "brand"}
"""Columns of an order line as tools show it."""
LINE_UNITS = units_of(col("size"), col("quantity"))
LINE_COST = mul(col("quantity"), scaled(col("unit_price"), 100))


def orders_in_period(x: SlotReader) -> Program:
    """Return the completed orders placed in the period."""
    history = yield Call("get_transactions")
    args = {"period_first": x("period_first"), "period_last": x("period_last")}
    return (yield Filter(history["transactions"], where=both(*in_period(TRANSACTION)), args=args))


def unrecorded(x: SlotReader) -> Program:
    """Find that the period lies before the first day on record, and say so."""
    first = (yield Call("get_transactions"))["records_since"]
    yield Decide(lt(slot("last"), slot("first")), {"last": x("period_last"), "first": first})
    yield Tell({"reason": Fixed("reason", "not_recorded"), "first_date": first})
