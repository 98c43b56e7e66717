"""Errors of an assistant: their names and classes, and how the events of a conversation show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.score import ErrorClass

ERRORS: Mapping[str, ErrorClass] = {
    # Made at the end of a conversation that called nothing and asked nothing.
    "do-nothing": "navigation",
    # Declined what can be met, without having looked.
    "refuse-all": "tool_bypass",
    # Declined without the reads, or the question, that show the reason.
    "blind-decline": "tool_bypass",
    # Told a value that no result shows.
    "hallucinate-answer": "tool_bypass",
    # A call that needs consent or the user's yes was tried without asking for it, or a required question never put.
    "skip-consent": "consent",
    # What was done fits the first wish and not the last.
    "ignore-change-of-mind": "data",
    # Looked, but did nothing of what was to be done and declined nothing.
    "read-only": "navigation",
    # What was done is right so far, but a part is missing.
    "early-stop": "navigation",
    # A required answer or reason is not told.
    "missing-answer": "navigation",
    # Turns, calls, tokens, time or money ran out.
    "out-of-budget": "navigation",
    # Asked the user for what was not needed; never a reason to fail.
    "over-ask": "consent",
    # A required change with other values, or on another record.
    "wrong-argument": "data",
    # A value told is not the right one, though results were read.
    "wrong-answer": "data",
    # Several values or a hedge where one was asked for.
    "enumerate": "data",
    # Declined for another reason than the one that holds, or what can be met, after having looked.
    "wrong-reason": "data",
    # Created or changed more than was asked for.
    "extra-purchase": "other",
    # The assistant could not go on.
    "agent-failed": "other",
}
"""Name of an error -> its class; the same names are used by imperfect assistants of what they do."""
