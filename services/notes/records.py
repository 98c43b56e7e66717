"""Records of notes."""

from __future__ import annotations

from services.rules import Ruled
from services.runtime.records import Time


class Note(Ruled, frozen=True, kw_only=True):
    """Something that the user wrote down; where it states a rule for daily life, the rule stands beside it."""

    time: Time
    """When it was written."""
    text: str
