"""What is wrong with a file that somebody brought along, in one message."""

from __future__ import annotations

from decimal import Decimal


class InputError(ValueError):
    """A file of the user's own that cannot be used: names the file, the row, the field, and the way out."""


def refuse(file: str, row: str, field: str, fault: str, way_out: str) -> InputError:
    """Return the error for one field of one row; an empty `row` or `field` is left out."""
    where = ": ".join(part for part in (file, row, field) if part)
    return InputError(f"{where}: {fault}; {way_out}")


def shown(value: object) -> str:
    """Return a value of somebody's file as one short line."""
    text = str(value) if isinstance(value, (int, float, Decimal)) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
