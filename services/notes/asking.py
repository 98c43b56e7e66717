"""How an assistant asks about notes, and how the user knows."""

from __future__ import annotations

from services.runtime.declare import Asking

DELETE = Asking(
    forms=(
        "Shall I delete the note {what}? It can't be brought back.",
        "I would delete the note {what}. Do I have your yes to that?",
        "Please confirm: should the note {what} be deleted for good?",
        "The note {what} would be deleted for good. Is that all right?",
        "Before I delete the note {what}, I need your yes. Shall I?",
        "Are you sure that I should delete the note {what}?",
    ),
    cues=(
        "delete note",
        "deleting note",
        "deleted note",
        "remove note",
        "removing note",
        "erase note",
        "note gone",
        "deletion note",
        "get rid of note",
        "delete this",
        "delete it",
        "confirm deletion",
    ),
)
