"""Whether one narrative says of a user what another one says, and nothing else.

The checks on a profile read facts back; what has no number and is no term of a vocabulary they do not see. So a new
narrative is closed: each of its words stands in the one before, or says nothing by itself (`neutral.yaml`). And as
known words can be joined to say something new, what turns a meaning may stand only where it stood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from validators.profiles.facts import DENIALS, numbers_in, sentences_of, stated_facts, terms_in, voices_of
from validators.profiles.shifts import shifts
from validators.profiles.words import neutral_stems, plain_words, stem

if TYPE_CHECKING:
    from schemas.profile import Profile

_LIMITED = re.compile(r"\b(?P<how>up to|no more and no less than) (?P<number>\S*\d)", re.IGNORECASE)
"""A number that is a limit, or expressly none."""
_TURNING = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|except|rather than|instead|hardly|barely|rarely"
    r"|seldom|avoid\w*|dislik\w*|hat(?:e|es|ing)|lack\w*|former\w*|more|less|fewer|least|most|under|over|above|below"
    r"|beyond|up to|only|just|if|unless|or)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Words that deny, limit or put under a condition what stands beside them."""
_TOPICS: Final = {
    field: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for field, pattern in {
        "health_risks": r"health|risks?|conditions?|liv\w+ with|manag\w+|eye on|care|record",
        "dietary_restrictions": r"diet\w*|eat\w*|meals?|foods?|kitchen|table|plate|menu|keep\w*|follow\w*|stay\w*"
        r"|stick\w*",
        "preferences.sport": r"enjoy\w*|lik\w+|lov\w+|prefer\w*|choos\w*|pick\w*|favou?rit\w*|sports?|exercis\w*"
        r"|workout\w*|mov\w+|shape|fitness|activit\w+",
        "preferences.food": r"enjoy\w*|lik\w+|lov\w+|prefer\w*|choos\w*|favou?rit\w*|foods?|plate|meals?|menu|eat\w*"
        r"|glad|taste\w*|dish\w*",
        "daily_goal": r"goals?|aim\w*|want\w*|target\w*|plan\w*|inten[dt]\w*|hop(?:e|es|ing)|should|striv\w*"
        r"|tr(?:y|ies|ying)|ha(?:ve|s) to|day is good",
        "budget": r"budget\w*|plan\w*|asid\w+|put\w*|spend\w*|costs?|reserv\w*",
        "activity": "",
        "body": "",
    }.items()
}
"""What a sentence speaks of that states a fact of the user alone: a field, or all fields of a part of the profile."""
_LIKED = frozenset({"preferences.sport", "preferences.food"})
_ALSO = frozenset({"age", "gender", "household.adults", "household.children"})
"""What a sentence may state that needs no topic."""
_OTHERS = re.compile(r"\b(?:household|home|adults?|child(?:ren)?|alone|nobody else)\b", re.IGNORECASE)
"""Who may be meant beside the user, or that there is nobody; money is spent for all of them."""
_SOMEBODY = re.compile(r"\bpersons?\b", re.IGNORECASE)
"""Who is not the user where the sentence does not name them."""
_BY_DAY = re.compile(r"\b(?:days?|daily|midnight)\b", re.IGNORECASE)
"""What a goal is for."""
_CLAUSE = re.compile(r"[,;:()]\s*")
_OFTEN = re.compile(r"\b(?:days?|daily|weeks?|weekly|months?|monthly|every|each)\b", re.IGNORECASE)
"""What says how often, where no number stands with it."""
_FOREIGN = re.compile(r"[^\w\s.,;:!()'\"$&/\u2010-\u2015\u2018-\u201d-]|_")
"""Signs that no narrative has."""


def fact_faults(profile: Profile, text: str) -> Iterator[str]:
    """Yield the facts that `text` lacks, and those it states that the narrative of `profile` does not."""
    was, now = _facts(profile.narrative), _facts(text)
    yield from (f"it lacks {was[fact]!r} ({fact[0]})" for fact in was if fact not in now)
    yield from (f"it states {now[fact]!r} ({fact[0]}), which the narrative does not" for fact in now if fact not in was)


