"""Whole numbers, percentages and plain decimals, in digits and in words."""

from __future__ import annotations

import re
from decimal import Decimal

from language.spans import Reader, Value

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_WORTH = (
    {word: number for number, word in enumerate(UNITS)}
    | {word: 20 + 10 * step for step, word in enumerate(TENS)}
    | {"a": 1, "an": 1}
)

NARROW = "\u00a0\u2009\u202f"
"""Spaces that may stand between thousands or before a sign; an ordinary space would join two numbers."""
GROUPED = rf"\d{{1,3}}(?:,\d{{3}})+|\d{{1,3}}(?:[{NARROW}]\d{{3}})+|\d+"
DECIMAL = rf"(?:{GROUPED})(?:\.\d+)?"
LEFT = r"(?<![\w$€£.,#/])(?<![A-Za-z]-)"
"""What may not stand before a number: otherwise it is part of an identifier, an amount or a longer number."""
RIGHT = r"(?!\w)(?![.,/:]\d)"

_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_SMALL = rf"(?:(?:{'|'.join(TENS)})(?:[ -](?:{'|'.join(UNITS[1:10])})\b)?|(?:{_UNIT}))\b"
_BIG = r"[ -](?:hundred|thousand|million|dozen)\b"
# "between one hundred and two hundred": the part after "and" belongs to the next number when a scale follows it.
_REST = rf"(?:(?: and)? {_SMALL}(?!{_BIG}))?"
_HUNDREDS = rf"(?:an?|{_UNIT})[ -]hundred\b"
_THOUSANDS = rf"(?:an?|{_HUNDREDS}|{_SMALL})[ -]thousand\b(?:,? (?:{_UNIT}) hundred\b)?"
WORDS = rf"(?:(?:an?|{_SMALL})[ -]million\b|{_THOUSANDS}{_REST}|{_HUNDREDS}{_REST}|{_SMALL})"
"""A whole number in words, as `in_words` writes it."""

_VERBS = (
    "had has have is are was were holds? contains? includes? needs? wants? takes? gets? counts? adds? shows? offers?"
)
_BREAKS = "|".join(f"{_VERBS} and or plus but for of to with in than at only just exactly".split())
_QUALIFIED = "by this that which any every each no another other first last next right wrong same new good".split()
_AFTER_A = rf"an?(?: (?!(?:{_BREAKS})\b)[\w-]+){{0,2}}"
_AFTER_THE = rf"the(?: (?!(?:{_BREAKS})\b)[\w-]+)?"
_ONE_IS_A_THING = re.compile(rf"\b(?:{_AFTER_A}|{_AFTER_THE}|{'|'.join(_QUALIFIED)}|\w+est) $", re.IGNORECASE)
"""Before "one" where it stands for a thing and counts nothing: the cheapest one, a less bright one, another one."""
_ONE_IS_PART = r"(?! another\b| by one\b| that\b| which\b|['\u2019]|-(?:way|time|off|on|stop|size|sided)\b)"
_DIGITS_ONLY = re.compile(r"[^\d]")


def read_digits(text: str) -> int:
    """Return the whole number that `text` writes in digits, thousands marked or not."""
    return int(_DIGITS_ONLY.sub("", text))


def read_decimal(text: str) -> Decimal:
    """Return the number that `text` writes in digits with an optional decimal point."""
    whole, _, part = text.partition(".")
    return Decimal(f"{read_digits(whole)}.{part or 0}")


def read_words(text: str) -> int:
    """Return the whole number that `text` writes in words; `text` must match `WORDS`."""
    total, group = 0, 0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word == "and":
            continue
        scale = SCALES.get(word)
        if scale is None:
            group += _WORTH[word]
        elif scale == SCALES["hundred"]:
            group *= scale
        else:
            total, group = total + group * scale, 0
    return total + group


