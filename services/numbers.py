"""Whole numbers as tools show them."""

from __future__ import annotations


def tenths(value: int) -> int | float:
    """Return tenths as a JSON number."""
    return value // 10 if value % 10 == 0 else value / 10
