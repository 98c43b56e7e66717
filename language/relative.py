"""Periods and days as people say them from where they stand: last month, the last 30 days, 4 May. They need a clock.

Only what has one reading is read or written: "last month" is the calendar month before, "in May" the latest May that
has begun, "from May to July" and "in June and July" the months up to the latest July, "this month so far" and "since
the start of May" run through today, "the last 30 days" from the day 30 days ago through today. "4 May" is the latest
4 May that has been.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

from language.dates import DATE_READERS, MONTH, MONTHS, YEAR, bounded, date_forms, iso, month_of, month_period
from language.numbers import WORDS, read_words
from language.spans import Reader, Value

_LEAP_GAP = 8
"""Years between two days of 29 February, at most."""
LAST_DAYS = {
    14: "two weeks",
    21: "three weeks",
    28: "four weeks",
    42: "six weeks",
    30: "30 days",
    60: "60 days",
    90: "90 days",
}
"""Lengths that people name when they look back, in days, as they are said."""
_PLAIN_DAYS = 300
"""Days within which a day of the past is said without its year."""
_BARE_MONTH = bounded(rf"(?:in|during|throughout) (?P<month>{MONTH})(?!,? (?:of )?{YEAR}| (?:the )?\d)")
_LAST_MONTH = bounded(r"(?<!the )(?<!our )last month")
_MONTHS = bounded(
    rf"from (?P<first>{MONTH}) (?:to|till|until|through) (?P<last>{MONTH})(?!,? (?:of )?{YEAR}| (?:the )?\d)"
)
_TWO_MONTHS = bounded(rf"in (?P<first>{MONTH}) and (?P<last>{MONTH})(?!,? (?:of )?{YEAR}| (?:the )?\d)")
_SO_FAR = bounded(r"(?:so far this month|this month so far)")
_THIS_MONTH = bounded(r"this month")
_YEAR_SO_FAR = bounded(r"(?:so far this year|this year so far|since the (?:start|beginning) of (?:the|this) year)")
_SINCE_MONTH = bounded(rf"since the (?:start|beginning) of (?P<month>{MONTH})(?!,? (?:of )?{YEAR}| (?:the )?\d)")
_LAST_YEAR = bounded(r"(?<!the )last year")
_LAST_DAYS = bounded(
    rf"(?:(?:in|over|within|during) )?the (?:last|past) (?P<number>\d{{1,3}}|{WORDS}) (?P<unit>days|weeks)"
)


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


def _until(first: int, last: int, today: date) -> tuple[str, str]:
    """Return the months from number `first` to the latest one of number `last` that has begun."""
    end = _latest(last, today)[1]
    return month_period(int(end[:4]) - (first > last), first)[0], end


def _read_months(today: date) -> Callable[[re.Match[str]], Value | None]:
    def read(match: re.Match[str]) -> Value | None:
        first, last = month_of(match["first"]), month_of(match["last"])
        return None if first == last else _until(first, last, today)

    return read


def _read_two_months(today: date) -> Callable[[re.Match[str]], Value | None]:
    def read(match: re.Match[str]) -> Value | None:
        first, last = month_of(match["first"]), month_of(match["last"])
        return _until(first, last, today) if last == first % 12 + 1 else None

    return read


def _read_since(today: date) -> Callable[[re.Match[str]], Value | None]:
    return lambda match: (_latest(month_of(match["month"]), today)[0], today.isoformat())


def _read_days(today: date) -> Callable[[re.Match[str]], Value | None]:
    def read(match: re.Match[str]) -> Value | None:
        stated = match["number"]
        number = int(stated) if stated.isdigit() else read_words(stated)
        return _days_before(number * (7 if match["unit"].lower() == "weeks" else 1), today)

    return read


def _read_day(reader: Reader, today: date) -> Callable[[re.Match[str]], Value | None]:
    """Return what reads a day without a year; one with a year is left to its own reader."""

    def read(match: re.Match[str]) -> Value | None:
        stated = reader.read(match)
        if not isinstance(stated, str) or not stated.startswith("--"):
            return None
        month, day = int(stated[2:4]), int(stated[5:])
        days = (iso(today.year - back, month, day) for back in range(_LEAP_GAP + 1))
        return next((found for found in days if found is not None and found <= today.isoformat()), None)

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
    year_so_far = (f"{day.year}-01-01", today)
    return (
        Reader("period", _BARE_MONTH, _read_month(day), ("in ", "during ", "throughout ")),
        Reader("period", _LAST_MONTH, _always(_month_before(day)), ("last month",)),
        Reader("period", _MONTHS, _read_months(day), ("from ",)),
        Reader("period", _TWO_MONTHS, _read_two_months(day), ("in ",)),
        Reader("period", _SO_FAR, _always(so_far), ("this month",)),
        Reader("period", _THIS_MONTH, _always(month_period(day.year, day.month)), ("this month",)),
        Reader("period", _YEAR_SO_FAR, _always(year_so_far), (" year",)),
        Reader("period", _SINCE_MONTH, _read_since(day), ("since the ",)),
        Reader("period", _LAST_YEAR, _always((f"{day.year - 1}-01-01", f"{day.year - 1}-12-31")), ("last year",)),
        Reader("period", _LAST_DAYS, _read_days(day), (" days", " weeks")),
        *(
            Reader("date", reader.pattern, _read_day(reader, day), reader.hints, reader.digits)
            for reader in DATE_READERS
        ),
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
    forms += _several_months(value, start, day)
    if value == (day.replace(day=1).isoformat(), today):
        forms.append("so far this month")
    if value == month_period(day.year, day.month):
        forms.append("this month")
    if value == (f"{day.year}-01-01", today):
        forms.append("so far this year")
    forms += [f"in the last {said}" for days, said in LAST_DAYS.items() if value == _days_before(days, day)]
    if value == (_latest(start.month, day)[0], today) and start.month != day.month:
        forms.append(f"since the start of {MONTHS[start.month - 1]}")
    if value == (f"{day.year - 1}-01-01", f"{day.year - 1}-12-31"):
        forms.append("last year")
    return tuple(forms)


def other_readings(value: tuple[str, str], today: str) -> tuple[tuple[str, str], ...]:
    """Return what else a listener may take a period for that ends on the day `today` and is counted in days.

    The last 30 days may be meant to include today as one of the 30.
    """
    day = date.fromisoformat(today)
    counted = any(value == _days_before(days, day) for days in LAST_DAYS)
    return (((date.fromisoformat(value[0]) + timedelta(days=1)).isoformat(), today),) if counted else ()


def near_date_forms(value: str, today: str) -> dict[str, str]:
    """Return the forms of an ISO date that do without its year on the day `today`, named as `date_forms` names them."""
    if not today or not 0 <= (date.fromisoformat(today) - date.fromisoformat(value)).days <= _PLAIN_DAYS:
        return {}
    year = value[:4]
    forms = {name: form.removesuffix(year).rstrip(", ") for name, form in date_forms(value).items()}
    return {name: form for name, form in forms.items() if name != "iso"}


def _several_months(value: tuple[str, str], start: date, today: date) -> list[str]:
    """Return how a row of whole months that are over is said, in which no year has to be."""
    last = int(value[1][5:7])
    if start.month == last or value[1] >= today.isoformat() or value != _until(start.month, last, today):
        return []
    first, final = MONTHS[start.month - 1], MONTHS[last - 1]
    two = [f"in {first} and {final}"] if last == start.month % 12 + 1 else []
    return [*two, f"from {first} to {final}"]
