"""Adding a note: the user's words, where the user lets the assistant write notes."""

from __future__ import annotations

from validators.solvers.solution import Fact, Solution, SolverInput


def solve(x: SolverInput) -> Solution:
    """Return the new note, or that the permission was refused."""
    if x.tables["permissions"]["user_notes"]["allowed"]:
        return Solution([Fact("create", "notes", {"text": x.slots["text"]})])
    if "NOTES" in x.refused:
        return Solution(reason="consent_refused", asks=["NOTES"])
    opened = Fact("update", "permissions", {"id": "user_notes", "allowed": True})
    return Solution([Fact("create", "notes", {"text": x.slots["text"]}), opened])


SOLVER = solve
