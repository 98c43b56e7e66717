"""The comparison as pictures: how often each value occurs in both populations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from publishing.pictures import BLUE, RED, new_figure, save
from publishing.wearers.measures import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

    from publishing.wearers.measures import Measured

_BINS = 30
_COLUMNS = 2


def plot(model: Measured, real: Measured, path: Path) -> Path:
    """Write one PNG with a panel per measure. Raise ReleaseError where matplotlib is not installed."""
    rows = -(-len(MEASURES) // _COLUMNS)
    figure = new_figure(11, 2.7 * rows)
    panels = figure.subplots(rows, _COLUMNS).ravel()
    for panel, (name, words) in zip(panels, MEASURES.items(), strict=False):
        ours, theirs = model.values[name], real.values[name]
        low, high = min([*ours, *theirs]), max([*ours, *theirs])
        edges = [low + (high - low) * step / _BINS for step in range(_BINS + 1)]
        for values, colour, label in ((ours, BLUE, "model"), (theirs, RED, "real")):
            weights = [100 / len(values)] * len(values)
            panel.hist(
                values, bins=edges, weights=weights, alpha=0.55, color=colour, label=f"{label} (n = {len(values):,})"
            )
        panel.set_xlabel(words)
        panel.set_ylabel("% of values")
        panel.legend(fontsize=8)
    return save(figure, path)
