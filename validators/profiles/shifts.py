"""Ways in which a sentence of known words says of a fact something else than it is: a goal, a judgement, another's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_GOALS = r"goals?|aim\w*|want\w*|target\w*|plan\w*|inten[dt]\w*|hop(?:e|es|ing)|striv\w*|tr(?:y|ies|ying)"
_DUTIES = r"ha(?:ve|s) to|should|need\w*|requir\w*"
_LIKES = r"enjoy\w*|lik(?:e|es|ing)|lov(?:e|es|ing)|prefer\w*|favou?r\w*"
_BODY = r"health|weight|height|shape|condition|fitness"
_PRAISE = r"good|normal|full|ordinary|typical|usual"
_USER = r"me|myself|her|herself|him|himself|them|themselves"
_IN_A_HOME = r"\b(?:in|of) (?:an?|the|my|her|his|their) (?:home|household) with\b"
_LIKED = frozenset({"preferences.sport", "preferences.food"})


class _Shift(NamedTuple):
    """What a sentence must not say beside the facts that it states."""

    parts: frozenset[str]
    """Parts of the profile; the sentence states one of them, any if there are none."""
    only: frozenset[str]
    """Parts beside which there is no other one in the sentence; empty where that is all the same."""
    words: re.Pattern[str]
    tells: str
    """What is wrong then."""


def _shift(words: str, tells: str, *parts: str, only: Collection[str] = ()) -> _Shift:
    return _Shift(frozenset(parts), frozenset(only), re.compile(words, re.IGNORECASE), tells)


_OF_BODY = ("body", "activity")
_SHIFTS: Final = (
    _shift(
        rf"\b(?:{_GOALS}|need\w*|requir\w*)\b",
        "makes a goal of how the user is",
        *_OF_BODY,
        only=(*_OF_BODY, "age", "gender", "household"),
    ),
    _shift(
        rf"\b(?:{_GOALS}|need\w*|requir\w*) to (?:be|stay|keep|weigh|measure|stand)\b",
        "makes a goal of how the user is",
        *_OF_BODY,
    ),
    _shift(r"\b(?:good|normal)\b", "judges the body", "body"),
    _shift(
        rf"\b(?:{_PRAISE})\W+(?:\w+\W+)?(?:{_BODY})\b|\b(?:{_BODY})\W+(?:is|are|be|stay\w*|keep\w*)\W+(?:\w+\W+)?"
        rf"(?:{_PRAISE})\b",
        "judges health or body",
    ),
    _shift(r"\b(?:concerns?|meetings?|callings?)\b", "adds something"),
    _shift(
        rf"\b(?:{_GOALS}|{_DUTIES}|health)\b",
        "makes a goal or a duty of what the user likes",
        *_LIKED,
        only=(*_LIKED, "age", "gender"),
    ),
    _shift(
        rf"\b(?:{_GOALS}|{_LIKES})\b",
        "makes a wish of what the user has to keep to",
        "dietary_restrictions",
        only=("dietary_restrictions", "age", "gender"),
    ),
    _shift(r"\b(?:days?|daily)\b", "divides a budget otherwise", "budget"),
    _shift(r"\b(?:each|every|per|for an?) (?:adult|child|person)\b", "divides a budget otherwise", "budget"),
    _shift(
        r"\b(?:adults?|child(?:ren)?)\W+(?:\w+\W+){0,2}?(?:aged|of(?: the)? age|of \S+ years)\b",
        "may tell the age of somebody else",
        "age",
    ),
    _shift(
        rf"\b(?:shar|liv|stay|keep|meet|spend)\w*\b(?!.*{_IN_A_HOME})"
        rf".*\bwith\b.*\badults?\b|\b(?:{_USER})(?:,| and| plus| with| as well as) .*\badults?\b",
        "counts the user beside the adults of the household, who are among them",
        "household",
    ),
)


def shifts(sentence: str, parts: Collection[str]) -> Iterator[str]:
    """Yield what a sentence makes of facts that it is not, `parts` being those of the profile that it states."""
    told: set[str] = set()
    for one in _SHIFTS:
        if (
            one.tells in told
            or (one.parts and one.parts.isdisjoint(parts))
            or (one.only and not one.only.issuperset(parts))
        ):
            continue
        found = one.words.search(sentence)
        if found:
            told.add(one.tells)
            yield f"{found[0]!r} {one.tells}: {sentence!r}"
