"""What a narrative states, as it is read back: numbers with their cues, terms of the vocabularies, denials, voice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, get_args

from language.matching import find
from language.spans import Kind, Mention, Value
from schemas.profile import Profile
from schemas.profile_facts import Diet, Food, Risk, Sport

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
ACTIVITIES: Final = {
    "sedentary": "sedentary",
    "lightly active": "light",
    "moderately active": "moderate",
    "very active": "active",
}
"""Habitual activity by the words for it."""
NOUNS: Final = {"woman": "female", "man": "male", "non-binary": "non_binary"}
"""Gender by the word for a person of it."""
PRONOUNS: Final = {
    "first": frozenset({"i", "me", "my", "mine", "myself"}),
    "female": frozenset({"she", "her", "hers", "herself"}),
    "male": frozenset({"he", "him", "his", "himself"}),
    "non_binary": frozenset({"they", "them", "their", "theirs", "themself", "themselves"}),
}
"""Words for the user, of one who speaks of themselves and of those who are spoken of, by gender."""
VOCABULARIES: Final[dict[str, tuple[str, ...]]] = {
    "health_risks": get_args(Risk),
    "dietary_restrictions": get_args(Diet),
    "preferences.sport": get_args(Sport),
    "preferences.food": get_args(Food),
    "activity": tuple(ACTIVITIES),
    "gender": tuple(NOUNS),
}
"""Terms by the field they state."""
VOCABULARY: Final = tuple(term for terms in VOCABULARIES.values() for term in terms)
"""Every term a narrative may state; numbers inside these terms are no counts."""
_FIELDS: Final = {term: field for field, terms in VOCABULARIES.items() for term in terms}


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


_CUES: Final[dict[Kind, tuple[Cue, ...]]] = {
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

    fact: str
    """What is stated; two phrases may state the same."""
    phrase: str
    holds: Callable[[Profile], bool]


_NO = r"(?:no|without(?: any)?)"


def _lives_alone(profile: Profile) -> bool:
    return (profile.household.adults, profile.household.children) == (1, 0)


DENIALS: Final = (
    Denial("no health risks", rf"\b{_NO} (?:known )?health risks\b", lambda profile: not profile.health_risks),
    Denial(
        "no dietary restrictions",
        rf"\b{_NO} dietary restrictions\b",
        lambda profile: not profile.dietary_restrictions,
    ),
    Denial("no children", rf"\b{_NO} children\b", lambda profile: profile.household.children == 0),
    Denial("alone", r"\balone\b", _lives_alone),
    Denial("alone", r"\bnobody else\b", _lives_alone),
)


def sentences_of(narrative: str) -> list[str]:
    """Return the sentences of a narrative."""
    return _SENTENCE.split(narrative.strip())


def numbers_in(sentence: str) -> Iterator[tuple[Mention, frozenset[str]]]:
    """Yield every number and amount in a sentence with the facts that its cues make of it: one, if all is well."""
    for kind, cues in _CUES.items():
        for mention in find(kind, sentence, VOCABULARY):
            yield mention, frozenset(cue.fact for cue in cues if cue.fits(sentence, mention))


def terms_in(text: str) -> Iterator[tuple[str, Mention]]:
    """Yield every term of the vocabularies in a text with the field that it states."""
    for mention in find("term", text, VOCABULARY):
        yield _FIELDS[str(mention.value)], mention


def stated_facts(narrative: str) -> dict[tuple[str, Value], str]:
    """Return what a narrative states, by field and value, each as it is written there for the first time."""
    found: dict[tuple[str, Value], str] = {}
    for sentence in sentences_of(narrative):
        for mention, facts in numbers_in(sentence):
            for fact in facts if len(facts) == 1 else ():
                found.setdefault((fact, mention.value), sentence[mention.start : mention.end])
    for field, mention in terms_in(narrative):
        found.setdefault((field, mention.value), narrative[mention.start : mention.end])
    for denial in DENIALS:
        match = re.search(denial.phrase, narrative, re.IGNORECASE)
        if match:
            found.setdefault(("denial", denial.fact), match[0])
    return found


def voices_of(narrative: str) -> frozenset[str]:
    """Return whose words for the user stand in a narrative: `first`, or genders of one who is spoken of."""
    words = {match.lower() for match in re.findall(r"[A-Za-z]+", narrative)}
    return frozenset(who for who, forms in PRONOUNS.items() if forms & words)
