"""Records of notes."""

from __future__ import annotations

from services.runtime.records import Record, Time


class Note(Record, frozen=True):
    """Something that the user wrote down."""

    time: Time
    """When it was written."""
    text: str
