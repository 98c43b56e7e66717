"""Which of the values in a report stand with the cue of an answer.

Each word of a cue belongs to the value nearest to it in its sentence, and each value to the word nearest to it: where
that is a word for another thing, such as the balance next to a total, the value is left alone.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from validators.scoring.doubts import around, is_denied, is_hedged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from language.spans import Mention
    from validators.scoring.cues import Cue
    from validators.scoring.segments import Segment

_BOUNDARY = re.compile(r"[,;()\u2014]| - | \u2013 |\b(?:and|but|while|whereas|which|so|because|since|as)\b")
_TOKEN = re.compile(r"[\w$']+")
_EACH = re.compile(
    r"^\s*(?:\(?each\b|apiece|a piece|per (?:unit|item|piece|pack)|a unit|a pack|/ ?(?:unit|pack|item))", re.IGNORECASE
)
_THAN = re.compile(
    r"(?:\b(?:than|versus|vs\.?|compared (?:to|with)|rather than|instead of|unlike|over|beats|not|against|"
    r"whereas|while|from the|and not)\s+(?:the |that of |those of |for |with )?[\"'\u201c]?)$",
    re.IGNORECASE,
)
FAR = 30
"""Most words between a cue and its value."""
_FAR_APART = 600
"""Characters that hold more words than that."""

LABEL = 7
"""Words that a label before a colon has at most."""


class Attached(NamedTuple):
    """One value that stands with a cue."""

    mention: Mention
    rank: int
    """How much more of the cue stands around it."""
    hedged: bool
    """Whether it is not stood by, or named together with another one."""


def attached(segment: Segment, mentions: Sequence[Mention], cue: Cue, *, compares: bool) -> list[Attached]:
    """Return the values of a sentence that stand with a cue; of names that are compared, the one that it is said of."""
    text = segment.text
    usable = [one for one in mentions if _may_be_meant(text, one, compares=compares)]
    if not usable:
        return []
    heads = _spans(cue.head, text, mentions)
    if not heads and cue.head.search(segment.heading):
        heads = [(0, 0)]
    if not heads:
        return []
    others = _spans(cue.others, text, mentions)
    rank = sum(bool(words.search(text) or words.search(segment.heading)) for words in cue.beside)
    chosen: dict[int, Mention] = {}
    for head in heads:
        best = min(usable, key=lambda one: _distance(text, head, one))
        nearest = _distance(text, head, best)
        if nearest <= FAR and not any(_distance(text, other, best) < nearest for other in others if other not in heads):
            chosen[best.start] = best
    return [Attached(one, rank, is_hedged(text, one, mentions)) for one in chosen.values()]


def _spans(words: re.Pattern[str], text: str, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Return where words stand outside of values."""
    spans = (found.span() for found in words.finditer(text))
    return [span for span in spans if not any(one.start <= span[0] < one.end for one in mentions)]


def _may_be_meant(text: str, one: Mention, *, compares: bool) -> bool:
    before, after = around(text, one)
    if _EACH.search(after[:16]) or is_denied(text, one):
        return False
    return not (compares and _THAN.search(before))


def _distance(text: str, head: tuple[int, int], one: Mention) -> float:
    start, end = head
    if start < one.end and one.start < end:
        return 0
    if one.start - end > _FAR_APART or start - one.end > _FAR_APART:
        return math.inf
    after = one.start >= end
    between = text[end : one.start] if after else text[one.end : start]
    words = len(_TOKEN.findall(between))
    boundaries = len(_BOUNDARY.findall(between))
    label, colon, rest = between.partition(":")
    if after and colon and len(_TOKEN.findall(label)) < LABEL and len(_TOKEN.findall(rest)) < 2:
        # "Total for three units: …" names its value after the colon.
        return 0.25 + 0.01 * words
    return words + 3 * boundaries + (0 if after else 0.5)
