"""Whether one request asks for the same as another, as far as words other than its slots say it.

The checks on a task read its slots back; a limit turned round, a condition dropped or a permission lost they do not
see. So both texts must hold the same kinds of words that turn a meaning, and no mark of a writer that speaks of itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from language.asking import is_about
from language.terms import singular
from validators.selection.masking import masked, stated_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json

_TURNS = {
    "a denial": r"\b(?:not|no|never|none|nothing|without|cannot|dont|except|but not|other than|skip|avoid|exclud\w*"
    r"|leave out|isnt|arent|cant|wont|free of)\b|n['\u2019]t\b",
    "a condition": r"\b(?:if|unless|in case|otherwise|provided|as long as|should (?:it|that|there|they)|only when)\b",
    "an upper limit": r"\b(?:at most|no more than|not more than|under|below|less than|up to|max(?:imum)?|within|limit"
    r"|budget|exceed|cheaper than|fewer than|or less|not over|can spend|tops)\b",
    "a lower limit": r"\b(?:at least|no less than|over|above|more than|min(?:imum)?|or more|from)\b",
    "an exchange": r"\b(?:instead|replace|swap|rather than|in place of|substitut\w*|exchange)\b",
    "an undoing": r"\b(?:cancel|delete|remove|return|undo|take (?:it |that |them )?(?:out|back|off)|send back|get rid"
    r"|give (?:it |that |them )?back|drop|erase|clear|empty)\b",
}
"""Kinds of words without which a request means something else."""
_LIMITS = ("an upper limit", "a lower limit")
_FOREIGN = re.compile(
    r"\b(?:the user|the assistant|as an ai|language model|rewritten|rephrased|here is|here's (?:a|the) re)\b|```"
    r"|[{}<>]",
    re.IGNORECASE,
)
LONGEST, SLACK = 2, 80
"""A text may have so many times the signs of the other one, and so many more."""


KEPT = 3
"""One of so many of the words that say what a request is about must stay."""
_LEAST = 4
"""Letters of a word that says something."""
_EMPTY = frozenset(
    "about also again been before could does doing done each from have help here into just like make many more much"
    " need only over please really same should some something sure tell than thank thanks that their them then there"
    " these they thing this those time very want well were what when where which will with would wish your"
    " moneycents count percent date period term name text bool".split()
)


def rewording_faults(record: Mapping[str, Json], text: str, today: str = "") -> Iterator[str]:
    """Yield why `text`, written on the day `today`, may ask for something else than a task given as JSON data."""
    before, script = str(record["instruction"]), cast("dict[str, Json]", record["script"])
    for what, pattern in _TURNS.items():
        was, now = (re.search(pattern, one, re.IGNORECASE) is not None for one in (before, text))
        if was and not now:
            yield f"it lacks {what}, which the request has"
        elif now and not was and not (what in _LIMITS and _has_limit(before)):
            yield f"it holds {what}, which the request has not"
    for name in cast("list[str]", script["permits"]):
        if is_about(before, [name]) and not is_about(text, [name]):
            yield f"it does not speak of the {name}, which the request permits"
    yield from _lost_words(record, before, text, today)
    if "?" in before and "?" not in text:
        yield "it asks no question, which the request does"
    if _FOREIGN.search(text):
        yield "it holds what no person writes to an assistant"
    if len(text) > LONGEST * len(before) + SLACK:
        yield "it is much longer than the request"


def _lost_words(record: Mapping[str, Json], before: str, text: str, today: str) -> Iterator[str]:
    """Yield that too few words are left that say what a request is about."""
    values = stated_values(record)
    was, now = (
        {singular(word) for word in masked(one, values, today) if len(word) >= _LEAST and word not in _EMPTY}
        for one in (before, text)
    )
    if KEPT * len(was & now) < len(was):
        yield f"it hardly speaks of what the request is about: {', '.join(sorted(was - now))}"


def _has_limit(text: str) -> bool:
    """Return whether a text sets a limit, which may be put in words that are found in either kind."""
    return any(re.search(_TURNS[what], text, re.IGNORECASE) for what in _LIMITS)
