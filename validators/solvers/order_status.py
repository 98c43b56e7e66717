"""The last completed order with something of a category or brand in it: walk back from the newest one."""

from __future__ import annotations

from validators.solvers.solution import Solution, SolverInput

PACK = {"single_pack": 1, "pack_5": 5}


def solve(x: SolverInput) -> Solution:
    """Return its day, its total or the units it holds of what was named, or the first day on record."""
    ((field, value),) = x.slots.items()
    newest_first = sorted(x.rows("transactions"), key=lambda row: row["created_at"], reverse=True)
    for order in newest_first:
        if order["kind"] != "order" or order["status"] != "completed":
            continue
        lines = x.rows("order_lines", transaction_id=order["id"])
        fitting = [line for line in lines if x.tables["products"][line["product_id"]][field] == value]
        if fitting:
            units = sum(PACK[line["size"]] * line["quantity"] for line in fitting)
            told = {"day": order["created_at"][:10], "total": order["total_cents"], "units": units}
            return Solution(answers={x.variant: told[x.variant]})
    return Solution(answers={"first_date": newest_first[-1]["created_at"][:10]}, reason="not_recorded")


SOLVER = solve
