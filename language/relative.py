"""Periods as people say them from where they stand: last month, in May, the last 30 days. They need a clock.

Only what has one reading is read or written: "last month" is the calendar month before, "in May" the latest May that
has begun, "this month so far" runs through today, "the last 30 days" from the day 30 days ago through today.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

from language.dates import MONTH, MONTHS, YEAR, bounded, month_of, month_period
from language.numbers import WORDS, read_words
from language.spans import Reader, Value

_SOME_DAYS = (30, 60, 90)
"""Lengths that people name in days."""
_BARE_MONTH = bounded(rf"(?:in|during|throughout) (?P<month>{MONTH})(?!,? (?:of )?{YEAR}| (?:the )?\d)")
_LAST_MONTH = bounded(r"(?<!the )(?<!our )last month")
_SO_FAR = bounded(r"(?:so far this month|this month so far)")
_LAST_YEAR = bounded(r"(?<!the )last year")
_LAST_DAYS = bounded(rf"(?:(?:in|over|within|during) )?the (?:last|past) (?P<days>\d{{1,3}}|{WORDS}) days")


def _latest(month: int, today: date) -> tuple[str, str]:
    return month_period(today.year - (month > today.month), month)


def _month_before(today: date) -> tuple[str, str]:
    last = today.replace(day=1) - timedelta(days=1)
    return month_period(last.year, last.month)


def _days_before(days: int, today: date) -> tuple[str, str]:
    return (today - timedelta(days=days)).isoformat(), today.isoformat()


def _read_month(today: date) -> Callable[[re.Match[str]], Value | None]:
    def read(match: re.Match[str]) -> Value | None:
        # In lower case it may be the verb: in may cases.
        return None if match["month"] == "may" else _latest(month_of(match["month"]), today)

    return read


def _read_days(today: date) -> Callable[[re.Match[str]], Value | None]:
    def read(match: re.Match[str]) -> Value | None:
        stated = match["days"]
        return _days_before(int(stated) if stated.isdigit() else read_words(stated), today)

    return read


def _always(value: Value) -> Callable[[re.Match[str]], Value | None]:
    return lambda _: value


@lru_cache(maxsize=64)
def relative_readers(today: str) -> tuple[Reader, ...]:
    """Return the readers of what is said from the day `today`, an ISO date; none when it is empty."""
    if not today:
        return ()
    day = date.fromisoformat(today)
    so_far = (day.replace(day=1).isoformat(), today)
    return (
        Reader("period", _BARE_MONTH, _read_month(day), ("in ", "during ", "throughout ")),
        Reader("period", _LAST_MONTH, _always(_month_before(day)), ("last month",)),
        Reader("period", _SO_FAR, _always(so_far), ("this month",)),
        Reader("period", _LAST_YEAR, _always((f"{day.year - 1}-01-01", f"{day.year - 1}-12-31")), ("last year",)),
        Reader("period", _LAST_DAYS, _read_days(day), (" days",)),
    )


def write_relative(value: tuple[str, str], today: str) -> tuple[str, ...]:
    """Return the forms in which one may say a period on the day `today`, an ISO date; none when there is none."""
    if not today:
        return ()
    day = date.fromisoformat(today)
    start = date.fromisoformat(value[0])
    forms: list[str] = []
    if value == _month_before(day):
        forms.append("last month")
    if value == _latest(start.month, day) and start.month != day.month:
        forms.append(f"in {MONTHS[start.month - 1]}")
    if value == (day.replace(day=1).isoformat(), today):
        forms.append("so far this month")
    if value == (f"{day.year - 1}-01-01", f"{day.year - 1}-12-31"):
        forms.append("last year")
    forms += [f"in the last {days} days" for days in _SOME_DAYS if value == _days_before(days, day)]
    return tuple(forms)
