"""What adding a note means: one more note, with exactly the user's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import const, slot
from generators.tasks.notes.goal import refusal
from schemas import goal as g
from services.rules import RULE_FIELDS

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request."""
    # What the user says is written down as it is said, and no rule is set beside it.
    fields: dict[str, g.FieldGoal] = {"text": g.FieldIs(value=slot("text"))}
    fields |= {name: g.FieldIs(value=const(None)) for name in RULE_FIELDS}
    return g.Goal(
        writes=[g.Write(op="create", table="notes", fields=fields)],
        gates=["NOTES"],
        decline=refusal(g.All(of=[])) if binding.cell.form == "consent_refused" else None,
    )