def sense_faults(profile: Profile, text: str) -> Iterator[str]:
    """Yield where `text` may say of the user, in known words, what the narrative of `profile` does not say."""
    was, now = ("first" in voices_of(one) for one in (profile.narrative, text))
    if was != now:
        yield f"it is not written in {'first' if was else 'third'} person, as the narrative is"
    known = set(_turning(profile.narrative, profile.narrative))
    for word in dict.fromkeys(_turning(text, profile.narrative)):
        if word not in known:
            yield f"it says {word!r} where the narrative does not"
    for sentence in sentences_of(text):
        yield from _sentence_faults(profile, sentence)
    foreign = dict.fromkeys(_FOREIGN.findall(text))
    if foreign:
        yield f"it holds signs that no narrative has: {' '.join(foreign)}"


def word_faults(profile: Profile, text: str) -> Iterator[str]:
    """Yield the words of `text` that neither stand in the narrative of `profile` nor are neutral."""
    known = neutral_stems() | set(map(stem, plain_words(profile.narrative)))
    used = dict.fromkeys(word.lower() for word in plain_words(_without_denials(text)))
    new = [word for word in used if stem(word) not in known]
    if new:
        yield f"it may add something to the narrative by these words, leave them out: {', '.join(new)}"


REWORDING_CHECKS: tuple[tuple[str, Callable[[Profile, str], Iterator[str]]], ...] = (
    ("rewrite.facts", fact_faults),
    ("rewrite.words", word_faults),
    ("rewrite.sense", sense_faults),
)
"""Name of each check on a new text for a profile, and the function that yields its faults; more than PROFILE_CHECKS."""


def _facts(text: str) -> dict[tuple[str, object], str]:
    """Return what a narrative states, upper limits among it."""
    limits = {("limit", match["number"]): match[0] for match in _limits(text) if match["how"].lower() == "up to"}
    return {**stated_facts(text), **limits}


def _limits(text: str) -> Iterator[re.Match[str]]:
    yield from _LIMITED.finditer(text)


def _turning(text: str, narrative: str) -> Iterator[str]:
    """Yield the turning words of a text that are neither of a denial nor of a limit that stands in `narrative`."""
    for match in _limits(narrative):
        text = text.replace(match[0], match["number"])
    yield from (match[0].lower() for match in _TURNING.finditer(_without_denials(text)))


def _without_denials(text: str) -> str:
    """Return a text without the denials that are facts."""
    for denial in DENIALS:
        text = re.sub(denial.phrase, " ", text, flags=re.IGNORECASE)
    return text


def _sentence_faults(profile: Profile, sentence: str) -> Iterator[str]:
    """Yield where a sentence states nothing, or facts as something else than they are, or perhaps of somebody else."""
    names = (profile.name.given, profile.name.family)
    facts, named = stated_facts(sentence), any(name in sentence for name in names)
    if not facts and not named:
        yield f"it states no fact of the narrative, leave it out: {sentence!r}"
    stated: dict[str, str] = {}
    for part, written in _of_user(sentence):
        stated.setdefault(part, written)
    for part, written in stated.items():
        if not _TOPICS[part].search(sentence):
            yield f"nothing in the sentence tells what {written!r} is to the user: {sentence!r}"
    if "health_risks" in stated and _LIKED & stated.keys():
        yield f"say in a sentence of its own that there is {stated['health_risks']!r}"
    yield from shifts(sentence, {*stated, *(field.partition(".")[0] for field, _ in facts if field in _ALSO)})
    if "daily_goal" in stated and not _BY_DAY.search(sentence):
        yield f"say that {stated['daily_goal']!r} is the goal of a day: {sentence!r}"
    own = [written for part, written in stated.items() if part != "budget"]
    others = _OTHERS.search(sentence) or (None if named else _SOMEBODY.search(sentence))
    if own and others:
        yield f"{others[0]!r} stands beside {own[0]!r}: say in another sentence who lives there"
    for clause in dict.fromkeys((sentence, *_CLAUSE.split(sentence))):
        yield from _often_faults(clause)


def _often_faults(clause: str) -> Iterator[str]:
    """Yield how often something is so of the user, by what is said of it."""
    own = {part: written for part, written in _of_user(clause) if part != "budget"}
    often = _OFTEN.search(clause)
    if own and often and "activity" not in own and not any(numbers_in(clause)):
        yield f"{often[0]!r} says how often it is so of {next(iter(own.values()))!r}"


def _of_user(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of the profile of which a sentence states facts that are the user's alone, and how."""
    for mention, facts in numbers_in(sentence):
        for part in sorted({fact.partition(".")[0] for fact in facts} & _TOPICS.keys()):
            yield part, sentence[mention.start : mention.end]
    for field, mention in terms_in(sentence):
        if field in _TOPICS:
            yield field, sentence[mention.start : mention.end]
