"""The user's notes: dated free texts that the assistant may list, add and delete with permission."""

from __future__ import annotations

from services.notes.service import SERVICE

__all__ = ["SERVICE"]
