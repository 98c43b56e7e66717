"""Records of insights."""

from __future__ import annotations

from typing import Literal

from services.runtime.records import Record, Time

Granularity = Literal["minute", "hour", "day"]


class Plot(Record, frozen=True):
    """A time series that was plotted for the user."""

    start: Time
    """Moment of the first value."""
    granularity: Granularity
    """Distance between two values."""
    unit: str | None
    values_thousandths: tuple[int, ...]
    """The values times a thousand, so that they are whole numbers."""
    created_at: Time
