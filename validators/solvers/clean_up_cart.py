"""Cleaning up the cart: every line that all parts of the rule fit is removed."""

from __future__ import annotations

from validators.solvers.solution import Fact, Row, Solution, SolverInput


def _paid(x: SolverInput, line: Row, product: Row) -> int:
    """Return what one pack of the line costs now, in cents."""
    listed = product["pack_cents"] if line["size"] == "pack_5" else product["single_cents"]
    last_day = x.tables["membership"]["membership"]["expires_on"]
    if product["discount_members_only"] and (last_day is None or last_day < x.today):
        return listed
    whole, rest = divmod(listed * (100 - product["discount_percent"]), 100)
    return whole + (rest >= 50)


def _falls_under(x: SolverInput, line: Row, product: Row) -> bool:
    rule = x.slots
    return (
        ("brand" not in rule or product["brand"] == rule["brand"])
        and ("category" not in rule or product["category"] == rule["category"])
        and ("tag" not in rule or rule["tag"] in product["health_tags"])
        and ("allergen" not in rule or rule["allergen"] in product["allergens"])
        and ("price_over" not in rule or _paid(x, line, product) > rule["price_over"])
    )


def solve(x: SolverInput) -> Solution:
    """Return the lines that go, or the names of what is held when none does."""
    held = [(line, x.tables["products"][line["product_id"]]) for line in x.rows("cart")]
    doomed = [line["id"] for line, product in held if _falls_under(x, line, product)]
    if doomed:
        return Solution([Fact("delete", "cart", {"id": key}) for key in doomed])
    return Solution(answers={"held": sorted({product["name"] for _, product in held})}, reason="none_satisfies")


SOLVER = solve
