"""Ordering again: take the latest completed order that held what is named, and buy its units at today's prices."""

from __future__ import annotations

from validators.solvers.solution import Fact, Row, Solution, SolverInput, Sum

FIELDS = {"product": "name", "category": "category", "brand": "brand"}
PACK = {"single_pack": 1, "pack_5": 5}


def _line(x: SolverInput, old: Row) -> Row:
    """Return the cheapest way to buy the units of an old line now."""
    product, wanted = x.tables["products"][old["product_id"]], old["quantity"] * PACK[old["size"]]
    last_day, off = x.tables["membership"]["membership"]["expires_on"], product["discount_percent"]
    if product["discount_members_only"] and not (last_day and last_day >= x.today):
        off = 0
    single, pack = ((product[key] * (100 - off) + 50) // 100 for key in ("single_cents", "pack_cents"))
    total, packs = min((n * pack + (wanted - 5 * n) * single, n) for n in range(wanted // 5 + 1))
    sold = (("pack_5", packs, pack), ("single_pack", wanted - 5 * packs, single))
    stock = x.tables["assortment"][product["id"]]["stock"]
    return {"id": product["id"], "name": product["name"], "units": wanted, "stock": stock, "total": total, "sold": sold}


def _order(x: SolverInput, lines: list[Row], total: int, balance: int) -> Solution:
    paid = {"subtotal_cents": total, "saving_cents": 0, "total_cents": total, "voucher_id": None}
    facts = [Fact("create", "transactions", {"kind": "order", "status": "completed", **paid})]
    for line in lines:
        facts.append(Fact("update", "assortment", {"id": line["id"], "stock": line["stock"] - line["units"]}))
        facts += [
            Fact("create", "order_lines", {"product_id": line["id"], "size": s, "quantity": n, "unit_price_cents": c})
            for s, n, c in line["sold"]
            if n
        ]
    if balance:
        facts.append(Fact("update", "wallet", {"id": "wallet", "balance_cents": max(0, balance - total)}))
    if not x.tables["permissions"]["purchase"]["allowed"]:
        facts.append(Fact("update", "permissions", {"id": "purchase", "allowed": True}))
    moved = {"payment": -total, "top_up": max(0, total - balance)}
    return Solution(facts, [Sum("ledger", {"kind": kind}, "amount_cents", cents) for kind, cents in moved.items()])


def solve(x: SolverInput) -> Solution:
    """Return the new order, or why there is none."""
    said = {FIELDS[name]: value for name, value in x.slots.items()}
    fitting = {product["id"] for product in x.rows("products", **said)}
    holding = {line["transaction_id"] for line in x.rows("order_lines") if line["product_id"] in fitting}
    paid = [order for order in x.rows("transactions", kind="order", status="completed") if order["id"] in holding]
    if not paid:
        first = min(order["created_at"] for order in x.rows("transactions"))[:10]
        return Solution(answers={"first_date": first}, reason="not_recorded")
    latest = max(paid, key=lambda order: order["created_at"])
    lines = [_line(x, line) for line in x.rows("order_lines", transaction_id=latest["id"])]
    short = sorted((line["name"], line["stock"]) for line in lines if line["stock"] < line["units"])
    if short:
        return Solution(answers={"missing_product": short[0][0], "units_left": short[0][1]}, reason="out_of_stock")
    total, balance = sum(line["total"] for line in lines), x.tables["wallet"]["wallet"]["balance_cents"]
    if "PURCHASE" in x.refused and not x.tables["permissions"]["purchase"]["allowed"]:
        return Solution(reason="consent_refused", asks=["PURCHASE"])
    if "BALANCE" in x.refused and balance < total:
        return Solution(answers={"shortfall": total - balance}, reason="cannot_afford", asks=["BALANCE"])
    return _order(x, lines, total, balance)


SOLVER = solve
