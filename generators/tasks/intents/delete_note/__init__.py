"""Delete a note."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.delete_note.bind import bind
from generators.tasks.intents.delete_note.goal import goal
from generators.tasks.intents.delete_note.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="delete-note",
    family="notes",
    cells=(
        Cell("fulfil", weight=2),
        Cell("fulfil", closed=("NOTES",)),
        Cell("not_recorded"),
        Cell("consent_refused", closed=("NOTES",)),
    ),
    gates=("NOTES",),
    uses=frozenset({"notes"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
