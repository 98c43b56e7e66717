"""What people assume who are not told: of how many, one; what to choose by, the price."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from language.spans import Kind, Value

_ASSUMED: tuple[tuple[Kind, Value], ...] = (("count", 1), ("term", "cheapest"))


def is_assumed(kind: str, value: object) -> bool:
    """Return whether this is what anyone would take it to be without asking."""
    return any((kind, value) == assumed for assumed in _ASSUMED)
