"""The wearers of a run beside real ones, in what the real data measure: sleep, bed times, heart rates and zones."""

from __future__ import annotations

from publishing.wearers.compare import Row, compare, render
from publishing.wearers.measures import Measured, measured_files, measured_signals, measured_tables
from publishing.wearers.plots import plot

__all__ = ["Measured", "Row", "compare", "measured_files", "measured_signals", "measured_tables", "plot", "render"]
