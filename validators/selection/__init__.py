"""Which of the candidates that passed every check a user keeps."""

from __future__ import annotations

from validators.selection.duplicates import duplicate_keys
from validators.selection.near import Reading, Shelf, reading_of
from validators.selection.rounds import Candidate, Reject, Selection, select_round

__all__ = (
    "Candidate",
    "Reading",
    "Reject",
    "Selection",
    "Shelf",
    "duplicate_keys",
    "reading_of",
    "select_round",
)
