"""The store: a catalogue to browse, a cart, and orders that payments settle."""

from __future__ import annotations

from services.shopping.service import SERVICE

__all__ = ["SERVICE"]
