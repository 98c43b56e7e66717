"""The store: a catalogue to browse, a cart, and orders that payments settle."""

from services.shopping.service import SERVICE

__all__ = ["SERVICE"]
