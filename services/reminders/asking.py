"""How an assistant asks whether to delete a reminder, and how the user knows."""

from __future__ import annotations

from services.runtime.declare import Asking

DELETE = Asking(
    forms=(
        "Shall I delete the reminder {what}? It can't be brought back.",
        "I would delete the reminder {what}. Do I have your yes to that?",
        "Please confirm: should the reminder {what} be deleted for good?",
        "The reminder {what} would be deleted for good. Is that all right?",
        "Before I delete the reminder {what}, I need your yes. Shall I?",
        "Are you sure that I should delete the reminder {what}?",
    ),
    cues=(
        "delete reminder",
        "deleting reminder",
        "deleted reminder",
        "remove reminder",
        "removing reminder",
        "cancel reminder",
        "erase reminder",
        "stop reminder",
        "turn off reminder",
    ),
)
