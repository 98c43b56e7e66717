"""Times as whole seconds, so that drawing and comparing them is integer arithmetic.

A moment is the number of seconds from the start of day 1 (0001-01-01) to a local time; people act in waking hours.
"""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Container

    from services.runtime.streams import Stream

DAY = 86_400
WAKING = (6 * 3600 + 1800, 22 * 3600 + 1800)
"""Seconds of the day between which people act: 06:30 to 22:30."""


def moment(time: str) -> int:
    """Return an ISO time, or the start of an ISO date, as a moment."""
    at = dt.datetime.fromisoformat(time)
    return at.toordinal() * DAY + at.hour * 3600 + at.minute * 60 + at.second


def iso_time(at: int) -> str:
    """Return a moment as `YYYY-MM-DDTHH:MM:SS`."""
    day, second = divmod(at, DAY)
    return f"{iso_day(day)}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


@lru_cache(maxsize=4096)
def iso_day(day: int) -> str:
    """Return the day with this ordinal as `YYYY-MM-DD`."""
    return dt.date.fromordinal(day).isoformat()


def day_of(date: str) -> int:
    """Return the ordinal of the day of an ISO date or time."""
    return dt.date.fromisoformat(date[:10]).toordinal()


def draw_waking(stream: Stream, first: int, last: int) -> int:
    """Return a uniform moment in [first, last] within waking hours. Raise ValueError when there is none."""
    spans = [
        (max(first, day * DAY + WAKING[0]), min(last, day * DAY + WAKING[1]))
        for day in range(first // DAY, last // DAY + 1)
    ]
    spans = [(low, high) for low, high in spans if low <= high]
    point = stream.below(max(1, sum(high - low + 1 for low, high in spans)))
    for low, high in spans:
        if point <= high - low:
            return low + point
        point -= high - low + 1
    msg = f"no waking hours between {iso_time(first)} and {iso_time(last)}"
    raise ValueError(msg)


def unused(at: int, taken: Container[str], step: Literal[-1, 1] = -1) -> int:
    """Return `at`, or the first moment before it (after it, for step 1) whose time is not taken."""
    while iso_time(at) in taken:
        at += step
    return at
