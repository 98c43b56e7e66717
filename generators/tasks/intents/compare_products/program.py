"""How a perfect assistant compares named products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, const, lt, scaled, slot
from generators.tasks.intents.compare_products.goal import PRODUCTS, among, measured
from generators.tasks.program import Decide, Derive, Filter, Fixed, Map, Sum, Tell
from generators.tasks.shop.program import inspected, quoted
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

_TENTHS = {
    name: scaled(col(f"packaging.nutrition.{field}"), 10)
    for name, field in {
        "sugar": "sugar_g",
        "fat": "fat_g",
        "calories": "calories",
        "protein": "protein_g",
        "fiber": "fiber_g",
    }.items()
}
_SHOWN = g.Arith(fn="to_decimal", args=[slot("tenths"), const(10)])


def _ranked(binding: Binding, x: SlotReader, details: Traced) -> Program:
    if binding.variant == "cost":
        priced = yield from quoted(details, {"quantity": x("quantity")})
        return (yield Filter(priced, order=(g.Order(key=col("total")),)))
    known = yield Map(details, tuple(measured(_TENTHS)), {"objective": x("objective")})
    return (yield Filter(known, order=(g.Order(key=col("merit")),)))


def _told(binding: Binding, best: Traced) -> Program:
    if binding.variant == "cost":
        return {"product": best["name"], "total": best["total"]}
    return {"product": best["name"], "amount": (yield Derive(_SHOWN, {"tenths": best["amount"]}))}


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound comparison."""
    named = [name for name in PRODUCTS if name in binding.values()]
    details = yield from inspected(among(named, "name"), {name: x(name) for name in named})
    ranked = yield from _ranked(binding, x, details)
    told = yield from _told(binding, ranked[0])
    if binding.cell.form != "fulfil":
        carried = yield Sum(details, "count")
        yield Decide(lt(slot("carried"), const(len(named))), {"carried": carried})
        told = {"reason": Fixed("reason", "none_satisfies"), **told}
    yield Tell(told)
