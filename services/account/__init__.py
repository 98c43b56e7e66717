"""The user's account: profile, permissions, connected sources and devices."""

from __future__ import annotations

from services.account.service import SERVICE

__all__ = ["SERVICE"]
