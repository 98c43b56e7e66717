"""Amounts of money: integer cents inside, dollars in text.

A bare number with exactly two decimals and no unit behind it is read as an amount, because tools return amounts so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from language.numbers import DECIMAL, LEFT, NARROW, RIGHT, WORDS, in_words, read_decimal, read_words
from language.spans import Reader, Value

_WORDED = 10_000
"""From this many cents on no form in words is written."""

_MINUS = r"(?P<minus>(?<![\w.,])[-\u2212]|\bminus )?"
_DOLLARS = r"(?:dollars?\b|bucks?\b|USD\b|\$(?!\d))"
_CENTS = r"(?:cents?\b|¢)"
_ALSO_CENTS = rf"(?: and (?P<cents>\d{{1,2}}) {_CENTS})?"
# "twelve dollars fifty" has cents; "twelve dollars and three bars" has none.
_ALSO_CENTS_IN_WORDS = rf"(?: (?P<also>and )?(?P<cents>{WORDS})(?: cents?\b|(?(also)(?!)|(?! ?(?:\w|\$)))))?"
_UNITS = r"%|per ?cent\b|[km]?g\b|ml\b|[klm]\b|[ck]m\b|kcal\b|h\b|hours?\b|min(?:utes?)?\b|points?\b|stars?\b"
_UNIT = rf"[ {NARROW}]?(?:{_UNITS})"


def _cents(amount: Decimal) -> int | None:
    """Return dollars as cents, or None when the amount has a fraction of a cent."""
    cents = amount * 100
    return int(cents) if cents == cents.to_integral_value() else None


def _read_dollars(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    cents = _cents(read_decimal(groups["number"]) * (1_000 if groups.get("thousands") else 1))
    return None if cents is None else cents + int(groups.get("cents") or 0)


def _read_worded_dollars(match: re.Match[str]) -> int | None:
    cents = read_words(match["cents"]) if match["cents"] else 0
    return 100 * read_words(match["number"]) + cents if cents < 100 else None


def _read_cents(match: re.Match[str]) -> int | None:
    number = match["number"]
    return int(number) if number.isdigit() else read_words(number)


def _reader(pattern: str, read: Callable[[re.Match[str]], int | None], *hints: str, digits: bool = True) -> Reader:
    def signed(match: re.Match[str]) -> Value | None:
        cents = read(match)
        return -cents if cents is not None and match["minus"] else cents

    return Reader("money_cents", re.compile(_MINUS + pattern, re.IGNORECASE), signed, hints, digits)


MONEY_READERS = (
    _reader(
        rf"(?:\$|USD)[ {NARROW}]?(?P<number>{DECIMAL})(?P<thousands>k\b)?(?!\w)(?![.,]\d)", _read_dollars, "$", "usd"
    ),
    _reader(
        rf"{LEFT}(?P<number>{DECIMAL})(?P<thousands>k\b)?[ {NARROW}-]?{_DOLLARS}{_ALSO_CENTS}",
        _read_dollars,
        "dollar",
        "buck",
        "usd",
        "$",
    ),
    _reader(
        rf"\b(?P<number>{WORDS})[ -](?:dollars?|bucks?)\b{_ALSO_CENTS_IN_WORDS}",
        _read_worded_dollars,
        "dollar",
        "buck",
        digits=False,
    ),
    _reader(rf"{LEFT}(?P<number>\d+)[ {NARROW}]?{_CENTS}", _read_cents, "cent", "¢"),
    _reader(rf"\b(?P<number>{WORDS}) cents?\b", _read_cents, "cent", digits=False),
    _reader(rf"{LEFT}(?P<number>(?:{DECIMAL})(?<=\.\d\d)){RIGHT}(?!{_UNIT})", _read_dollars, "."),
)


def write_money(cents: int) -> tuple[str, ...]:
    """Return the forms a writer may use for an amount, `$12.50` first; words only below 100 dollars."""
    return tuple(money_forms(cents).values())


def money_forms(cents: int) -> dict[str, str]:
    """Return those forms by what they are: `sign` and `code` in full, `short` and the others without cents of zero."""
    whole, part = divmod(abs(cents), 100)
    exact = f"{whole:,}.{part:02d}"
    short = f"{whole:,}" if part == 0 else exact
    sign, minus = ("-", "minus ") if cents < 0 else ("", "")
    one = abs(cents) == 100
    forms = {
        "sign": f"{sign}${exact}",
        "short": f"{sign}${short}",
        "noun": f"{minus}{short} {'dollar' if one else 'dollars'}",
        "code": f"{minus}USD {exact}",
    }
    if abs(cents) < _WORDED:
        forms["spelled"] = minus + _spelled(whole, part, str)
        forms["words"] = minus + _spelled(whole, part, in_words)
    forms["slang"] = f"{minus}{short} {'buck' if one else 'bucks'}"
    return forms


def _spelled(whole: int, part: int, number: Callable[[int], str]) -> str:
    """Return an amount as dollars and cents, each number written by `number`: 12 dollars and 50 cents."""
    dollars = f"{number(whole)} {'dollar' if whole == 1 else 'dollars'}"
    cents = f"{number(part)} {'cent' if part == 1 else 'cents'}"
    if not part:
        return dollars
    return cents if not whole else f"{dollars} and {cents}"
