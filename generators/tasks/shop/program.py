"""What a perfect assistant does in the store: look through it, price what fits, order, pay, or say why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from generators.tasks.build import col, column, const, eq, gt, scaled, slot, sub
from generators.tasks.program import Args, Ask, Call, Decide, Derive, Each, Filter, Fixed, Map, Pages, Sum, Tell, User
from generators.tasks.shop.goal import quote
from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Given, Program, Traced

Steps: TypeAlias = "Callable[[Binding, SlotReader], Program]"
COLUMNS: Mapping[str, str] = {
    "category": "category",
    "tags": "health_tags",
    "allergens": "allergens",
    "delivery": "delivery",
}
"""What constraints look at -> the field of a product's details."""
QUANTITIES: Mapping[str, g.Expr] = {
    "total": col("total"),
    "sugar": scaled(col("packaging.nutrition.sugar_g"), 10),
    "calories": scaled(col("packaging.nutrition.calories"), 10),
    "protein": scaled(col("packaging.nutrition.protein_g"), 10),
    "fiber": scaled(col("packaging.nutrition.fiber_g"), 10),
}
"""What objectives look at, of a product's details with a quote."""
MEMBER = g.Case(branches=[g.When(test=eq(slot("vip"), const(True)), then=const(1))], otherwise=const(0))
"""1 when the wallet shows a membership (`vip`), else 0."""
_QUANTITY = slot("quantity")
_SHORTFALL = sub(slot("total"), scaled(slot("balance"), 100))


def quote_shown(units: g.Expr, is_member: g.Expr) -> list[g.Column]:
    """Return the columns that price `units` of a product, from its details."""
    return quote(
        units,
        scaled(col("purchase_options.0.price"), 100),
        scaled(col("purchase_options.1.price"), 100),
        col("discount_percent"),
        col("discount_vip_only"),
        is_member,
    )


def by_form(programs: Mapping[str, Steps]) -> Steps:
    """Return the steps of an intent that ends in an order, of one program per form but the refused permission."""

    def steps(binding: Binding, x: SlotReader) -> Program:
        form = binding.cell.form
        return refuse_purchase() if form == "consent_refused" else programs[form](binding, x)

    return steps


def inspected(where: g.Pred, args: Args) -> Program:
    """Look through the store and return the details of the products whose listing satisfies `where`."""
    listing = yield Pages("browse_items", "items")
    shelf = yield Filter(listing, where=where, args=args)
    return (yield Each(shelf, "inspect_item", {"product_id": "product_id"}))


def membership(details: Traced) -> Program:
    """Find out whether the user is a member, if any of the products is discounted for members only."""
    special = yield Filter(details, where=eq(col("discount_vip_only"), const(True)))
    if (yield from is_empty(special)):
        return Fixed("no_members_discount", 0)
    wallet = yield Call("get_wallet")
    return (yield Derive(MEMBER, {"vip": wallet["vip"]}))


def quoted(details: Traced, args: Args, units: g.Expr = _QUANTITY, extra: Sequence[g.Column] = ()) -> Program:
    """Return the details of products with what `units` of each cost; `extra` columns may use that."""
    member: Given = yield from membership(details)
    columns = (column("units", units), *quote_shown(col("units"), slot("member")), *extra)
    return (yield Map(details, columns, {**args, "member": member}))


def is_empty(rows: Traced) -> Program:
    """Return whether there is no row, as a decision."""
    number = yield Sum(rows, "count")
    return not (yield Decide(gt(slot("count"), const(0)), {"count": number}))


_SIZES = (("packs", "pack_5"), ("singles", "single_pack"))


def add(best: Traced) -> Program:
    """Put the cheapest packing of one priced product into the cart."""
    for count, size in _SIZES:
        if (yield Decide(gt(slot("count"), const(0)), {"count": best[count]})):
            line: Args = {"product_id": best["product_id"], "size": Fixed("size", size), "quantity": best[count]}
            yield Call("add_to_cart", line)


def add_each(rows: Traced) -> Program:
    """Put the cheapest packing of each priced product into the cart."""
    for count, size in _SIZES:
        sold = yield Filter(rows, where=gt(col(count), const(0)))
        sized = yield Map(sold, (column("size", const(size)),))
        yield Each(sized, "add_to_cart", {"product_id": "product_id", "size": "size", "quantity": count})


def check_out(voucher: Traced | None = None) -> Program:
    """Order what the cart holds and have the user pay it."""
    order = yield Call("prepare_order", {} if voucher is None else {"voucher_id": voucher})
    yield User("authorize_checkout", {"transaction_id": order["transaction_id"]})


def refuse_purchase() -> Program:
    """Ask for the permission to buy, which the user refuses."""
    yield Ask("PURCHASE")
    yield Tell({"reason": Fixed("reason", "consent_refused")})


def refuse_top_up(total: Given) -> Program:
    """Ask for what the wallet lacks of `total` cents, which the user refuses."""
    wallet = yield Call("get_wallet")
    paid: Args = {"total": total, "balance": wallet["balance"]}
    yield Decide(gt(slot("total"), scaled(slot("balance"), 100)), paid)
    shortfall = yield Derive(_SHORTFALL, paid)
    amount = yield Derive(g.Arith(fn="to_decimal", args=[slot("cents"), const(100)]), {"cents": shortfall})
    yield Ask("BALANCE", {"amount": amount})
    yield Tell({"reason": Fixed("reason", "cannot_afford"), "shortfall": shortfall})
