"""Values found in text: where they stand, and how overlapping readings are settled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from re import Match, Pattern
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["money_cents", "count", "percent", "date", "period", "term", "name", "text", "bool"]
"""What sort of value a piece of text states."""
Value: TypeAlias = bool | int | float | str | tuple[str, str]
"""A value as read: cents, a number, a percentage, an ISO date, a pair of ISO dates, a vocabulary entry, a truth."""


class Mention(NamedTuple):
    """One value that stands in a text, at `text[start:end]`."""

    value: Value
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reader:
    """One way a value is written: what it looks like and what it means.

    `kind` is None for text that looks like a value and is none, such as a time of day: it is claimed, never reported.
    `read` returns None when the match is not a value after all (31 February). A text in which none of `hints` stands,
    in lower case, is not searched, and neither is one without a digit where `digits` says that there must be one.
    """

    kind: Kind | None
    pattern: Pattern[str]
    read: Callable[[Match[str]], Value | None]
    hints: tuple[str, ...] = ("",)
    digits: bool = False


class Claim(NamedTuple):
    """A stretch of text claimed by one reader."""

    kind: Kind | None
    mention: Mention


_DIGIT = re.compile(r"\d")
_ALIKE = str.maketrans("\u0130\u0131\u017f\u212a", "iisk")
"""Letters that patterns which ignore case take for others: read as these, they are the words that readers know."""


def claims(readers: Iterable[Reader], text: str) -> list[Claim]:
    """Return every reading of `text`, overlapping ones included, earlier readers first."""
    found: list[Claim] = []
    text = text if text.isascii() else text.translate(_ALIKE)
    lowered = text.lower()
    numbered = _DIGIT.search(text) is not None
    for reader in readers:
        if (reader.digits and not numbered) or not _any_in(reader.hints, lowered):
            continue
        for match in reader.pattern.finditer(text):
            value = reader.read(match)
            if value is not None:
                found.append(Claim(reader.kind, Mention(value, match.start(), match.end())))
    return found


def _any_in(hints: tuple[str, ...], text: str) -> bool:
    for hint in hints:  # noqa: SIM110 - a generator would cost more than the tests
        if hint in text:
            return True
    return False


def settle(found: Iterable[Claim]) -> list[Claim]:
    """Keep the leftmost claims, the longest of those that start together, the first of equals; drop what overlaps."""
    kept: list[Claim] = []
    end = 0
    for claim in sorted(found, key=lambda claim: (claim.mention.start, -claim.mention.end)):
        if claim.mention.start >= end:
            kept.append(claim)
            end = claim.mention.end
    return kept
