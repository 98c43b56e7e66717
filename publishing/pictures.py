"""Drawing with matplotlib, which only those need who want pictures: the same figures give the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from publishing.errors import ReleaseError

if TYPE_CHECKING:
    from pathlib import Path

BLUE, RED, GREEN, GREY, PURPLE = "#4477aa", "#ee6677", "#228833", "#bbbbbb", "#aa3377"
_DOTS = 90


def new_figure(width: float, height: float) -> Any:  # noqa: ANN401  # matplotlib has no types
    """Return an empty figure of so many inches. Raise ReleaseError where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ReleaseError("plots need matplotlib: install pausegen with the extra `plots`") from error
    return cast("Any", Figure)(figsize=(width, height), layout="constrained")


def save(figure: Any, path: Path) -> Path:  # noqa: ANN401
    """Write a figure as PNG, without the version of the library in the file, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=_DOTS, format="png", metadata={"Software": None})
    return path
