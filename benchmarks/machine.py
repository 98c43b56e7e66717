"""What this machine is, so that rates measured on two of them can be compared."""

from __future__ import annotations

import platform
from timeit import repeat

STEPS, ROUNDS = 200_000, 7


def machine() -> str:
    """Return the Python and what a step of a plain loop takes it here, the fastest of several rounds, in ns."""
    step = min(repeat("for i in steps: x += i", f"x = 0; steps = range({STEPS})", number=1, repeat=ROUNDS)) / STEPS
    return (
        f"{platform.python_implementation()} {platform.python_version()}; a step of `x += i` takes {step * 1e9:.0f} ns"
    )
