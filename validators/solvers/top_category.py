"""Where the money went: go through the orders that were paid in the period, line by line, and keep one sum per key."""

from __future__ import annotations

from collections import defaultdict

from validators.solvers.solution import Solution, SolverInput


def solve(x: SolverInput) -> Solution:
    """Return what most was spent on and how much, or the first day on record when the period lies before it."""
    first, last = x.slots["period"]
    earliest = min(row["created_at"] for row in x.rows("transactions"))[:10]
    if last < earliest:
        return Solution(answers={"first_date": earliest}, reason="not_recorded")
    paid = {
        row["id"]
        for row in x.rows("transactions", kind="order", status="completed")
        if row["created_at"][:10] >= first and row["created_at"][:10] <= last
    }
    sums: dict[str, int] = defaultdict(int)
    for line in x.rows("order_lines"):
        if line["transaction_id"] in paid:
            product = x.tables["products"][line["product_id"]]
            sums[product[x.variant]] += line["quantity"] * line["unit_price_cents"]
    top = max(sums, key=lambda key: sums[key])
    return Solution(answers={x.variant: top, "spent": sums[top]})


SOLVER = solve
