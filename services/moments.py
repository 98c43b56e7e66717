"""Days, times of day and moments as tools are given them: exact ISO texts, or a refusal that says what is wrong."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from services.runtime.tools import Context

DATE_ERROR: Mapping[str, str] = {"INVALID_DATE": "A date is not in YYYY-MM-DD format, or not in the calendar."}
RANGE_ERRORS: Mapping[str, str] = {**DATE_ERROR, "INVALID_RANGE": "The range ends before it starts."}
TIME_ERROR: Mapping[str, str] = {"INVALID_TIME": "A time is not in the format asked for, or there is no such time."}

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


def day_of(c: Context, value: str) -> str:
    """Return a day that the calendar has. Refuse any other text, and any other form."""
    try:
        if dt.date.fromisoformat(value).isoformat() == value:
            return value
    except ValueError:
        pass
    c.refuse("INVALID_DATE", f"{value!r} is no date in YYYY-MM-DD format.")


def days_between(c: Context, start: str, end: str) -> tuple[str, str]:
    """Return the ends of a range of days, both included. Refuse one that ends before it starts."""
    first, last = day_of(c, start), day_of(c, end)
    if last < first:
        c.refuse("INVALID_RANGE", f"The range ends on {last}, before it starts on {first}.")
    return first, last


def clock_of(c: Context, value: str) -> str:
    """Return a time of day `HH:MM`, from 00:00 to 23:59. Refuse any other text."""
    if _CLOCK.fullmatch(value):
        return value
    c.refuse("INVALID_TIME", f"{value!r} is no time of day in HH:MM format, 00:00 to 23:59.")


def moment_of(c: Context, value: str) -> str:
    """Return a moment `YYYY-MM-DDTHH:MM:SS`; seconds may be left out. Refuse any other text."""
    for form in (value, f"{value}:00"):
        try:
            if dt.datetime.fromisoformat(form).isoformat() == form and len(form) == len("YYYY-MM-DDTHH:MM:SS"):
                return form
        except ValueError:
            pass
    c.refuse("INVALID_TIME", f"{value!r} is no local time in YYYY-MM-DDTHH:MM:SS format.")


def minutes_of(clock: str) -> int:
    """Return the minutes from midnight to a time of day `HH:MM`, or to the time of a moment."""
    at = clock[-8:-3] if len(clock) > len("HH:MM") else clock
    return 60 * int(at[:2]) + int(at[3:5])


def clock_at(minutes: int) -> str:
    """Return the time of day so many minutes after midnight."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def moved(day: str, days: int) -> str:
    """Return a day moved by whole days."""
    return (dt.date.fromisoformat(day) + dt.timedelta(days=days)).isoformat()