def in_words(number: int) -> str:
    """Return `number` in words, British style: one hundred and five.

    Raises:
        ValueError: the number is negative or above 99,999.
    """
    if not 0 <= number < 100_000:
        raise ValueError(f"cannot write {number!r} in words: it must lie between 0 and 99,999")
    if number < len(UNITS):
        return UNITS[number]
    if number < SCALES["hundred"]:
        unit = number % 10
        return TENS[number // 10 - 2] + (f"-{UNITS[unit]}" if unit else "")
    name, scale = next((name, scale) for name, scale in reversed(SCALES.items()) if number >= scale)
    head, rest = f"{in_words(number // scale)} {name}", number % scale
    if not rest:
        return head
    return f"{head} and {in_words(rest)}" if rest < SCALES["hundred"] else f"{head} {in_words(rest)}"


def exact(number: Decimal) -> int | float:
    """Return `number` in its one JSON form: an int when whole."""
    return int(number) if number == number.to_integral_value() else float(number)


def whole(number: Decimal) -> int | None:
    """Return `number` as an int, or None when it has a fraction."""
    return int(number) if number == number.to_integral_value() else None


def write_count(number: int) -> tuple[str, ...]:
    """Return the forms a writer may use for a whole number, plain digits first; words only where people use them."""
    round_enough = number <= 100 or (number % 100 == 0 and number <= 10_000)
    return (str(number), f"{number:,}", *([in_words(number)] if round_enough else []))


def write_percent(number: float) -> tuple[str, ...]:
    """Return the forms a writer may use for a percentage (15 means 15 %)."""
    digits = f"{Decimal(str(number)).normalize():f}"
    words = [f"{in_words(int(number))} percent"] if number == int(number) and number <= 100 else []
    return (f"{digits}%", f"{digits} %", f"{digits} percent", f"{digits} per cent", *words)


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _read_scaled(match: re.Match[str]) -> Value | None:
    return whole(read_decimal(match["number"]) * 1_000)


def _read_dozens(match: re.Match[str]) -> Value | None:
    stated = match["number"]
    if match["half"]:
        return 6 if stated is None else None
    return 12 if stated is None else 12 * (int(stated) if stated.isdigit() else read_words(stated))


def _read_one(match: re.Match[str]) -> Value | None:
    return None if _ONE_IS_A_THING.search(match.string[: match.start()]) else 1


COUNT_READERS = (
    Reader("count", _compile(rf"{LEFT}(?P<number>{DECIMAL})k{RIGHT}"), _read_scaled, ("k",), digits=True),
    Reader("count", _compile(rf"{LEFT}(?:{DECIMAL}){RIGHT}"), lambda match: whole(read_decimal(match[0])), digits=True),
    Reader(
        "count",
        _compile(rf"(?<!\w)(?=[aefnostz])(?!one\b(?!{_BIG})){WORDS}"),
        lambda match: read_words(match[0]),
        (*UNITS, *TENS, *SCALES),
    ),
    Reader("count", _compile(rf"(?<![\w-])one\b{_ONE_IS_PART}"), _read_one, ("one",)),
    Reader(
        "count",
        _compile(rf"\b(?P<half>half )?(?:an?|(?P<number>{_SMALL}|{LEFT}\d+)) dozen\b"),
        _read_dozens,
        ("dozen",),
    ),
)
PERCENT_READERS = (
    Reader(
        "percent",
        _compile(rf"{LEFT}(?P<number>{DECIMAL})(?:[ {NARROW}]?%|[ -]per ?cent\b)"),
        lambda match: exact(read_decimal(match["number"])),
        ("%", "cent"),
        digits=True,
    ),
    Reader(
        "percent",
        _compile(rf"\b(?P<number>{WORDS})[ -]per ?cent\b"),
        lambda match: read_words(match["number"]),
        ("cent",),
    ),
)
OTHER_READERS = tuple(
    # Times of day, ordinals, fractions and version-like chains look like counts and are none.
    Reader(None, _compile(pattern), lambda match: match[0], hints, digits=True)
    for pattern, hints in (
        (r"(?<!\w)\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\b\.?)?", (":",)),
        (r"(?<!\w)\d{1,2} ?[ap]\.?m\b\.?", ("am", "pm", "a.m", "p.m")),
        (r"(?<!\w)\d+(?:st|nd|rd|th)\b", ("st", "nd", "rd", "th")),
        (r"(?<![\w.])\d+(?:\.\d+){2,}", (".",)),
        (r"(?<![\w/])\d+(?:/\d+)+", ("/",)),
    )
)
