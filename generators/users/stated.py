"""Values that an assistant states where it asks whether to go on: whether they are what the user said or knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from language import agree, find
from language.asking import is_about, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generators.users.facts import Fact, Facts
    from language.spans import Value
    from schemas.base import Json

Verdict: TypeAlias = Literal["", "right", "wrong"]
"""Whether a value is stated at all, and then whether it is the user's."""
SHORT = 6
"""Words of a question that is about a number alone."""
_LIMITS = ("max_total", "budget")
"""Amounts of which a total may not be more."""
_PACKED = re.compile(r"\bpacks?\b|\bpack_|-pack\b", re.IGNORECASE)
"""Packs hold several: their number is none of units."""
_SINGLE = re.compile(r"\bsingle[ _-]packs?\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:in stock|left|available|ha(?:s|ve|d)|holds?|contains?|current(?:ly)?|bought|ordered|remov\w*|reduc\w*"
    r"|tak(?:e|ing) (?:\w+ )?(?:out|off)|calories?|grams?|order in)\b",
    re.IGNORECASE,
)
"""A sentence that tells how many there are, or how many go."""
_UNITS = re.compile(
    r"^\s*(?:x\b|\u00d7|units?\b|pieces?\b|items?\b|each\b|apiece\b|of (?:them|it|these|those|the)\b)", re.IGNORECASE
)
_BUYING = re.compile(r"\b(?:order|buy|get|purchase|take|quantity(?: of| is)?)\W*$", re.IGNORECASE)
_GAP = re.compile(r"\W*(?:(?!and\b|or\b)[a-z\u00d7]+\W+){0,2}\W*", re.IGNORECASE)
"""What may stand between a number and what it counts."""
_TOTAL = re.compile(r"\b(?:total\w*|for|costs?|comes to|amounts? to|altogether|sum)\b[^$.,;\d]{0,20}$", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:budget|limit|maximum|max|cap|at most|up to|no more than)\b[^$.,;\d]{0,12}$", re.IGNORECASE)
_LIMIT_BEHIND = re.compile(r"^\W*(?:budget|limit|maximum|max|cap)\b", re.IGNORECASE)
_OTHER_THING = re.compile(
    r"\b\d+\W*(?:(?:x|\u00d7|units?|pieces?|of|the|each)\W+){0,3}[A-Z][\w'\u2019&-]+(?:\s+[A-Z&][\w'\u2019&-]*)+"
)
"""A number of something with a proper name."""
_IDENTIFIES = re.compile(
    r"\b(?:is|was|are|were|would) (?:this|that|it|these|those) (?:be )?(?:the|what|which|your)\b"
    r"|\b(?:the|that|this|right|correct|same) one\b(?! or)|\b(?:do|did) you mean\b"
    r"|\bare you (?:referring|talking|thinking)\b",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """A yes-or-no question in its message."""

    sentence: str
    message: str
    today: str

    @property
    def identifies(self) -> bool:
        """Whether it asks if something is the thing meant."""
        return identifies(self.sentence)

    @property
    def near(self) -> str:
        """Where the thing is described that it asks about."""
        return self.message if self.identifies else self.sentence


def identifies(sentence: str) -> bool:
    """Return whether a question asks if something is the thing meant."""
    return _IDENTIFIES.search(sentence) is not None


def verdict(fact: Fact, value: Json, facts: Facts, question: Question) -> Verdict:
    """Return whether a question states a fact of the user's, whose value by now is `value`, and states it right."""
    kind = fact.slot.kind
    if kind == "count":
        return _judged(value, list(_counts(fact, facts, question)))
    if fact.base in _LIMITS and isinstance(value, int):
        return _of_limit(value, question)
    if kind in ("date", "period"):
        return _of_time(fact, value, [m.value for m in find(kind, question.near, (), question.today)])
    if kind == "name":
        return _of_name(fact, str(value), facts, question)
    return ""


def is_guess(fact: Fact, question: Question) -> bool:
    """Return whether a question guesses at a fact by words that say what it could be."""
    return bool(fact.guesses) and is_about(question.sentence, fact.guesses)


def _judged(value: Json, found: list[int]) -> Verdict:
    if not found:
        return ""
    return "right" if value in found else "wrong"


def _of_time(fact: Fact, value: Json, found: Sequence[Value]) -> Verdict:
    if not found:
        return ""
    return "right" if any(agree(fact.slot.kind, value, one) for one in found) else "wrong"


def _counts(fact: Fact, facts: Facts, question: Question) -> Iterator[int]:
    """Yield the numbers that stand where that of a fact would."""
    if _PACKED.search(_SINGLE.sub(" ", question.message)):
        return
    several = sum(other.base == fact.base for other in facts.all) > 1
    own = facts.companions(fact)
    only = not several or [other.name for other in facts.all if other.base == fact.base and other.kept_back] == [
        fact.name
    ]
    for said in sentences(question.message):
        if said != question.sentence and (said.endswith("?") or _ELSEWHERE.search(said)):
            continue
        mentions = [m for m in find("count", said, facts.words) if isinstance(m.value, int)]
        names = [m for m in find("term", said, facts.words) if m.value in own]
        alone = only and not names and said == question.sentence and len(said.split()) <= SHORT
        for mention in mentions:
            gaps = (said[min(m.end, n.end) : max(m.start, n.start)] for m in (mention,) for n in names)
            placed = any(len(gap) <= 20 and _GAP.fullmatch(gap) for gap in gaps)
            placed = placed or alone
            if not several:
                before, behind = said[: mention.start], said[mention.end :]
                placed = placed or bool(_BUYING.search(before) or _UNITS.search(behind))
            if placed and isinstance(mention.value, int):
                yield mention.value


def _of_limit(limit: int, question: Question) -> Verdict:
    """Return whether all totals are above a limit, or another limit is named."""
    totals: list[int] = []
    named: list[int] = []
    for said in sentences(question.message):
        for mention in find("money_cents", said):
            before, behind = said[: mention.start], said[mention.end :]
            if isinstance(mention.value, int):
                if _LIMIT.search(before) or _LIMIT_BEHIND.search(behind):
                    named.append(mention.value)
                elif _TOTAL.search(before):
                    totals.append(mention.value)
    if (totals and min(totals) > limit) or (named and limit not in named):
        return "wrong"
    return "right" if named else ""


def _of_name(fact: Fact, name: str, facts: Facts, question: Question) -> Verdict:
    """Return whether a name is said; where none of its kind is, another one is stated by a number of something else."""
    if find("term", question.message, (name, *facts.words)):
        return "right"
    other = fact.base == "product" and _OTHER_THING.search(question.message)
    return "wrong" if other or question.identifies else ""
