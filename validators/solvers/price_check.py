"""What a number of units costs: find the product, see whether there is enough, take the cheapest packing."""

from __future__ import annotations

from validators.solvers.orders import offer, store
from validators.solvers.solution import Solution, SolverInput


def solve(x: SolverInput) -> Solution:
    """Return the total, or how far it is from the limit and on which side; or how many units are left."""
    product = next(product for product in store(x) if product["name"] == x.slots["product"])
    if product["stock"] < x.slots["quantity"]:
        return Solution(answers={"units_left": product["stock"]}, reason="out_of_stock")
    total = offer(x, product, x.slots["quantity"])["total"]
    if x.variant != "limit":
        return Solution(answers={"total": total})
    room = x.slots["limit"] - total
    return Solution(answers={"verdict": "within_limit" if room >= 0 else "over_limit", "difference": abs(room)})


SOLVER = solve
