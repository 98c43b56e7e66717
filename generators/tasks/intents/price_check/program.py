"""How a perfect assistant finds out what a product costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, eq, ge, slot
from generators.tasks.intents.price_check.goal import difference, verdict
from generators.tasks.program import Derive, Filter, Fixed, Tell
from generators.tasks.shop.program import inspected, is_empty, quoted

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program

_TOTAL, _LIMIT = slot("total"), slot("limit")


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound question."""
    details = yield from inspected(eq(col("name"), slot("product")), {"product": x("product")})
    wanted = {"quantity": x("quantity")}
    offered = yield Filter(details, where=ge(col("stock"), slot("quantity")), args=wanted)
    if (yield from is_empty(offered)):
        yield Tell({"reason": Fixed("reason", "out_of_stock"), "units_left": details[0]["stock"]})
        return
    total = (yield from quoted(offered, wanted))[0]["total"]
    if binding.variant == "limit":
        args = {"total": total, "limit": x("limit")}
        told = (yield Derive(verdict(_TOTAL, _LIMIT), args)), (yield Derive(difference(_TOTAL, _LIMIT), args))
        yield Tell({"verdict": told[0], "difference": told[1]})
    else:
        yield Tell({"total": total})
