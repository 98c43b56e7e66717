"""One writer's way of putting values: chosen once for a text and kept to throughout, as people do."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from language.dates import date_forms, period_forms
from language.matching import find, plain_value
from language.money import money_forms
from language.numbers import in_words
from language.relative import near_date_forms, write_relative
from language.terms import write_name, write_term, write_text
from language.truth import write_truth

if TYPE_CHECKING:
    from language.spans import Kind, Value

Money: TypeAlias = Literal["sign", "noun", "slang", "code"]
"""$12, 12 dollars, 12 bucks, USD 12.00."""
Day: TypeAlias = Literal["day_first", "month_first", "ordinal", "short", "iso"]
"""4 May 2025; May 4, 2025; the 4th of May 2025; 4 Sep 2025; 2025-05-04."""

SPELLED = 12
"""Counts up to this are written in words by those who do so; nobody spells out larger ones in a message."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a writer puts values. Whatever it is, `find` reads the values back."""

    words: bool = False
    """Whether small counts are written in words."""
    money: Money = "sign"
    day: Day = "day_first"
    relative: bool = True
    """Whether a period or a day is said from where the writer stands, where it can be: last month, 4 May."""
    quoted: bool = False
    """Whether proper names stand in quotes."""
    hyphened: bool = False
    """Whether the words of a term are joined by hyphens: low-sugar."""
    lower: bool = False
    """Whether everything is written without capitals, but what is handed over word for word."""


def say(kind: Kind, value: object, manner: Manner, today: str = "") -> str:
    """Return `value` as a writer of this manner puts it on the day `today`: one of its `writings`, or that in small."""
    plain = plain_value(value)
    form = _said(kind, plain, manner, today)
    if not manner.lower or kind == "text":
        return form
    if kind in ("period", "date") and [m.value for m in find(kind, form.lower(), (), today)] != [plain]:
        # In small letters "in may" is no month, and "may 4" no day.
        form = _said(kind, plain, manner, "")
    return form.lower()


def _said(kind: Kind, value: Value, manner: Manner, today: str) -> str:
    match kind:
        case "count":
            number = cast("int", value)
            return in_words(number) if manner.words and 0 <= number <= SPELLED else str(number)
        case "percent":
            return f"{Decimal(str(value)).normalize():f}%"
        case "money_cents":
            return _money(cast("int", value), manner)
        case "date":
            near_days = near_date_forms(str(value), today) if manner.relative else {}
            return near_days.get(manner.day) or date_forms(str(value))[manner.day]
        case "period":
            period = cast("tuple[str, str]", value)
            # Nobody names the date of today to say until when.
            near = write_relative(period, today) if manner.relative or period[1] == today else ()
            return near[0] if near else _period(period, manner)
        case "term":
            return write_term(str(value))[-1 if manner.hyphened else 0]
        case "name":
            return write_name(str(value))[1 if manner.quoted else 0]
        case "text":
            return write_text(str(value))[0]
        case "bool":
            return write_truth(bool(value))[0]


def _money(cents: int, manner: Manner) -> str:
    """Return an amount: with cents where it has some, and only then, but for the code, which is for accounts."""
    forms = money_forms(cents)
    if manner.money == "code":
        return forms["code"]
    return forms["short"] if cents % 100 or manner.money == "sign" else forms[manner.money]


def _period(period: tuple[str, str], manner: Manner) -> str:
    """Return a period by its days: a month or a year by its name."""
    forms = period_forms(period)
    return forms.get("whole") or forms.get(manner.day) or forms["day_first"]
