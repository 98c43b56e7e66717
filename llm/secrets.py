"""Takes keys out of every text that is stored or shown: a server may send back what it was given."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SUFFIXES = ("_API_KEY", "_TOKEN", "_SECRET", "_ACCESS_KEY")
_SHORTEST = 8
"""Shorter values are stand-ins such as `EMPTY`; taking these out would only damage texts."""
HIDDEN = "[key]"


class Scrubber:
    """Knows the values of the variables that hold keys, as the environment has them when it is made."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Take the variables that are named like keys, and those in `names`."""
        named = set(names)
        values = {value for name, value in os.environ.items() if name.upper().endswith(_SUFFIXES) or name in named}
        found = sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, found))) if found else None

    def __call__(self, text: str) -> str:
        """Return `text` without keys."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text
