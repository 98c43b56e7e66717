"""What solvers know of buying: what a number of units costs, and what paying for an order leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validators.solvers.solution import Fact, Row, Solution, SolverInput, Sum

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_member(x: SolverInput) -> bool:
    """Return whether the membership is valid today."""
    last_day = x.tables["membership"]["membership"]["expires_on"]
    return bool(last_day) and last_day >= x.today


def store(x: SolverInput) -> list[Row]:
    """Return the products that the store carries, with stock and delivery."""
    return [{**x.tables["products"][item["id"]], **item} for item in x.rows("assortment")]


def offer(x: SolverInput, product: Row, wanted: int, *, as_member: bool = False) -> Row:
    """Return a product with the packs, singles, prices in cents and total of the cheapest way to buy `wanted` units."""
    off = product["discount_percent"]
    if product["discount_members_only"] and not (as_member or is_member(x)):
        off = 0
    single, pack = ((product[key] * (100 - off) + 50) // 100 for key in ("single_cents", "pack_cents"))
    total, packs = min((n * pack + (wanted - 5 * n) * single, n) for n in range(wanted // 5 + 1))
    rest = wanted - 5 * packs
    return {**product, "single": single, "pack": pack, "packs": packs, "singles": rest, "units": wanted, "total": total}


def refusal(x: SolverInput, total: int) -> Solution | None:
    """Return why an order of `total` cents is declined because of what the user refuses, if it is."""
    if "PURCHASE" in x.refused and not x.tables["permissions"]["purchase"]["allowed"]:
        return Solution(reason="consent_refused", asks=["PURCHASE"])
    missing = total - x.tables["wallet"]["wallet"]["balance_cents"]
    if "BALANCE" in x.refused and missing > 0:
        return Solution(answers={"shortfall": missing}, reason="cannot_afford", asks=["BALANCE"])
    return None


def ordered(
    x: SolverInput,
    bought: Sequence[Row],
    voucher: str | None = None,
    saving: int = 0,
    also: Sequence[Fact] = (),
    beside: int = 0,
) -> Solution:
    """Return what a paid order of `bought` offers leaves.

    `also` happens with it, and `beside` cents are paid for that.
    """
    subtotal = sum(product["total"] for product in bought)
    total = subtotal - saving
    paid = {"subtotal_cents": subtotal, "saving_cents": saving, "total_cents": total, "voucher_id": voucher}
    facts = [Fact("create", "transactions", {"kind": "order", "status": "completed", **paid}), *also]
    for product in bought:
        facts.append(Fact("update", "assortment", {"id": product["id"], "stock": product["stock"] - product["units"]}))
        sold = (("pack_5", product["packs"], product["pack"]), ("single_pack", product["singles"], product["single"]))
        facts += [
            Fact(
                "create",
                "order_lines",
                {"product_id": product["id"], "size": size, "quantity": count, "unit_price_cents": price},
            )
            for size, count, price in sold
            if count
        ]
    return _settled(x, facts, total + beside)


def _settled(x: SolverInput, facts: list[Fact], total: int) -> Solution:
    balance = x.tables["wallet"]["wallet"]["balance_cents"]
    if balance:
        facts.append(Fact("update", "wallet", {"id": "wallet", "balance_cents": max(0, balance - total)}))
    closed = not x.tables["permissions"]["purchase"]["allowed"]
    if closed:
        facts.append(Fact("update", "permissions", {"id": "purchase", "allowed": True}))
    moved = {"payment": -total, "top_up": max(0, total - balance)}
    sums = [Sum("ledger", {"kind": kind}, "amount_cents", cents) for kind, cents in moved.items()]
    return Solution(facts, sums)
