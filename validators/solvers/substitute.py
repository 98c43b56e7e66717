"""Buying a product or a substitute: the named one if it will do, else the cheapest of its category that does."""

from __future__ import annotations

from validators.solvers.solution import Fact, Row, Solution, SolverInput, Sum


def _offer(x: SolverInput, product: Row) -> Row:
    """Return a product of the store with the cheapest packing of the units that are wanted, in cents."""
    wanted, off = x.slots["quantity"], product["discount_percent"]
    last_day = x.tables["membership"]["membership"]["expires_on"]
    if product["discount_members_only"] and (last_day is None or last_day < x.today):
        off = 0
    single, pack = ((product[key] * (100 - off) + 50) // 100 for key in ("single_cents", "pack_cents"))
    total, packs = min((n * pack + (wanted - 5 * n) * single, n) for n in range(wanted // 5 + 1))
    return {**product, "total": total, "sold": (("pack_5", packs, pack), ("single_pack", wanted - 5 * packs, single))}


def _order(x: SolverInput, best: Row, balance: int) -> Solution:
    total = best["total"]
    paid = {"subtotal_cents": total, "saving_cents": 0, "total_cents": total, "voucher_id": None}
    facts = [
        Fact("create", "transactions", {"kind": "order", "status": "completed", **paid}),
        Fact("update", "assortment", {"id": best["id"], "stock": best["stock"] - x.slots["quantity"]}),
    ]
    facts += [
        Fact("create", "order_lines", {"product_id": best["id"], "size": s, "quantity": n, "unit_price_cents": c})
        for s, n, c in best["sold"]
        if n
    ]
    if balance:
        facts.append(Fact("update", "wallet", {"id": "wallet", "balance_cents": max(0, balance - total)}))
    if not x.tables["permissions"]["purchase"]["allowed"]:
        facts.append(Fact("update", "permissions", {"id": "purchase", "allowed": True}))
    moved = {"payment": -total, "top_up": max(0, total - balance)}
    return Solution(facts, [Sum("ledger", {"kind": kind}, "amount_cents", cents) for kind, cents in moved.items()])


def solve(x: SolverInput) -> Solution:
    """Return the order of the product or of its substitute, or why there is none."""
    store = [{**x.tables["products"][item["id"]], **item} for item in x.rows("assortment")]
    named = next(product for product in store if product["name"] == x.slots["product"])
    kin = [named, *(p for p in store if p["category"] == named["category"] and p["id"] != named["id"])]
    good = [_offer(x, p) for p in kin if x.slots["tag"] in p["health_tags"] and p["stock"] >= x.slots["quantity"]]
    if not good:
        return Solution(answers={"units_left": named["stock"]}, reason="out_of_stock")
    best = good[0] if good[0]["id"] == named["id"] else min(good, key=lambda offer: offer["total"])
    balance = x.tables["wallet"]["wallet"]["balance_cents"]
    if "PURCHASE" in x.refused and not x.tables["permissions"]["purchase"]["allowed"]:
        return Solution(reason="consent_refused", asks=["PURCHASE"])
    if "BALANCE" in x.refused and balance < best["total"]:
        return Solution(answers={"shortfall": best["total"] - balance}, reason="cannot_afford", asks=["BALANCE"])
    return _order(x, best, balance)


SOLVER = solve
