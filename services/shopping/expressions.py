"""What shopping knows, as expressions of the goal algebra, and the effects of an order, as goal writes."""

from __future__ import annotations

from schemas.goal import (
    Any,
    Arith,
    Case,
    Col,
    Column,
    Const,
    Expr,
    FieldGoal,
    FieldIs,
    FieldLeft,
    FieldRef,
    Named,
    Now,
    Pred,
    Test,
    When,
    Write,
)
from services.runtime.identity import shared


@shared
def num(value: int) -> Const:
    """Return an integer constant."""
    return Const(value=value)


@shared
def unit_price(list_cents: Expr, discount_percent: Expr, members_only: Expr, member: Expr) -> Named:
    """Return the price in cents of one pack after its discount, half up. The careless reading is the list price."""
    reduced = Arith(
        fn="div_half_up",
        args=[Arith(fn="mul", args=[list_cents, Arith(fn="sub", args=[num(100), discount_percent])]), num(100)],
    )
    closed = When(test=Test(fn="eq", left=members_only, right=Const(value=True)), then=list_cents)
    opened = When(test=Test(fn="eq", left=member, right=num(1)), then=reduced)
    return Named(name="unit_price", body=Case(branches=[opened, closed], otherwise=reduced), naive=list_cents)


@shared
def packs(units: Expr, single: Expr, pack: Expr) -> Named:
    """Return how many packs of five the cheapest packing of `units` has; `single` and `pack` are the prices paid.

    The total is linear in the number of packs, so it is none or as many as fit. The careless reading buys single packs
    only.
    """
    whole = Arith(fn="sub", args=[units, Arith(fn="mod", args=[units, num(5)])])
    most = Arith(fn="div_half_up", args=[whole, num(5)])
    cheaper = Test(fn="lt", left=pack, right=Arith(fn="mul", args=[num(5), single]))
    return Named(name="packs", body=Case(branches=[When(test=cheaper, then=most)], otherwise=num(0)), naive=num(0))


@shared
def singles(units: Expr, packs_of_five: Expr) -> Expr:
    """Return how many single packs are left beside the packs of five."""
    return Arith(fn="sub", args=[units, Arith(fn="mul", args=[num(5), packs_of_five])])


@shared
def units_of(size: Expr, quantity: Expr) -> Named:
    """Return the single units that a line holds. The careless reading takes packs for units."""
    pack = When(test=Test(fn="eq", left=size, right=Const(value="pack_5")), then=num(5))
    units = Arith(fn="mul", args=[quantity, Case(branches=[pack], otherwise=num(1))])
    return Named(name="units", body=units, naive=quantity)


@shared
def order_total(packs_of_five: Expr, pack: Expr, single_count: Expr, single: Expr) -> Expr:
    """Return the total of a packing in cents."""
    return Arith(
        fn="add",
        args=[Arith(fn="mul", args=[packs_of_five, pack]), Arith(fn="mul", args=[single_count, single])],
    )


@shared
def order_line(order: str, var: str, product: Expr, size: str, quantity: Expr, price: Expr) -> Write:
    """Return the creation of the line of `size`, where its quantity is positive."""
    fields: dict[str, FieldGoal] = {
        "transaction_id": FieldRef(var=order),
        "product_id": FieldIs(value=product),
        "size": FieldIs(value=Const(value=size)),
        "quantity": FieldIs(value=quantity),
        "unit_price_cents": FieldIs(value=price),
    }
    return Write(
        op="create", table="order_lines", var=var, when=Test(fn="gt", left=quantity, right=num(0)), fields=fields
    )


@shared
def take_stock(product: Expr, stock: Expr, units: Expr) -> Write:
    """Return the decrease of the store's stock by what was sold."""
    return Write(op="update", table="assortment", id=product, fields={"stock": FieldLeft(start=stock, amount=units)})


@shared
def column(prefix: str, name: str) -> Col:
    """Return the column `prefix.name`."""
    return Col(name=f"{prefix}.{name}")


def voucher_columns(total: Expr, brand: Expr, voucher_brand: Expr, percent_off: Expr) -> list[Column]:
    """Return the columns of vouchers for an order of one product: `eligible` and, half up once, `saving`, in cents."""
    all_of_it = Any(
        of=[
            Test(fn="eq", left=voucher_brand, right=Const(value=None)),
            Test(fn="eq", left=voucher_brand, right=brand),
        ]
    )
    eligible = Case(branches=[When(test=all_of_it, then=total)], otherwise=num(0))
    saving = Arith(fn="div_half_up", args=[Arith(fn="mul", args=[Col(name="eligible"), percent_off]), num(100)])
    return [Column(name="eligible", value=eligible), Column(name="saving", value=saving)]


def voucher_holds(expires_on: Expr, members_only: Expr, member: Expr) -> list[Pred]:
    """Return what an unused voucher with these columns must satisfy whatever its minimum: `eligible` goes before."""
    return [
        Test(fn="ge", left=expires_on, right=Now(part="date")),
        Any(
            of=[
                Test(fn="eq", left=members_only, right=Const(value=False)),
                Test(fn="eq", left=member, right=num(1)),
            ]
        ),
        Test(fn="gt", left=Col(name="eligible"), right=num(0)),
    ]
