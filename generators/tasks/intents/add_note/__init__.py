"""Write a note in the user's words."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.add_note.bind import bind
from generators.tasks.intents.add_note.goal import goal
from generators.tasks.intents.add_note.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="add-note",
    family="notes",
    cells=(
        Cell("fulfil", weight=2),
        Cell("fulfil", closed=("NOTES",)),
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
