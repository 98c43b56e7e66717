"""Does the narrative state facts of the record and nothing else?

The text is read back: every number with its cue, every term of the vocabularies, every name and every denial must be
what the record says. A number without a known cue, or a name that is not the user's, fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import Final

from language.matching import find
from language.spans import Kind, Value
from schemas.profile import Profile
from validators.profiles.context import ProfileContext
from validators.profiles.facts import (
    ACTIVITIES,
    DENIALS,
    NOUNS,
    VOCABULARIES,
    VOCABULARY,
    numbers_in,
    sentences_of,
    terms_in,
    voices_of,
)
from validators.profiles.words import neutral_stems, stem

WORDS: Final = (80, 120)
"""Fewest and most words."""
_FOREIGN: tuple[Kind, ...] = ("percent", "date", "period")
"""Kinds of values that a profile has no fact of."""
_OPENERS = frozenset(
    "a all also an and as at but by day each every everything food for from given he her his home i if in it meals "
    "meet most my no nobody of often on one our she since so sometimes sport that the their there they this to usually "
    "we what when where while with you".split()
)
"""Words that may start a sentence with a capital letter and are no names, beside the neutral ones and the terms."""
_SELF = frozenset({"I", "I'm", "I've"})
_PART = re.compile(r"[^\W_]+")


def length_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield a fault when the narrative is too short or too long."""
    count = len(profile.narrative.split())
    if not WORDS[0] <= count <= WORDS[1]:
        yield f"the narrative has {count} words, not {WORDS[0]} to {WORDS[1]}"


def narrative_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield what the narrative states and the record does not, and what it must state and does not."""
    sentences = sentences_of(profile.narrative)
    yield from _term_faults(profile)
    yield from _number_faults(profile, sentences)
    yield from _denial_faults(profile)
    yield from _capital_faults(profile, sentences)
    yield from _pronoun_faults(profile)


def _term_faults(profile: Profile) -> Iterator[str]:
    stated = {str(mention.value) for _, mention in terms_in(profile.narrative)}
    for field, own in (
        ("health_risks", profile.health_risks),
        ("dietary_restrictions", profile.dietary_restrictions),
        ("preferences.sport", profile.preferences.sport),
        ("preferences.food", profile.preferences.food),
    ):
        said = stated & set(VOCABULARIES[field])
        yield from (f"the narrative states {item}, which is not in {field}" for item in sorted(said - set(own)))
        yield from (f"the narrative leaves out {item} of {field}" for item in sorted(set(own) - said))
    for term in sorted(stated & ACTIVITIES.keys()):
        if ACTIVITIES[term] != profile.activity:
            yield f"the narrative says {term}, activity is {profile.activity}"
    for term in sorted(stated & NOUNS.keys()):
        if NOUNS[term] != profile.gender:
            yield f"the narrative says {term}, gender is {profile.gender}"


def _number_faults(profile: Profile, sentences: Sequence[str]) -> Iterator[str]:
    stated: set[str] = set()
    for sentence in sentences:
        for mention, facts in numbers_in(sentence):
            if len(facts) != 1:
                yield f"nothing, or more than one thing, tells what {mention.value} means in {sentence!r}"
                continue
            (fact,) = facts
            stated.add(fact)
            yield from _value_faults(profile, fact, mention.value)
        for kind in _FOREIGN:
            yield from (f"no fact is a {kind} such as {found.value}" for found in find(kind, sentence, VOCABULARY))
    needed = ["age"]
    if not re.search(r"\balone\b", profile.narrative):
        needed.append("household.adults")
    if profile.household.children:
        needed.append("household.children")
    yield from (f"the narrative leaves out {fact}" for fact in needed if fact not in stated)


def _value_faults(profile: Profile, fact: str, stated: Value) -> Iterator[str]:
    value = attrgetter(fact)(profile)
    if stated != value:
        yield f"the narrative states {stated} for {fact}, which is {value}"


def _denial_faults(profile: Profile) -> Iterator[str]:
    for denial in DENIALS:
        found = re.search(denial.phrase, profile.narrative, re.IGNORECASE)
        if found and not denial.holds(profile):
            yield f"the narrative says {found[0]!r}, the record says otherwise"


def _capital_faults(profile: Profile, sentences: Sequence[str]) -> Iterator[str]:
    """Yield names that are not the user's: capitals inside a sentence, and unusual words at its start."""
    own = {profile.name.given, profile.name.family}
    if f"{profile.name.given} {profile.name.family}" not in profile.narrative:
        yield f"the narrative does not name {profile.name.given} {profile.name.family}"
    for sentence in sentences:
        first, *others = re.findall(r"\b[A-Za-z][\w'-]*", sentence) or [""]
        if _named(first) not in own and not _may_open().issuperset(map(stem, _PART.findall(first))):
            yield f"{first!r} starts a sentence and may be a name"
        for word in others:
            if word[0].isupper() and word not in _SELF and _named(word) not in own:
                yield f"{word!r} is not the user's name"


def _named(word: str) -> str:
    """Return the name of which a word may be the possessive."""
    return word.removesuffix("'s")


@cache
def _may_open() -> frozenset[str]:
    terms = (part for term in VOCABULARY for part in _PART.findall(term.replace("_", " ")))
    return neutral_stems() | {stem(word) for word in (*_OPENERS, *terms)}


def _pronoun_faults(profile: Profile) -> Iterator[str]:
    used = voices_of(profile.narrative)
    if len(used) > 1:
        yield f"the narrative speaks in more than one person: {', '.join(sorted(used))}"
    for who in sorted(used - {"first", profile.gender}):
        yield f"the narrative uses {who} pronouns, gender is {profile.gender}"
