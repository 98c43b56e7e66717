"""How a perfect assistant fills a basket within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, eq, le, slot, sub
from generators.tasks.intents.budget_basket.goal import among, categories_of, fitting
from generators.tasks.program import Decide, Derive, Filter, Fixed, Tell
from generators.tasks.shop.program import add, by_form, check_out, inspected, quoted, refuse_top_up
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

_CHEAPEST_FIRST = (g.Order(key=col("total")),)


def _basket(binding: Binding, x: SlotReader) -> Program:
    """Return the cheapest fitting product of each category, in the order told."""
    names = categories_of(binding)
    details = yield from inspected(among(col("category"), names), {name: x(name) for name in names})
    told = {"tag": x("tag"), "quantity": x("quantity")}
    matching = yield Filter(details, where=both(*fitting("health_tags", col("stock"))), args=told)
    priced = yield from quoted(matching, {"quantity": x("quantity")})
    chosen: list[Traced] = []
    for name in names:
        of_it = eq(col("category"), slot(name))
        section = yield Filter(priced, where=of_it, order=_CHEAPEST_FIRST, args={name: x(name)})
        chosen.append(section[0])
    return chosen


def _total(basket: list[Traced]) -> Program:
    totals = {f"total_{number}": product["total"] for number, product in enumerate(basket)}
    return (yield Derive(g.Arith(fn="add", args=[slot(name) for name in totals]), totals))


def _fulfil(binding: Binding, x: SlotReader) -> Program:
    basket = yield from _basket(binding, x)
    total = yield from _total(basket)
    yield Decide(le(slot("total"), slot("budget")), {"total": total, "budget": x("budget")})
    for product in basket:
        yield from add(product)
    yield from check_out()


def _none_satisfies(binding: Binding, x: SlotReader) -> Program:
    basket = yield from _basket(binding, x)
    total = yield from _total(basket)
    compared = {"total": total, "budget": x("budget")}
    yield Decide(le(slot("total"), slot("budget")), compared)
    excess = yield Derive(sub(slot("total"), slot("budget")), compared)
    yield Tell({"reason": Fixed("reason", "none_satisfies"), "total": total, "excess": excess})


def _cannot_afford(binding: Binding, x: SlotReader) -> Program:
    basket = yield from _basket(binding, x)
    yield from refuse_top_up((yield from _total(basket)))


steps = by_form({"fulfil": _fulfil, "none_satisfies": _none_satisfies, "cannot_afford": _cannot_afford})
