"""Buying with a voucher: see which vouchers this order may use, take the one that saves most."""

from __future__ import annotations

from validators.solvers.orders import is_member, offer, ordered, refusal, store
from validators.solvers.solution import Fact, Row, Solution, SolverInput


def _valid(x: SolverInput, voucher: Row, brand: str) -> bool:
    """Return whether only its minimum spend could keep a voucher from being used for a product of `brand`."""
    return (
        voucher["used_in"] is None
        and voucher["expires_on"] >= x.today
        and (is_member(x) or not voucher["members_only"])
        and (voucher["brand"] is None or voucher["brand"] == brand)
    )


def solve(x: SolverInput) -> Solution:
    """Return the order with the best voucher, or what it lacks to the minimum of the nearest."""
    item = next(offer(x, product, x.slots["quantity"]) for product in store(x) if product["name"] == x.slots["product"])
    total = item["total"]
    valid = [voucher for voucher in x.rows("vouchers") if _valid(x, voucher, item["brand"])]
    usable = [voucher for voucher in valid if voucher["min_spend_cents"] <= total]
    if not usable:
        missing = min(voucher["min_spend_cents"] for voucher in valid) - total
        return Solution(answers={"missing": missing}, reason="none_satisfies")
    best = max(usable, key=lambda voucher: voucher["percent_off"])
    saving = (total * best["percent_off"] + 50) // 100
    used = Fact("update", "vouchers", {"id": best["id"]})
    return refusal(x, total - saving) or ordered(x, [item], voucher=best["id"], saving=saving, also=[used])


SOLVER = solve
