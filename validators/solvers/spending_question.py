"""A question about spending: go through the orders that were paid in the period and add up."""

from __future__ import annotations

from validators.solvers.solution import Solution, SolverInput

PACK = {"single_pack": 1, "pack_5": 5}


def solve(x: SolverInput) -> Solution:
    """Return the number asked for, or the first day on record when the period lies before it."""
    first, last = x.slots["period"]
    earliest = min(row["created_at"] for row in x.rows("transactions"))[:10]
    if last < earliest:
        return Solution(answers={"first_date": earliest}, reason="not_recorded")
    orders = {
        row["id"]: row["total_cents"]
        for row in x.rows("transactions", kind="order", status="completed")
        if first <= row["created_at"][:10] <= last
    }
    about = {name: x.slots[name] for name in ("category", "brand") if name in x.slots}
    fitting = {product["id"] for product in x.rows("products", **about)}
    lines = [row for row in x.rows("order_lines") if row["transaction_id"] in orders and row["product_id"] in fitting]
    if x.variant == "orders":
        return Solution(answers={"orders": len({row["transaction_id"] for row in lines} if about else orders)})
    if x.variant == "units":
        return Solution(answers={"units": sum(row["quantity"] * PACK[row["size"]] for row in lines)})
    spent = sum(row["quantity"] * row["unit_price_cents"] for row in lines) if about else sum(orders.values())
    return Solution(answers={"spent": spent})


SOLVER = solve
