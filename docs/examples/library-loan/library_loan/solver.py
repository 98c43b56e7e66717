"""A second opinion on renewals, from state and slots alone."""

from __future__ import annotations

import datetime as dt

from validators.solvers.solution import Fact, Solution, SolverInput


def solve(x: SolverInput) -> Solution:
    """Return the later last day of the loan, or the reason why it stays."""
    (loan,) = x.rows("loans", title=x.slots["title"])
    facts: list[Fact] = []
    if loan["renewals"] > 1:
        return Solution(answers={"due_on": loan["due_on"]}, reason="policy")
    later = dt.date.fromisoformat(loan["due_on"]) + dt.timedelta(weeks=3)
    facts.append(Fact("update", "loans", {"id": loan["id"], "due_on": str(later), "renewals": loan["renewals"] + 1}))
    if not x.tables["library_card"]["card"]["shared"]:
        facts.append(Fact("update", "library_card", {"id": "card", "shared": True}))
    return Solution(facts)


SOLVER = solve
