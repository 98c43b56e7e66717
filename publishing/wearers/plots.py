"""The comparison as pictures: how often each value occurs in both populations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from publishing.errors import ReleaseError
from publishing.wearers.measures import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

    from publishing.wearers.measures import Measured

_BINS = 30
_COLUMNS = 2


def plot(model: Measured, real: Measured, path: Path) -> Path:
    """Write one PNG with a panel per measure. Raise ReleaseError where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ReleaseError("plots need matplotlib: install pausegen with the extra `plots`") from error
    rows = -(-len(MEASURES) // _COLUMNS)
    figure = Figure(figsize=(11, 2.7 * rows), layout="constrained")
    panels = figure.subplots(rows, _COLUMNS).ravel()
    for panel, (name, words) in zip(panels, MEASURES.items(), strict=False):
        ours, theirs = model.values[name], real.values[name]
        low, high = min([*ours, *theirs]), max([*ours, *theirs])
        edges = [low + (high - low) * step / _BINS for step in range(_BINS + 1)]
        for values, colour, label in ((ours, "#4477aa", "model"), (theirs, "#ee6677", "real")):
            weights = [100 / len(values)] * len(values)
            panel.hist(
                values, bins=edges, weights=weights, alpha=0.55, color=colour, label=f"{label} (n = {len(values):,})"
            )
        panel.set_xlabel(words)
        panel.set_ylabel("% of values")
        panel.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the version of the library in the file, the same figures give the same bytes.
    cast("Any", figure).savefig(path, dpi=90, metadata={"Software": None})
    return path
