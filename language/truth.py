"""Yes and no."""

from __future__ import annotations

import re

from language.spans import Reader

_YES = re.compile(r"\b(?:yes|yep|yeah|true)\b", re.IGNORECASE)
# "no sugar" denies nothing: a bare "no" answers only where the clause ends.
_NO = re.compile(r"\b(?:nope|false|no(?=\s*(?:[.,;:!?)\n]|$)))(?!\w)", re.IGNORECASE)

TRUTH_READERS = (Reader("bool", _YES, lambda _: True), Reader("bool", _NO, lambda _: False))


def write_truth(value: bool) -> tuple[str, ...]:
    """Return the forms a writer may use for a truth."""
    return ("yes", "Yes.", "true") if value else ("no", "No.", "false")
