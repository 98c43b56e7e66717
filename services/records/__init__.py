"""What the user logs: sessions and meals, with nutrition worked out from a shared table of foods."""

from __future__ import annotations

from services.records.service import SERVICE

__all__ = ["SERVICE"]
