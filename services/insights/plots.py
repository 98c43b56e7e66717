"""Plots of time series: each is kept as a record, so that what was plotted can be looked up and checked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from services.insights.records import Granularity, Plot
from services.moments import TIME_ERROR, moment_of
from services.runtime.tools import Context, tool

STEPS: Mapping[Granularity, dt.timedelta] = {
    "minute": dt.timedelta(minutes=1),
    "hour": dt.timedelta(hours=1),
    "day": dt.timedelta(days=1),
}
MOST_POINTS = 1_440
"""Values of a plot: the minutes of one day."""
LARGEST = 10**9
THOUSANDTH = 1_000


def thousandths(value: float) -> int:
    """Return a value times a thousand, half up."""
    return int((Decimal(str(value)) * THOUSANDTH).to_integral_value(ROUND_HALF_UP))


def _number(value: int) -> int | float:
    return value // THOUSANDTH if value % THOUSANDTH == 0 else value / THOUSANDTH


def _series(c: Context, values: list[float]) -> tuple[int, ...]:
    """Return the values in thousandths. Refuse none, too many, and numbers that nothing measures."""
    if not values:
        c.refuse("SERIES_EMPTY", "There is nothing to plot.")
    if len(values) > MOST_POINTS:
        c.refuse("TOO_MANY_POINTS", f"A plot has at most {MOST_POINTS} values.")
    if any(abs(value) > LARGEST for value in values):
        c.refuse("INVALID_VALUE", f"A value lies between -{LARGEST} and {LARGEST}.")
    return tuple(thousandths(value) for value in values)


@tool(
    side="assistant",
    write=True,
    errors={
        **TIME_ERROR,
        "SERIES_EMPTY": "The series holds no value.",
        "TOO_MANY_POINTS": f"The series holds more than {MOST_POINTS} values.",
        "INVALID_VALUE": "A value is too large to be plotted.",
        "IN_FUTURE": "The series goes on after the present time.",
    },
    example={
        "start_time": "2025-06-08T00:00:00",
        "granularity": "day",
        "time_series": [8120, 6404, 9033],
        "unit": "steps",
    },
)
def plot_time_series(
    c: Context,
    start_time: Annotated[str, Meta(description="Moment of the first value, local time YYYY-MM-DDTHH:MM:SS.")],
    granularity: Annotated[Granularity, Meta(description="Distance between two values.")],
    time_series: Annotated[
        list[float], Meta(description="The values in order, without gaps, at most 1440, up to three decimals each.")
    ],
    unit: Annotated[str | None, Meta(description="Unit of the values, such as steps, kcal or bpm.")] = None,
) -> dict[str, Json]:
    """Plot a time series for the user. The plot is kept; the user sees it, and only numbers come back.

    `plot_id`, `granularity`, `unit` or null, `points`, `start_time` and `end_time` of the first and the last value,
    `min` and `max`.
    """
    start, values = moment_of(c, start_time), _series(c, time_series)
    left = dt.datetime.fromisoformat(c.now) - dt.datetime.fromisoformat(start)
    lasts = STEPS[granularity] * (len(values) - 1)
    if lasts > left:
        c.refuse("IN_FUTURE", f"It is {c.now}; the last value would be of a later time.")
    plot = c.create(
        Plot, start=start, granularity=granularity, unit=unit, values_thousandths=values, created_at=c.stamp()
    )
    return {
        "plot_id": plot.id,
        "granularity": granularity,
        "unit": unit,
        "points": len(values),
        "start_time": start,
        "end_time": (dt.datetime.fromisoformat(start) + lasts).isoformat(),
        "min": _number(min(values)),
        "max": _number(max(values)),
    }
