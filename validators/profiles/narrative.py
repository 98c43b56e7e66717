"""Does the narrative state facts of the record and nothing else?

The text is read back: every number with its cue, every term of the vocabularies, every name and every denial must be
what the record says. A number without a known cue, or a name that is not the user's, fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, NamedTuple, get_args

from language.matching import find
from language.spans import Kind, Mention, Value
from schemas.profile import Profile
from schemas.profile_facts import Diet, Food, Risk, Sport
from validators.profiles.context import ProfileContext

WORDS: Final = (80, 120)
"""Fewest and most words."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ACTIVITIES = {
    "sedentary": "sedentary",
    "lightly active": "light",
    "moderately active": "moderate",
    "very active": "active",
}
_NOUNS = {"woman": "female", "man": "male", "non-binary": "non_binary"}
_PRONOUNS = {
    "first": frozenset({"i", "me", "my", "mine", "myself"}),
    "female": frozenset({"she", "her", "hers", "herself"}),
    "male": frozenset({"he", "him", "his", "himself"}),
    "non_binary": frozenset({"they", "them", "their", "theirs", "themself", "themselves"}),
}
_VOCABULARIES: dict[str, tuple[str, ...]] = {
    "health_risks": get_args(Risk),
    "dietary_restrictions": get_args(Diet),
    "preferences.sport": get_args(Sport),
    "preferences.food": get_args(Food),
    "activity": tuple(_ACTIVITIES),
    "gender": tuple(_NOUNS),
}
VOCABULARY: Final = tuple(term for terms in _VOCABULARIES.values() for term in terms)
"""Every term a narrative may state; numbers inside these terms are no counts."""
_FOREIGN: tuple[Kind, ...] = ("percent", "date", "period")
"""Kinds of values that a profile has no fact of."""


class Cue(NamedTuple):
    """How the text around a number tells which fact it states."""

    fact: str
    """Dotted path of the field."""
    before: str = ""
    """Pattern that ends right before the number."""
    after: str = ""
    """Pattern that starts right after it."""
    topic: str = ""
    """Pattern that stands in the sentence."""

    def fits(self, sentence: str, mention: Mention) -> bool:
        """Return whether the number at `mention` states this fact."""
        return bool(
            re.search(f"(?:{self.before})$", sentence[: mention.start], re.IGNORECASE)
            and re.match(self.after, sentence[mention.end :], re.IGNORECASE)
            and re.search(self.topic, sentence, re.IGNORECASE)
        )


_CUES: dict[Kind, tuple[Cue, ...]] = {
    "count": (
        Cue("age", after=r"-year-old\b| years?(?: old| of age)?\b"),
        Cue("age", before=r"\b(?:aged|age is) "),
        Cue("household.adults", after=r" adults?\b"),
        Cue("household.children", after=r" child(?:ren)?\b"),
        Cue("daily_goal.steps", after=r" steps\b"),
        Cue("daily_goal.calories_intake", after=r" kcal\b", topic=r"\beat"),
        Cue("daily_goal.calories_burn", after=r" kcal\b", topic=r"\bburn"),
        Cue("daily_goal.AZM", after=r" active zone minutes\b"),
        Cue("body.height_cm", after=r" cm\b"),
        Cue("body.weight_kg", after=r" kg\b"),
    ),
    "money_cents": (
        Cue("budget.weekly_food_cents", topic=r"\bweek(?:ly)?\b.*\bfood\b|\bfood\b.*\bweek(?:ly)?\b"),
        Cue("budget.monthly_wellness_cents", topic=r"\bmonth(?:ly)?\b.*\bwellness\b|\bwellness\b.*\bmonth(?:ly)?\b"),
    ),
}


@dataclass(frozen=True, slots=True)
class Denial:
    """A phrase that states that something is not there."""

    phrase: str
    holds: Callable[[Profile], bool]


_DENIALS = (
    Denial(r"\bno (?:known )?health risks\b", lambda profile: not profile.health_risks),
    Denial(r"\bno dietary restrictions\b", lambda profile: not profile.dietary_restrictions),
    Denial(r"\bno children\b", lambda profile: profile.household.children == 0),
    Denial(r"\balone\b", lambda p: (p.household.adults, p.household.children) == (1, 0)),
    Denial(r"\bnobody else\b", lambda p: (p.household.adults, p.household.children) == (1, 0)),
)
_OPENERS = frozenset(
    "a all also an and as at but by day each every everything food for from given he her his home i if in it meals "
    "meet most my no nobody of often on one our she since so sometimes sport that the their there they this to usually "
    "we what when where while with you".split()
)
"""Words that may start a sentence with a capital letter and are no names."""


def length_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield a fault when the narrative is too short or too long."""
    count = len(profile.narrative.split())
    if not WORDS[0] <= count <= WORDS[1]:
        yield f"the narrative has {count} words, not {WORDS[0]} to {WORDS[1]}"


def narrative_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield what the narrative states and the record does not, and what it must state and does not."""
    sentences = _SENTENCE.split(profile.narrative.strip())
    yield from _term_faults(profile)
    yield from _number_faults(profile, sentences)
    yield from _denial_faults(profile)
    yield from _capital_faults(profile, sentences)
    yield from _pronoun_faults(profile)


def _term_faults(profile: Profile) -> Iterator[str]:
    stated = {str(mention.value) for mention in find("term", profile.narrative, VOCABULARY)}
    for field, own in (
        ("health_risks", profile.health_risks),
        ("dietary_restrictions", profile.dietary_restrictions),
        ("preferences.sport", profile.preferences.sport),
        ("preferences.food", profile.preferences.food),
    ):
        said = stated & set(_VOCABULARIES[field])
        yield from (f"the narrative states {item}, which is not in {field}" for item in sorted(said - set(own)))
        yield from (f"the narrative leaves out {item} of {field}" for item in sorted(set(own) - said))
    for term in sorted(stated & _ACTIVITIES.keys()):
        if _ACTIVITIES[term] != profile.activity:
            yield f"the narrative says {term}, activity is {profile.activity}"
    for term in sorted(stated & _NOUNS.keys()):
        if _NOUNS[term] != profile.gender:
            yield f"the narrative says {term}, gender is {profile.gender}"


def _number_faults(profile: Profile, sentences: Sequence[str]) -> Iterator[str]:
    stated: set[str] = set()
    for sentence in sentences:
        for kind, cues in _CUES.items():
            for mention in find(kind, sentence, VOCABULARY):
                facts = {cue.fact for cue in cues if cue.fits(sentence, mention)}
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
    for denial in _DENIALS:
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
        if first not in own and first.lower() not in _OPENERS:
            yield f"{first!r} starts a sentence and may be a name"
        for word in others:
            if word[0].isupper() and word != "I" and word not in own:
                yield f"{word!r} is not the user's name"


def _pronoun_faults(profile: Profile) -> Iterator[str]:
    words = {match.lower() for match in re.findall(r"[A-Za-z]+", profile.narrative)}
    used = {who for who, forms in _PRONOUNS.items() if forms & words}
    if len(used) > 1:
        yield f"the narrative speaks in more than one person: {', '.join(sorted(used))}"
    for who in sorted(used - {"first", profile.gender}):
        yield f"the narrative uses {who} pronouns, gender is {profile.gender}"
