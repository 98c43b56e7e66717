"""The medical assistant: what care providers know of the user, their plans, and appointments with a calendar."""

from __future__ import annotations

from services.medical.service import SERVICE

__all__ = ["SERVICE"]
