"""How a perfect assistant finds and orders the best product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, eq, ge, gt, le, scaled, slot, sub
from generators.tasks.intents.buy_best.goal import constraints, merit, quote
from generators.tasks.program import Args, Ask, Call, Decide, Derive, Each, Filter, Fixed, Map, Pages, Sum, Tell, User
from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Given, Program, Traced

_COLUMNS = {"category": "category", "tags": "health_tags", "allergens": "allergens", "delivery": "delivery"}
_QUANTITIES: Mapping[str, g.Expr] = {
    "total": col("total"),
    "sugar": scaled(col("packaging.nutrition.sugar_g"), 10),
    "calories": scaled(col("packaging.nutrition.calories"), 10),
    "protein": scaled(col("packaging.nutrition.protein_g"), 10),
    "fiber": scaled(col("packaging.nutrition.fiber_g"), 10),
}
_QUOTE = quote(
    scaled(col("purchase_options.0.price"), 100),
    scaled(col("purchase_options.1.price"), 100),
    col("discount_percent"),
    col("discount_vip_only"),
    slot("member"),
)
_MEMBER = g.Case(branches=[g.When(test=eq(slot("vip"), const(True)), then=const(1))], otherwise=const(0))
_SHORTFALL = sub(slot("total"), scaled(slot("balance"), 100))
_LATER = ("tag", "tag_2", "without", "delivery")
"""Constraints that only the details of a product show."""


def _member(details: Traced) -> Program:
    """Find out whether the user is a member, if any of the products is discounted for members only."""
    special = yield Filter(details, where=eq(col("discount_vip_only"), const(True)))
    number = yield Sum(special, "count")
    if not (yield Decide(gt(slot("count"), const(0)), {"count": number})):
        return Fixed("no_members_discount", 0)
    wallet = yield Call("get_wallet")
    return (yield Derive(_MEMBER, {"vip": wallet["vip"]}))


def _priced(binding: Binding, x: SlotReader) -> Program:
    """Look through the store and return the matching products with their totals."""
    names = binding.values().keys()
    listing = yield Pages("browse_items", "items")
    shelf = yield Filter(listing, where=eq(col("category"), slot("category")), args={"category": x("category")})
    details = yield Each(shelf, "inspect_item", {"product_id": "product_id"})
    later = [name for name in _LATER if name in names]
    matching = yield Filter(details, where=both(*constraints(later, _COLUMNS)), args={name: x(name) for name in later})
    member: Given = yield from _member(matching)
    columns = list(_QUOTE)
    args: dict[str, Given] = {"quantity": x("quantity"), "member": member}
    if "objective" in names:
        columns.append(column("merit", merit(slot("objective"), _QUANTITIES)))
        args["objective"] = x("objective")
    return (yield Map(matching, tuple(columns), args))


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


def _is_empty(rows: Traced) -> Program:
    number = yield Sum(rows, "count")
    return not (yield Decide(gt(slot("count"), const(0)), {"count": number}))


def _buy(best: Traced) -> Program:
    for count, size in (("packs", "pack_5"), ("singles", "single_pack")):
        if (yield Decide(gt(slot("count"), const(0)), {"count": best[count]})):
            line: Args = {"product_id": best["product_id"], "size": Fixed("size", size), "quantity": best[count]}
            yield Call("add_to_cart", line)
    order = yield Call("prepare_order")
    yield User("authorize_checkout", {"transaction_id": order["transaction_id"]})


def _refused(_binding: Binding, _x: SlotReader) -> Program:
    yield Ask("PURCHASE")
    yield Tell({"reason": Fixed("reason", "consent_refused")})


def _fulfil(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    choices = yield from _best_first(binding, x, priced)
    yield from _buy(choices[0])


def _cannot_afford(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    choices = yield from _best_first(binding, x, priced)
    total = choices[0]["total"]
    wallet = yield Call("get_wallet")
    paid: Args = {"total": total, "balance": wallet["balance"]}
    yield Decide(gt(slot("total"), scaled(slot("balance"), 100)), paid)
    shortfall = yield Derive(_SHORTFALL, paid)
    yield Ask("BALANCE", {"amount": shortfall})
    yield Tell({"reason": Fixed("reason", "cannot_afford"), "shortfall": shortfall})


def _none_satisfies(binding: Binding, x: SlotReader) -> Program:
    priced = yield from _priced(binding, x)
    choices = yield from _best_first(binding, x, priced)
    yield from _is_empty(choices)
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
    yield from _is_empty(choices)
    ranked = yield Filter(priced, order=(g.Order(key=col("stock"), descending=True),))
    yield Tell(
        {
            "reason": Fixed("reason", "out_of_stock"),
            "nearest_product": ranked[0]["name"],
            "units_left": ranked[0]["stock"],
        }
    )


_PROGRAMS = {
    "fulfil": _fulfil,
    "none_satisfies": _none_satisfies,
    "out_of_stock": _out_of_stock,
    "cannot_afford": _cannot_afford,
    "consent_refused": _refused,
}


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request; `x` gives its slots."""
    return _PROGRAMS[binding.cell.form](binding, x)
