"""A budget, what was measured, and the table of all of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

NOISE = 1.25
"""A budget counts as missed beyond this ratio: machines are shared, and single figures move by a quarter."""


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table."""

    what: str
    better: Literal["higher", "lower"]
    budget: float
    measured: float
    unit: str
    limit: str
    """What limits the figure, or how it came about."""
    details: dict[str, float | int | str] = field(default_factory=dict[str, "float | int | str"])
    """Figures behind it, for the JSON file."""

    @property
    def ratio(self) -> float:
        """Return how much of the budget is used: 1 is exactly all of it, more is too much."""
        pair = (self.measured, self.budget) if self.better == "lower" else (self.budget, self.measured)
        return pair[0] / pair[1] if pair[1] else float("inf")

    @property
    def missed(self) -> bool:
        """Return whether the budget is missed by more than noise explains."""
        return not self.ratio <= NOISE

    def as_json(self) -> dict[str, object]:
        """Return the line as JSON data."""
        return {**asdict(self), "ratio": round(self.ratio, 4), "missed": self.missed}


def render(results: Sequence[Result]) -> str:
    """Return results as an aligned table."""
    head = ("what", "budget", "measured", "ratio", "what limits it")
    rows = [head, *(_row(result) for result in results)]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    lines = [
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}  {row[4]}".rstrip()
        for row in rows
    ]
    return "\n".join([*lines, "", "ratio: share of the budget that is used; above 1.25 it counts as missed"])


def number(value: float) -> str:
    """Return a figure with three significant digits."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _row(result: Result) -> tuple[str, str, str, str, str]:
    sign = ">=" if result.better == "higher" else "<="
    mark = "  MISSED" if result.missed else ""
    return (
        result.what,
        f"{sign} {number(result.budget)} {result.unit}".rstrip(),
        f"{number(result.measured)} {result.unit}".rstrip(),
        f"{result.ratio:.2f}{mark}",
        result.limit,
    )
