"""How an assistant asks whether to delete from the log, and how the user knows."""

from __future__ import annotations

from services.runtime.declare import Asking

DELETE = Asking(
    forms=(
        "Shall I delete the record {what} from your log? It can't be brought back.",
        "I would delete the record {what} from your log. Do I have your yes to that?",
        "Please confirm: should the record {what} be deleted from your log for good?",
        "The record {what} would be deleted from your log. Is that all right?",
        "Before I delete the record {what} from your log, I need your yes. Shall I?",
        "Are you sure that I should delete the record {what} from your log?",
    ),
    cues=(
        "delete record",
        "deleting record",
        "deleted record",
        "remove record",
        "delete meal",
        "deleting meal",
        "remove meal",
        "delete session",
        "deleting session",
        "remove session",
        "delete entry",
        "remove entry",
        "delete workout",
        "delete from your log",
        "remove from your log",
    ),
)
