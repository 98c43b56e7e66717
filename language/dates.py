"""Calendar dates and periods: ISO inside, written many ways in text.

A date without a year is read as `--MM-DD`, which agrees with that day of any year (`same_date`). Dates with slashes are
read only where day and month cannot be confused. Phrases relative to a clock ("last month") are in `relative`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

from language.spans import Reader, Value

MONTHS = ("January February March April May June July August September October November December").split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_LEAP = 2000
"""A leap year: stands in where a date has no year, so that 29 February is one."""

_NUMBER_OF = {month[:3].lower(): number for number, month in enumerate(MONTHS, 1)}
MONTH = rf"(?:{'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in MONTHS)}|Sept)\b\.?"
_WEEKDAY = rf"(?:(?:{'|'.join(f'{day[:3]}(?:{day[3:]})?' for day in _WEEKDAYS)})\.?,? (?:the )?)?"
YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}"
_TH = r"(?:st|nd|rd|th)"
_EDGE_L, _EDGE_R = r"(?<![\w-])(?<!\d[./])", r"(?![\w-])(?![./:]\d)"


def _worded(tag: str = "") -> str:
    """Return the pattern of one written date; form 1 is 3 May 2025, form 2 May 3, 2025, form 3 2025-05-03.

    The groups d (day), o (ordinal ending), m (month) and y (year) carry the form's number and `tag`.
    """
    day_first = (
        rf"(?P<d1{tag}>{_DAY})(?P<o1{tag}>{_TH})?[ -](?:of )?"
        rf"(?P<m1{tag}>{MONTH})(?:,?[ -](?P<y1{tag}>{YEAR})\b)?"
    )
    month_first = (
        rf"(?P<m2{tag}>{MONTH}) (?:the )?"
        rf"(?P<d2{tag}>{_DAY})(?P<o2{tag}>{_TH})?(?!\w)(?:,? (?P<y2{tag}>{YEAR})\b)?"
    )
    numeric = (
        rf"(?P<y3{tag}>{YEAR})(?P<sep{tag}>[-/])(?P<m3{tag}>\d\d)(?P=sep{tag})(?P<d3{tag}>\d\d)"
        r"(?:T\d\d:\d\d(?::\d\d)?)?"
    )
    return rf"(?:{_WEEKDAY}(?:{day_first}|{month_first})|{numeric})"


def iso(year: int | None, month: int, day: int) -> str | None:
    """Return the ISO form, `--MM-DD` when there is no year, or None when there is no such day."""
    if not 1 <= month <= 12 or not 1 <= day <= monthrange(year or _LEAP, month)[1]:
        return None
    return f"--{month:02d}-{day:02d}" if year is None else f"{year:04d}-{month:02d}-{day:02d}"


def month_of(name: str) -> int:
    """Return the number of the month that `name` names, in full or by its first letters."""
    return _NUMBER_OF[name[:3].lower()]


def same_date(one: str, other: str) -> bool:
    """Return whether two ISO dates are the same day, a date without a year agreeing with that day of any year."""
    return one[-6:] == other[-6:] if "--" in (one[:2], other[:2]) else one == other


def _parts(match: re.Match[str], tag: str) -> tuple[int | None, int, int] | None:
    """Return year, month and day of a written date, or None when its "may" is a verb: you may 5 times."""
    form = next(form for form in "123" if match[f"d{form}{tag}"])
    month, year = match[f"m{form}{tag}"], match[f"y{form}{tag}"]
    if form == "2" and month == "may" and not year and not match[f"o2{tag}"]:
        return None
    number = int(month) if month.isdigit() else month_of(month)
    return int(year) if year else None, number, int(match[f"d{form}{tag}"])


def _read_date(match: re.Match[str]) -> Value | None:
    parts = _parts(match, "")
    return None if parts is None else iso(*parts)


def _read_numeric(match: re.Match[str]) -> Value | None:
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if match["sep"] == ".":
        return iso(year, second, first)
    readings = {found for found in (iso(year, second, first), iso(year, first, second)) if found}
    return readings.pop() if len(readings) == 1 else None


def _ordered(start: str | None, end: str | None) -> Value | None:
    return (start, end) if start and end and start <= end else None


def _read_between(match: re.Match[str]) -> Value | None:
    one, two = _parts(match, "a"), _parts(match, "b")
    if one is None or two is None:
        return None
    year = one[0]
    if year is None and two[0] is not None:
        # "from 20 December to 5 January 2026" starts in the year before.
        year = two[0] - (one[1:] > two[1:])
    later = two[0] if two[0] is not None or year is None else year + (one[1:] > two[1:])
    return _ordered(iso(year, *one[1:]), iso(later, *two[1:]))


def _read_days(match: re.Match[str]) -> Value | None:
    form = "1" if match["m1"] else "2"
    year = int(match[f"y{form}"]) if match[f"y{form}"] else None
    month = month_of(match[f"m{form}"])
    return _ordered(iso(year, month, int(match[f"s{form}"])), iso(year, month, int(match[f"e{form}"])))


def month_period(year: int, month: int) -> tuple[str, str]:
    """Return the first and the last day of a month."""
    return f"{year:04d}-{month:02d}-01", f"{year:04d}-{month:02d}-{monthrange(year, month)[1]:02d}"


def _read_months(match: re.Match[str]) -> Value | None:
    first, last, year = month_of(match["m1"]), month_of(match["m2"]), int(match["y2"])
    return _ordered(
        month_period(int(match["y1"]) if match["y1"] else year - (first > last), first)[0], month_period(year, last)[1]
    )


def _read_month(match: re.Match[str]) -> Value | None:
    return month_period(int(match["year"]), month_of(match["month"]))


def _read_year(match: re.Match[str]) -> Value | None:
    return f"{match['year']}-01-01", f"{match['year']}-12-31"


def bounded(pattern: str) -> re.Pattern[str]:
    """Return a pattern compiled so that it does not match inside a longer word, number or date."""
    return re.compile(_EDGE_L + pattern + _EDGE_R, re.IGNORECASE)


# "3 May and 4 May" are two days; only "between" makes "and" a period.
_FROM = r"(?:(?P<between>between )|from )?(?:the )?"
_UNTIL = r"to|until|till|through|up to|[-\u2013\u2014]"
_TO = rf" ?(?(between)(?:and|{_UNTIL})|(?:{_UNTIL}))(?: and including)? ?(?:the )?"
_DAYS_OF_MONTH = (
    rf"(?P<s1>{_DAY}){_TH}?{_TO}(?P<e1>{_DAY}){_TH}? (?:of )?(?P<m1>{MONTH})(?:,? (?P<y1>{YEAR}))?"
    rf"|(?P<m2>{MONTH}) (?P<s2>{_DAY}){_TH}?{_TO}(?P<e2>{_DAY}){_TH}?(?:,? (?P<y2>{YEAR}))?"
)
_MONTHS_IN_A_ROW = (
    rf"from (?P<m1>{MONTH})(?:,? (?P<y1>{YEAR}))? ?(?:{_UNTIL}) ?(?P<m2>{MONTH}),? (?:of )?(?P<y2>{YEAR})"
)
_IN_MONTHS = tuple(month[:3].lower() for month in MONTHS)
_IN_DATES = (*_IN_MONTHS, "19", "20")
"""What a written date holds at the least: a month by its name, or a year."""
PERIOD_READERS = (
    Reader("period", bounded(rf"{_FROM}{_worded('a')}{_TO}{_worded('b')}"), _read_between, _IN_DATES, digits=True),
    Reader("period", bounded(rf"{_FROM}(?:{_DAYS_OF_MONTH})"), _read_days, _IN_MONTHS, digits=True),
    Reader("period", bounded(_MONTHS_IN_A_ROW), _read_months, ("from ",)),
    Reader("period", bounded(rf"(?:in )?(?P<month>{MONTH}),? (?:of )?(?P<year>{YEAR})"), _read_month, ("19", "20")),
    Reader(
        "period",
        bounded(rf"(?:in|during|throughout|for)(?: all of| the year)? (?P<year>{YEAR})"),
        _read_year,
        ("19", "20"),
    ),
)
DATE_READERS = (
    Reader("date", bounded(_worded()), _read_date, _IN_DATES, digits=True),
    Reader(
        "date",
        bounded(rf"(?P<first>{_DAY})(?P<sep>[./])(?P<second>{_DAY})(?P=sep)(?P<year>{YEAR})"),
        _read_numeric,
        (".19", ".20", "/19", "/20"),
    ),
)


def _ordinal(day: int) -> str:
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def write_date(value: str) -> tuple[str, ...]:
    """Return the forms a writer may use for an ISO date, all with the year."""
    return tuple(date_forms(value).values())


def date_forms(value: str) -> dict[str, str]:
    """Return those forms by what they are: 3 May 2025, May 3, 2025, and so on."""
    day = date.fromisoformat(value)
    month = MONTHS[day.month - 1]
    return {
        "day_first": f"{day.day} {month} {day.year}",
        "month_first": f"{month} {day.day}, {day.year}",
        "iso": value,
        "ordinal": f"the {_ordinal(day.day)} of {month} {day.year}",
        "month_ordinal": f"{month} {_ordinal(day.day)}, {day.year}",
        "weekday": f"{_WEEKDAYS[day.weekday()]}, {day.day} {month} {day.year}",
        "short": f"{day.day} {month[:3]} {day.year}",
    }


def write_period(value: tuple[str, str]) -> tuple[str, ...]:
    """Return the forms a writer may use for an inclusive pair of ISO dates, as an adverbial: in May 2025.

    Raises:
        ValueError: the period ends before it starts, or a date is none.
    """
    return tuple(period_forms(value).values())


def period_forms(value: tuple[str, str]) -> dict[str, str]:
    """Return those forms by what they are: `whole` for a year or months, the others named as the dates they hold."""
    start, end = (date.fromisoformat(day) for day in value)
    if start > end:
        raise ValueError(f"a period cannot end before it starts: {value!r}")
    one, two = date_forms(value[0]), date_forms(value[1])
    month = MONTHS[start.month - 1]
    forms: dict[str, str] = {}
    if (start.month, start.day, end) == (1, 1, date(start.year, 12, 31)):
        forms["whole"] = f"in {start.year}"
    elif start.day == 1 and end == _month_end(start):
        forms["whole"] = f"in {month} {start.year}"
    elif start.day == 1 and end == _month_end(end):
        ends = f"{MONTHS[end.month - 1]} {end.year}"
        forms["whole"] = f"from {month} to {ends}" if start.year == end.year else f"from {month} {start.year} to {ends}"
    forms |= {form: f"between {one[form]} and {two[form]}" for form in ("day_first", "month_first")}
    forms |= {form: f"from {one[form]} to {two[form]}" for form in ("iso", "short")}
    if "whole" not in forms and (start.year, start.month) == (end.year, end.month) and start.day < end.day:
        forms["ordinal"] = f"from the {_ordinal(start.day)} to the {_ordinal(end.day)} of {month} {start.year}"
    return forms


def _month_end(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
