"""How a perfect assistant finds and orders the best product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, eq, ge, le, slot
from generators.tasks.program import Filter, Fixed, Tell
from generators.tasks.shop.goal import constraints, merit
from generators.tasks.shop.program import (
    COLUMNS,
    QUANTITIES,
    add,
    by_form,
    check_out,
    inspected,
    is_empty,
    quoted,
    refuse_top_up,
)
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Given, Program, Traced

_LATER = ("tag", "tag_2", "without", "delivery")
"""Constraints that only the details of a product show."""


def _priced(binding: Binding, x: SlotReader) -> Program:
    """Look through the store and return the matching products with their totals."""
    names = binding.values().keys()
    details = yield from inspected(eq(col("category"), slot("category")), {"category": x("category")})
    later = [name for name in _LATER if name in names]
    matching = yield Filter(details, where=both(*constraints(later, COLUMNS)), args={name: x(name) for name in later})
    if "objective" not in names:
        return (yield from quoted(matching, {"quantity": x("quantity")}))
    ranked = [column("merit", merit(slot("objective"), QUANTITIES))]
    args = {"quantity": x("quantity"), "objective": x("objective")}
    return (yield from quoted(matching, args, extra=ranked))


def _best_first(binding: Binding, x: SlotReader, priced: Traced, *, within_limit: bool = True) -> Program:
    """Return what is in stock and, unless told otherwise, within the limit, best first."""
    names = binding.values().keys()
    tests: list[g.Pred] = [ge(col("stock"), slot("quantity"))]
    args: dict[str, Given] = {"quantity": x("quantity")}
    if within_limit and "max_total" in names:
        tests.append(le(col("total"), slot("max_total")))
        args["max_total"] = x("max_total")
    key = col("merit" if "objective" in names else "total")
    return (yield Filter(priced, where=both(*tests), order=(g.Order(key=key),), args=args))


def _fulfil(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    choices = yield from _best_first(binding, x, priced)
    yield from add(choices[0])
    yield from check_out()


def _cannot_afford(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    choices = yield from _best_first(binding, x, priced)
    yield from refuse_top_up(choices[0]["total"])


def _none_satisfies(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    choices = yield from _best_first(binding, x, priced)
    yield from is_empty(choices)
    nearest = (yield from _best_first(binding, x, priced, within_limit=False))[0]
    yield Tell(
        {
            "reason": Fixed("reason", "none_satisfies"),
            "nearest_product": nearest["name"],
            "nearest_total": nearest["total"],
        }
    )


def _out_of_stock(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    choices = yield from _best_first(binding, x, priced)
    yield from is_empty(choices)
    ranked = yield Filter(priced, order=(g.Order(key=col("stock"), descending=True),))
    yield Tell(
        {
            "reason": Fixed("reason", "out_of_stock"),
            "nearest_product": ranked[0]["name"],
            "units_left": ranked[0]["stock"],
        }
    )


steps = by_form(
    {
        "fulfil": _fulfil,
        "none_satisfies": _none_satisfies,
        "out_of_stock": _out_of_stock,
        "cannot_afford": _cannot_afford,
    }
)
