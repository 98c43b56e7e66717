"""Paying a pending order: find the one that holds what is named, see that it is not too old, pay it."""

from __future__ import annotations

import datetime as dt

from validators.solvers.solution import Fact, Row, Solution, SolverInput, Sum

FIELDS = {"product": "name", "category": "category", "brand": "brand"}
PACK = {"single_pack": 1, "pack_5": 5}


def _settled(x: SolverInput, order: Row, lines: list[Row], balance: int) -> Solution:
    units: dict[str, int] = {}
    for line in lines:
        units[line["product_id"]] = units.get(line["product_id"], 0) + line["quantity"] * PACK[line["size"]]
    stock, total = x.tables["assortment"], order["total_cents"]
    facts = [Fact("update", "transactions", {"id": order["id"], "status": "completed"})]
    facts += [Fact("update", "assortment", {"id": k, "stock": stock[k]["stock"] - n}) for k, n in units.items()]
    if balance:
        facts.append(Fact("update", "wallet", {"id": "wallet", "balance_cents": max(0, balance - total)}))
    moved = {"payment": -total, "top_up": max(0, total - balance)}
    return Solution(facts, [Sum("ledger", {"kind": kind}, "amount_cents", cents) for kind, cents in moved.items()])


def solve(x: SolverInput) -> Solution:
    """Return the payment of the order, or why there is none."""
    waiting = {order["id"]: order for order in x.rows("transactions", status="pending")}
    lines = [line for line in x.rows("order_lines") if line["transaction_id"] in waiting]
    products = x.tables["products"]
    said = {FIELDS[name]: value for name, value in x.slots.items()}
    fitting = [line for line in lines if all(products[line["product_id"]][f] == v for f, v in said.items())]
    if not fitting:
        held = sorted({products[line["product_id"]]["name"] for line in lines})
        return Solution(answers={"held": held}, reason="none_satisfies")
    order = waiting[fitting[0]["transaction_id"]]
    age = dt.datetime.fromisoformat(x.now) - dt.datetime.fromisoformat(order["created_at"])
    if age > dt.timedelta(hours=24):
        return Solution(answers={"ordered_on": order["created_at"][:10]}, reason="policy")
    balance = x.tables["wallet"]["wallet"]["balance_cents"]
    if "BALANCE" in x.refused and balance < order["total_cents"]:
        short = order["total_cents"] - balance
        return Solution(answers={"shortfall": short}, reason="cannot_afford", asks=["BALANCE"])
    return _settled(x, order, [line for line in lines if line["transaction_id"] == order["id"]], balance)


SOLVER = solve
