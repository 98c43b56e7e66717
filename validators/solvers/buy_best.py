"""Buying the best product: rank what the store has, pay for the cheapest packing of the best."""

from __future__ import annotations

from validators.solvers.solution import Fact, Row, Solution, SolverInput, Sum

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


def _offer(x: SolverInput, product: Row) -> Row:
    """Return a product of the store with how many packs and singles of it the wish takes at what prices, in cents."""
    wanted, off = x.slots["quantity"], product["discount_percent"]
    last_day = x.tables["membership"]["membership"]["expires_on"]
    if product["discount_members_only"] and not (last_day and last_day >= x.today):
        off = 0
    single, pack = ((product[key] * (100 - off) + 50) // 100 for key in ("single_cents", "pack_cents"))
    total, packs = min((n * pack + (wanted - 5 * n) * single, n) for n in range(wanted // 5 + 1))
    return {**product, "single": single, "pack": pack, "packs": packs, "singles": wanted - 5 * packs, "total": total}


def _merit(x: SolverInput, offer: Row) -> int:
    objective = x.slots.get("objective", "cheapest")
    value = offer[MERITS.get(objective, "total")]
    return -value if objective.startswith("most_") else value


def _order(x: SolverInput, best: Row, balance: int) -> Solution:
    total = best["total"]
    paid = {"subtotal_cents": total, "saving_cents": 0, "total_cents": total, "voucher_id": None}
    sold = (("pack_5", best["packs"], best["pack"]), ("single_pack", best["singles"], best["single"]))
    facts = [
        Fact("create", "transactions", {"kind": "order", "status": "completed", **paid}),
        Fact("update", "assortment", {"id": best["id"], "stock": best["stock"] - x.slots["quantity"]}),
        *(
            Fact(
                "create",
                "order_lines",
                {"product_id": best["id"], "size": size, "quantity": count, "unit_price_cents": price},
            )
            for size, count, price in sold
            if count
        ),
    ]
    if balance:
        facts.append(Fact("update", "wallet", {"id": "wallet", "balance_cents": max(0, balance - total)}))
    if not x.tables["permissions"]["purchase"]["allowed"]:
        facts.append(Fact("update", "permissions", {"id": "purchase", "allowed": True}))
    moved = {"payment": -total, "top_up": max(0, total - balance)}
    return Solution(facts, [Sum("ledger", {"kind": kind}, "amount_cents", cents) for kind, cents in moved.items()])


def solve(x: SolverInput) -> Solution:
    """Return the order of the best product, or why there is none."""
    store = [{**x.tables["products"][item["id"]], **item} for item in x.rows("assortment")]
    matching = [_offer(x, product) for product in store if _matches(x, product)]
    stocked = sorted((o for o in matching if o["stock"] >= x.slots["quantity"]), key=lambda offer: _merit(x, offer))
    fitting = [offer for offer in stocked if offer["total"] <= x.slots.get("max_total", offer["total"])]
    balance = x.tables["wallet"]["wallet"]["balance_cents"]
    if not stocked:
        most = max(matching, key=lambda offer: offer["stock"])
        return Solution(answers={"nearest_product": most["name"], "units_left": most["stock"]}, reason="out_of_stock")
    if not fitting:
        nearest = {"nearest_product": stocked[0]["name"], "nearest_total": stocked[0]["total"]}
        return Solution(answers=nearest, reason="none_satisfies")
    if "PURCHASE" in x.refused and not x.tables["permissions"]["purchase"]["allowed"]:
        return Solution(reason="consent_refused", asks=["PURCHASE"])
    if "BALANCE" in x.refused and balance < fitting[0]["total"]:
        return Solution(answers={"shortfall": fitting[0]["total"] - balance}, reason="cannot_afford", asks=["BALANCE"])
    return _order(x, fitting[0], balance)


SOLVER = solve
