"""Buying by a noted rule: find the note, make sure that it says what is taken for the rule, and buy by that."""

from __future__ import annotations

import re
from dataclasses import replace

from validators.solvers.buy_best import solve as buy
from validators.solvers.solution import Fact, Row, Solution, SolverInput

UPFRONT = {"period", "note_date", "quantity", "max_total", "objective", "delivery"}


_DENIED = re.compile(r"\b(?:no|without|with|contains?|allergic to|can't have)[ -]+\w+|\b(?!sugar)\w+[ -]free\b")
"""What is said of something to be avoided names no category."""


def _speaks(x: SolverInput, note: Row) -> bool:
    """Return whether a note uses all the words of the rule, in whatever order and number."""
    text = note["text"].lower()
    wanted = _DENIED.sub("", text)
    said = [str(value) for name, value in x.slots.items() if name not in UPFRONT]
    return all(
        word.removesuffix("s") in (text if value.startswith("contains_") else wanted)
        for value in said
        for word in value.removeprefix("contains_").split("_")
    )


def solve(x: SolverInput) -> Solution:
    """Return the order by the rule of the note, or why there is none."""
    first, last = x.slots.get("period") or [x.slots["note_date"]] * 2
    noted = [note for note in x.rows("notes") if first <= note["time"][:10] <= last]
    allowed = x.tables["permissions"]["user_notes"]["allowed"]
    if not allowed and "NOTES" in x.refused:
        return Solution(reason="consent_refused", asks=["NOTES"])
    if not noted:
        return Solution(
            answers={"latest_note": max(row["time"] for row in x.rows("notes"))[:10]}, reason="not_recorded"
        )
    if len([note for note in noted if _speaks(x, note)]) != 1:
        return Solution(reason="none_satisfies")
    bought = buy(x)
    if allowed or bought.reason:
        return bought
    opened = Fact("update", "permissions", {"id": "user_notes", "allowed": True})
    return replace(bought, facts=[*bought.facts, opened])


SOLVER = solve
