"""Putting back: the units that stay are packed as cheaply as possible; lines that are not part of that go."""

from __future__ import annotations

from validators.solvers.solution import Fact, Solution, SolverInput

PACK = {"single_pack": 1, "pack_5": 5}


def solve(x: SolverInput) -> Solution:
    """Return the lines that go and come, or how many units there are when they are fewer than should stay."""
    (product,) = x.rows("products", name=x.slots["product"])
    held, stay = x.rows("cart", product_id=product["id"]), x.slots["quantity"]
    units = sum(line["quantity"] * PACK[line["size"]] for line in held)
    if units < stay:
        return Solution(answers={"units_held": units}, reason="none_satisfies")
    last_day, off = x.tables["membership"]["membership"]["expires_on"], product["discount_percent"]
    if product["discount_members_only"] and (last_day is None or last_day < x.today):
        off = 0
    single, pack = ((product[key] * (100 - off) + 50) // 100 for key in ("single_cents", "pack_cents"))
    _, packs = min((n * pack + (stay - 5 * n) * single, n) for n in range(stay // 5 + 1))
    wanted = [(size, count) for size, count in (("pack_5", packs), ("single_pack", stay - 5 * packs)) if count]
    gone = [
        Fact("delete", "cart", {"id": line["id"]}) for line in held if (line["size"], line["quantity"]) not in wanted
    ]
    there = [(line["size"], line["quantity"]) for line in held]
    new = [(size, count) for size, count in wanted if (size, count) not in there]
    made = [{"product_id": product["id"], "size": size, "quantity": count} for size, count in new]
    return Solution([*gone, *(Fact("create", "cart", line) for line in made)])


SOLVER = solve
