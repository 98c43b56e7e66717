"""What goes wrong between a run and a release, as one kind of error with a message for people."""

from __future__ import annotations


class ReleaseError(Exception):
    """A release cannot be built or read; the message says what is wrong, where, and what to do."""
