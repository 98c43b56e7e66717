"""Python's cycle collector, set for work that builds many small objects and few cycles."""

from __future__ import annotations

import gc

_THRESHOLDS = (100_000, 20, 100)


def relax_collector() -> None:
    """Collect rarely, and never look at what is loaded by now.

    With the defaults, records in memory are traversed again and again: parsing a task then takes five times as long.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
