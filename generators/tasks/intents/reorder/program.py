"""How a perfect assistant orders again what a past order held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, eq, lt, slot
from generators.tasks.history.goal import completed, of_what
from generators.tasks.history.program import LINE, LINE_UNITS, TRANSACTION
from generators.tasks.program import Call, Each, Filter, Fixed, Group, Sum, Tell, Unnest
from generators.tasks.shop.program import (
    add_each,
    check_out,
    is_empty,
    quoted,
    refuse_purchase,
    refuse_top_up,
)
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

_LATEST = (g.Order(key=col("created_at"), descending=True),)


def _again(items: Traced, holding: Traced) -> Program:
    """Return the lines of the latest of the orders in `holding`, with what they cost today."""
    orders = yield Group(holding, ("transaction_id", "created_at"), ())
    latest = yield Filter(orders, order=_LATEST)
    args = {"order": latest[0]["transaction_id"]}
    lines = yield Filter(items, where=eq(col("transaction_id"), slot("order")), args=args)
    details = yield Each(lines, "inspect_item", {"product_id": "product_id"})
    return (yield from quoted(details, {}, LINE_UNITS))


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request."""
    if binding.cell.form == "consent_refused":
        yield from refuse_purchase()
        return
    history = yield Call("get_transactions")
    orders = yield Filter(history["transactions"], where=both(*completed(TRANSACTION)))
    items = yield Unnest(orders, "items")
    names = binding.values().keys()
    holding = yield Filter(items, where=both(*of_what(names, LINE)), args={name: x(name) for name in names})
    if (yield from is_empty(holding)):
        yield Tell({"reason": Fixed("reason", "not_recorded"), "first_date": history["records_since"]})
        return
    again = yield from _again(items, holding)
    missing = yield Filter(again, where=lt(col("stock"), col("units")), order=(g.Order(key=col("name")),))
    if not (yield from is_empty(missing)):
        short = {"missing_product": missing[0]["name"], "units_left": missing[0]["stock"]}
        yield Tell({"reason": Fixed("reason", "out_of_stock"), **short})
    elif binding.cell.form == "cannot_afford":
        total = yield Sum(again, "sum", col("total"))
        yield from refuse_top_up(total)
    else:
        yield from add_each(again)
        yield from check_out()
