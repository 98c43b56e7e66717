"""The values of one kind of answer that stand in a piece of text."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, cast

from language.dates import same_date
from language.matching import find
from language.spans import Mention
from language.terms import same_term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from language.spans import Kind
    from schemas.base import Json

_KINDS: Mapping[str, Kind] = {
    "money_cents": "money_cents",
    "count": "count",
    "percent": "percent",
    "date": "date",
    "name": "name",
    "names": "name",
    "term": "term",
}
_DECIMAL = re.compile(
    r"(?<![\w$\u20ac.,/:-])(?<!USD )\d+(?:,\d{3})*(?:\.\d+)?(?=(?:\s?[a-zA-Z]|[\s.,;:)!?]|$))(?!\.?\d)"
)
_NO_UNITS = re.compile(
    r"\b(?:no|zero)(?= (?:more |single )?(?:units?|items?|pieces?|packs?|orders?|vouchers?)\b)|\bnone\b"
)
_DURATION = re.compile(r"^[\s-]?(?:hours?|minutes?|seconds?|days?|weeks?|months?|years?)\b", re.IGNORECASE)
_PART_OF = re.compile(r"\bof (?:your |the |these |those |all |my |its |them )*$", re.IGNORECASE)
_FOREIGN = re.compile(r"^\s?(?:EUR|GBP|CHF|JPY|CNY|euros?|pounds?|yen|francs?|\u20ac|\u00a3)(?!\w)", re.IGNORECASE)
"""Behind a number, another currency than the one that there is."""
_PHRASES: Mapping[str, re.Pattern[str]] = {
    "over_limit": re.compile(
        r"\b(?:over|above|beyond|exceed(?:s|ed|ing)?|past|higher than|more than (?:your|the|that|this)|outside|"
        r"too (?:much|expensive)|over_limit|breaks|"
        r"not (?:be |stay |come )?(?:within|under|inside|in|below|fit|keep|stay))\b"
    ),
    "within_limit": re.compile(
        r"(?<!not )\b(?:within|under|below|inside|fits?|keeps? to|stays? (?:in|at)|less than (?:your|the|that|this)|"
        r"(?:not|never|hardly|neither|nor) (?:be |go |come )?(?:over|above|exceed|more)|"
        r"within_limit|in budget|to spare)\b"
    ),
}
"""Words of a closed vocabulary that stand in no column, with what people say for them."""
_ASKED = re.compile(r"\b(?:whether|if|asked|wanted to know)\b[^,:.;]*[,:.;]|\bwithin (?:the limit )?or over(?: it)?\b")


class Words(NamedTuple):
    """What a report may name, and the day it is written."""

    vocabulary: tuple[str, ...]
    """Names or terms among which the answer is one; for other kinds, phrases that may hold numbers."""
    today: str


def mentions_of(kind: str, value: Json, text: str, words: Words) -> list[Mention]:
    """Return the values of the kind of an answer that stand in `text`; `value` is the answer itself, as an example."""
    if kind == "term" and value in _PHRASES:
        return _phrases(text)
    if kind == "decimal":
        return _decimals(text, words)
    found = find(_KINDS[kind], text, words.vocabulary, words.today)
    if kind == "money_cents":
        own = [one for one in found if not _FOREIGN.match(text[one.end :])]
        return [Mention(abs(cast("int", one.value)), one.start, one.end) for one in own]
    if kind == "count":
        counted = [one for at, one in enumerate(found) if _counts(text, found[at - 1] if at else None, one)]
        nothing = [Mention(0, one.start(), one.end()) for one in _NO_UNITS.finditer(text.lower())]
        taken = {one.start for one in counted}
        return sorted([*counted, *(one for one in nothing if one.start not in taken)], key=lambda one: one.start)
    return found


def _counts(text: str, before: Mention | None, one: Mention) -> bool:
    """Return whether a number counts something: not the 24 of "24 hours", nor the 5 of "2 of your 5 vouchers"."""
    if _DURATION.match(text[one.end :]):
        return False
    return before is None or not _PART_OF.search(text[before.end : one.start])


def equal(kind: str, one: Json, other: Json) -> bool:
    """Return whether two values are one answer."""
    if kind == "date":
        return same_date(str(one), str(other))
    if isinstance(one, str) and isinstance(other, str):
        return one == other or same_term(one, other)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _phrases(text: str) -> list[Mention]:
    lowered = text.lower().replace("\u2019", "'").replace("doesn't", "does not").replace("isn't", "is not")
    lowered = _ASKED.sub(lambda match: " " * len(match[0]), lowered)
    over = [Mention("over_limit", one.start(), one.end()) for one in _PHRASES["over_limit"].finditer(lowered)]
    within = [Mention("within_limit", one.start(), one.end()) for one in _PHRASES["within_limit"].finditer(lowered)]
    # "not over" is within, and "not within" over: the longer reading of two that overlap is meant.
    found = sorted([*over, *within], key=lambda one: (one.start, -one.end))
    kept: list[Mention] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _decimals(text: str, words: Words) -> list[Mention]:
    others: Sequence[Mention] = [
        *find("date", text, words.vocabulary, words.today),
        *find("percent", text, words.vocabulary),
        *find("name", text, words.vocabulary),
        *(one for one in find("money_cents", text, words.vocabulary) if "$" in text[one.start : one.end]),
    ]
    return [
        Mention(_number(match[0]), match.start(), match.end())
        for match in _DECIMAL.finditer(text)
        if not any(one.start < match.end() and match.start() < one.end for one in others)
        and not ("." not in match[0] and _DURATION.match(text[match.end() :]))
    ]


def _number(text: str) -> int | float:
    number = Decimal(text.replace(",", ""))
    return int(number) if number == number.to_integral_value() else float(number)
