"""Comparing named products: look each of them up in the store and keep the best."""

from __future__ import annotations

from validators.solvers.orders import offer, store
from validators.solvers.solution import Row, Solution, SolverInput

FIELDS = {
    "least_sugar": "sugar_dg",
    "least_fat": "fat_dg",
    "fewest_calories": "calories_dkcal",
    "most_protein": "protein_dg",
    "most_fiber": "fiber_dg",
}


def solve(x: SolverInput) -> Solution:
    """Return the winner and what decided; where one of the names is not carried, of those that are."""
    names = {value for key, value in x.slots.items() if key.startswith("product_")}
    found: list[Row] = [product for product in store(x) if product["name"] in names]
    if x.variant == "cost":
        best = min((offer(x, product, x.slots["quantity"]) for product in found), key=lambda o: int(o["total"]))
        told = {"product": best["name"], "total": best["total"]}
    else:
        field = FIELDS[x.slots["objective"]]
        sign = -1 if x.slots["objective"].startswith("most") else 1
        best = min(found, key=lambda product: sign * int(product[field]))
        told = {"product": best["name"], "amount": best[field] / 10}
    return Solution(answers=told, reason="" if len(found) == len(names) else "none_satisfies")


SOLVER = solve
