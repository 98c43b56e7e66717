"""Vouchers: strike out what is used, expired, for members only or does not fit, and look at the rest."""

from __future__ import annotations

from validators.solvers.solution import Row, Solution, SolverInput


def _usable(x: SolverInput, voucher: Row) -> bool:
    """Return whether the user could use a voucher, whatever it takes off."""
    last_day = x.tables["membership"]["membership"]["expires_on"]
    if voucher["used_in"] or voucher["expires_on"] < x.today:
        return False
    if voucher["members_only"] and (last_day is None or last_day < x.today):
        return False
    if "brand" in x.slots and voucher["brand"] and voucher["brand"] != x.slots["brand"]:
        return False
    return voucher["min_spend_cents"] <= x.slots.get("spend", voucher["min_spend_cents"])


def solve(x: SolverInput) -> Solution:
    """Return which expires next, or how many there are; where none takes off enough, the best there is."""
    usable = [voucher for voucher in x.rows("vouchers") if _usable(x, voucher)]
    enough = sorted(
        (v for v in usable if v["percent_off"] >= x.slots.get("percent", 0)), key=lambda v: str(v["expires_on"])
    )
    if not enough:
        best = max(usable, key=lambda v: int(v["percent_off"]))
        told = {"best_percent": best["percent_off"], "best_expiry": best["expires_on"]}
        return Solution(answers=told, reason="none_satisfies")
    if x.variant == "count":
        return Solution(answers={"usable": len(enough), "last_day": enough[-1]["expires_on"]})
    return Solution(answers={"expiry": enough[0]["expires_on"], "percent": enough[0]["percent_off"]})


SOLVER = solve
