"""Buying the best product: rank what the store has, pay for the cheapest packing of the best."""

from __future__ import annotations

from validators.solvers.orders import offer, ordered, refusal, store
from validators.solvers.solution import Row, Solution, SolverInput

MERITS = {
    "least_sugar": "sugar_dg",
    "fewest_calories": "calories_dkcal",
    "most_protein": "protein_dg",
    "most_fiber": "fiber_dg",
}


def _matches(x: SolverInput, product: Row) -> bool:
    tags = {x.slots[name] for name in ("tag", "tag_2") if name in x.slots}
    same = all(product[name] == x.slots.get(name, product[name]) for name in ("category", "delivery"))
    return same and tags <= set(product["health_tags"]) and x.slots.get("without") not in product["allergens"]


def _merit(x: SolverInput, offered: Row) -> int:
    objective = x.slots.get("objective", "cheapest")
    value = offered[MERITS.get(objective, "total")]
    return -value if objective.startswith("most_") else value


def solve(x: SolverInput) -> Solution:
    """Return the order of the best product, or why there is none."""
    wanted = x.slots["quantity"]
    matching = [offer(x, product, wanted) for product in store(x) if _matches(x, product)]
    stocked = sorted((o for o in matching if o["stock"] >= wanted), key=lambda offered: _merit(x, offered))
    fitting = [o for o in stocked if o["total"] <= x.slots.get("max_total", o["total"])]
    if not stocked:
        most = max(matching, key=lambda offered: offered["stock"])
        return Solution(answers={"nearest_product": most["name"], "units_left": most["stock"]}, reason="out_of_stock")
    if not fitting:
        nearest = {"nearest_product": stocked[0]["name"], "nearest_total": stocked[0]["total"]}
        return Solution(answers=nearest, reason="none_satisfies")
    return refusal(x, fitting[0]["total"]) or ordered(x, fitting[:1])


SOLVER = solve
