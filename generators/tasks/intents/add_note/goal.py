"""What adding a note means: one more note, with exactly the user's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import slot
from generators.tasks.notes.goal import refusal
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request."""
    return g.Goal(
        writes=[g.Write(op="create", table="notes", fields={"text": g.FieldIs(value=slot("text"))})],
        gates=["NOTES"],
        decline=refusal(g.All(of=[])) if binding.cell.form == "consent_refused" else None,
    )
