"""Buying several products: find each by its name, pay for the cheapest packing of each in one order."""

from __future__ import annotations

from validators.solvers.orders import offer, ordered, refusal, store
from validators.solvers.solution import Solution, SolverInput


def solve(x: SolverInput) -> Solution:
    """Return the order of everything on the list, or what runs short."""
    told = {x.slots[f"product_{n}"]: x.slots[f"quantity_{n}"] for n in range(1, len(x.slots) // 2 + 1)}
    offers = [offer(x, product, told[product["name"]]) for product in store(x) if product["name"] in told]
    short = [product for product in offers if product["stock"] < product["units"]]
    if short:
        left = sum(product["stock"] for product in short)
        names = sorted(product["name"] for product in short)
        return Solution(answers={"short_of": names, "units_left": left}, reason="out_of_stock")
    return refusal(x, sum(product["total"] for product in offers)) or ordered(x, offers)


SOLVER = solve
