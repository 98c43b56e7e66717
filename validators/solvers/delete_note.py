"""Deleting a note: that of a day, or the first or last one of a period."""

from __future__ import annotations

from validators.solvers.solution import Fact, Solution, SolverInput


def solve(x: SolverInput) -> Solution:
    """Return the note that goes, or why none does."""
    first, last = x.slots.get("period") or [x.slots["note_date"]] * 2
    notes = sorted((row["time"], row["id"]) for row in x.rows("notes"))
    meant = [note for note in notes if first <= note[0][:10] <= last]
    allowed = x.tables["permissions"]["user_notes"]["allowed"]
    if not allowed and "NOTES" in x.refused:
        return Solution(reason="consent_refused", asks=["NOTES"])
    if not meant:
        return Solution(answers={"latest_note": notes[-1][0][:10]}, reason="not_recorded")
    chosen = {"latest": meant[-1:], "oldest": meant[:1]}.get(x.variant, meant)
    facts = [Fact("delete", "notes", {"id": key}) for _, key in chosen]
    if not allowed:
        facts.append(Fact("update", "permissions", {"id": "user_notes", "allowed": True}))
    return Solution(facts)


SOLVER = solve
