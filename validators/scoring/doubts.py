"""Whether a value is stood by: not one of several, not said with a doubt, not the end of a range, and not denied."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from language.spans import Mention

_DASHES = r"\u2013\u2014-"
_NOT = r"(?:\bnot|n['\u2019]t)"
_JOINED = re.compile(
    rf"^[\s,;/{_DASHES}]*(?:or|and|and/or|or maybe|or perhaps|maybe|to)?[\s,]*"
    r"(?:about |perhaps |maybe |even |the )?$",
    re.IGNORECASE,
)
_JUST_BEFORE = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|some|something like|maybe|perhaps|probably|"
    r"possibly|likely|either|between|~)\s*$",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|supposedly|allegedly|might be|may be|could be|"
    r"(?:may|might|could) have been|either|i (?:think|believe|guess|suppose|assume)|"
    r"not (?:\w+ )?(?:sure|certain)|unsure|i'd guess|seems to be|presumably|or so|give or take|"
    r"one of (?:these|the following)|somewhere|estimate|tie between)\b|"
    rf"{_NOT} (?:check|verify|double-check)\b",
    re.IGNORECASE,
)
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:at (?:least|most)|(?:more|less|fewer|higher|lower) than|upwards of|over|under|above|below|"
    rf"as (?:much|many) as|up to)\s*|[<>]=?\s*|\d[{_DASHES}]|\$[\d.,]+\s?[{_DASHES}]\s?)$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    rf"^(?:\+|-?ish\b|[{_DASHES}]\d|\s?[{_DASHES}]\s?\$\d|"
    r",? (?:or|and) (?:more|less|fewer|higher|lower|above|below|up)\b)",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    rf"(?:{_NOT}|\bnever|\bcannot|\banything but|\bwrong (?:that|to say)(?: \w+){{1,4}})"
    r"(?: (?:be|been|on|at|exactly|just|really|actually|takes?|cost|placed?|have|a|the|total|(?:come|amount) to)){0,2}"
    r" $",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^ (?:(?:is|was|does|did|has|would)(?:n['\u2019]t| not)|(?:is|was) wrong|never)\b(?=\s*[;,.:]|\s+(?:the |a )?"
    r"(?:win\w*|cheap\w*|best|top|closest|most|highest|lowest|right|correct|it)\b)",
    re.IGNORECASE,
)

NEAR = 80
"""Characters around a value that say how it is meant."""


def is_hedged(text: str, one: Mention, mentions: Sequence[Mention]) -> bool:
    """Return whether a value is not stood by: said with a doubt, as the end of a range, or as one of several."""
    before, after = around(text, one)
    if _JUST_BEFORE.search(before) or is_unsure(text):
        return True
    if isinstance(one.value, (int, float)) and (_BOUND_BEFORE.search(before) or _BOUND_AFTER.search(after)):
        return True
    for other in mentions:
        if other.start - one.end > NEAR or one.start - other.end > NEAR:
            continue
        between = text[one.end : other.start] if one.end <= other.start else text[other.end : one.start]
        if other.value != one.value and _JOINED.match(between):
            return True
    return False


@lru_cache(maxsize=64)
def is_unsure(text: str) -> bool:
    """Return whether a sentence is said with a doubt."""
    return bool(_UNSURE.search(text))


def is_denied(text: str, one: Mention) -> bool:
    """Return whether a sentence says that it is not this value."""
    before, after = around(text, one)
    return bool(_DENIED_BEFORE.search(before) or _DENIED_AFTER.search(after))


def around(text: str, one: Mention) -> tuple[str, str]:
    """Return what stands just before and just after a value: a report may hold hundreds of values in one sentence."""
    return text[max(0, one.start - NEAR) : one.start], text[one.end : one.end + NEAR]
