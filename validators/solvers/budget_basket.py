"""A basket within a budget: the cheapest fitting product of each category, bought if all of them cost no more."""

from __future__ import annotations

from validators.solvers.orders import offer, ordered, refusal, store
from validators.solvers.solution import Row, Solution, SolverInput


def _fits(x: SolverInput, product: Row) -> bool:
    return x.slots["tag"] in product["health_tags"] and product["stock"] >= x.slots["quantity"]


def solve(x: SolverInput) -> Solution:
    """Return the order of the basket, or by how much it is over the budget."""
    basket: dict[str, Row] = {}
    for product in store(x):
        offered, category = offer(x, product, x.slots["quantity"]), product["category"]
        if _fits(x, product) and (category not in basket or offered["total"] < basket[category]["total"]):
            basket[category] = offered
    chosen = [basket[x.slots[name]] for name in x.slots if name.startswith("category_")]
    total = sum(product["total"] for product in chosen)
    excess = total - x.slots["budget"]
    if excess > 0:
        return Solution(answers={"total": total, "excess": excess}, reason="none_satisfies")
    return refusal(x, total) or ordered(x, chosen)


SOLVER = solve
