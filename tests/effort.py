"""How much a test draws: some of it in `make test`, all of it in `make test-all`."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
THOROUGH = os.environ.get("PAUSEGEN_TESTS") == "thorough"


def amount(quick: T, thorough: T) -> T:
    """How many examples or users to draw, or which steps to take."""
    return thorough if THOROUGH else quick
