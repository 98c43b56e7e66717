"""Buying with an offered membership: compare both totals, the fee included, and take the cheaper way."""

from __future__ import annotations

import datetime as dt

from validators.solvers.orders import offer, ordered, refusal, store
from validators.solvers.solution import Fact, Solution, SolverInput

FEE = 2000
DAYS = 30


def solve(x: SolverInput) -> Solution:
    """Return the order, behind a membership where the two together cost less."""
    product = next(row for row in store(x) if row["name"] == x.slots["product"])
    plain = offer(x, product, x.slots["quantity"])
    reduced = offer(x, product, x.slots["quantity"], as_member=True)
    if plain["total"] <= reduced["total"] + FEE:
        return refusal(x, plain["total"]) or ordered(x, [plain])
    paid = {"subtotal_cents": FEE, "saving_cents": 0, "total_cents": FEE, "voucher_id": None}
    start = max(x.today, x.tables["membership"]["membership"]["expires_on"] or x.today)
    last_day = (dt.date.fromisoformat(start) + dt.timedelta(DAYS)).isoformat()
    joining = [
        Fact("create", "transactions", {"kind": "vip_membership", "status": "completed", **paid}),
        Fact("create", "membership_terms", {"duration": "1_month"}),
        Fact("update", "membership", {"id": "membership", "expires_on": last_day}),
    ]
    return refusal(x, reduced["total"] + FEE) or ordered(x, [reduced], also=joining, beside=FEE)


SOLVER = solve
