"""The narrative of a profile: hand-written sentence forms, one fact each, joined along a skeleton.

In a form, `{S}` and `{s}` are the subject at the start of a sentence and inside it, `{my}`, `{My}` and `{me}` follow,
and `[am|is|are]` agrees with it (first person, third singular, third plural).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypedDict

from language.matching import write
from schemas.profile import Activity, Gender, Profile
from services.runtime.streams import Stream

SHORTEST, LONGEST = 80, 120
"""Words a narrative may have."""
_TARGETS = (84, 104)
"""Sentences are added until a number of words from this range is reached, never past `LONGEST`."""
_FIRST, _SINGULAR, _PLURAL = 0, 1, 2
"""Persons of a verb, in the order of the forms."""
_AGREEMENT = re.compile(r"\[(\w+)\|(\w+)\|(\w+)\]")
_ACTIVITIES: dict[Activity, str] = {
    "sedentary": "sedentary",
    "light": "lightly active",
    "moderate": "moderately active",
    "active": "very active",
}
_NOUNS: dict[Gender, str] = {"female": "woman", "male": "man", "non_binary": "non-binary person"}
_PRONOUNS: dict[Gender, tuple[str, str, str, int]] = {
    "female": ("she", "her", "her", _SINGULAR),
    "male": ("he", "his", "him", _SINGULAR),
    "non_binary": ("they", "their", "them", _PLURAL),
}
"""Subject, possessive, object, person of the verb."""


class _Data(TypedDict):
    forms: dict[str, list[str]]
    """Sentence forms of each fact."""
    skeletons: list[list[str]]
    """Orders of the facts that every narrative states, some with an optional one."""
    optional: list[str]
    """Facts that fill a narrative up."""


@dataclass(frozen=True, slots=True)
class _Voice:
    """Who speaks of whom: the words that stand for the user, and the person of the verb."""

    start: str
    inside: str
    my: str
    me: str
    verb: int

    def say(self, form: str, values: dict[str, str]) -> str:
        """Return a sentence form filled in."""
        agreed = _AGREEMENT.sub(lambda match: match[1 + self.verb], form)
        own = {"S": self.start, "s": self.inside, "my": self.my, "My": self.my.capitalize(), "me": self.me}
        sentence = agreed.format(**own, **values)
        return sentence[0].upper() + sentence[1:]


_I = _Voice("I", "I", "my", "me", _FIRST)


@cache
def narrative_data() -> _Data:
    """Return the sentence forms and skeletons."""
    return json.loads(files("generators.profiles").joinpath("data/narrative.json").read_text(encoding="utf-8"))


def write_narrative(stream: Stream, profile: Profile) -> str:
    """Return a narrative of 80 to 120 words that states facts of `profile` and nothing else.

    Raises:
        RuntimeError: the sentence forms are too short or too long for this profile.
    """
    data = narrative_data()
    first_person = stream.chance(1, 2)
    values = _values(stream.child("values"), profile)
    skeleton = stream.choice(data["skeletons"])
    spare = [fact for fact in stream.shuffled(data["optional"]) if fact not in skeleton]
    # In the third person nobody knows whom a pronoun means before the name has been said.
    order = skeleton if first_person else ["identity", *(fact for fact in skeleton if fact != "identity")]
    said = [(fact, _sentence(stream, fact, profile, values, first_person)) for fact in order]
    sentences = [sentence for _, sentence in said]
    if _words(sentences) > LONGEST:
        sentences = [sentence for fact, sentence in said if fact not in data["optional"]]
    target = stream.between(*_TARGETS)
    for fact in spare:
        if _words(sentences) >= target:
            break
        sentence = _sentence(stream, fact, profile, values, first_person)
        if _words((*sentences, sentence)) <= LONGEST:
            sentences.insert(stream.between(order.index("identity") + 1, len(sentences)), sentence)
    if not SHORTEST <= _words(sentences) <= LONGEST:
        raise RuntimeError(f"the forms give {profile.user_id} a narrative of {_words(sentences)} words")
    return " ".join(sentences)


def _words(sentences: Sequence[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def _sentence(stream: Stream, fact: str, profile: Profile, values: dict[str, str], first_person: bool) -> str:
    """Return one sentence that states `fact`."""
    form = stream.choice(narrative_data()["forms"][form_key(fact, profile, first_person)])
    voice = _I if first_person else _third_person(profile, by_name="{S}" in form and stream.chance(1, 3))
    return voice.say(form, values)


def _third_person(profile: Profile, *, by_name: bool) -> _Voice:
    subject, possessive, target, verb = _PRONOUNS[profile.gender]
    if by_name:
        return _Voice(profile.name.given, profile.name.given, possessive, target, _SINGULAR)
    return _Voice(subject.capitalize(), subject, possessive, target, verb)


def form_key(fact: str, profile: Profile, first_person: bool) -> str:
    """Return the name of the forms that state `fact` of this profile."""
    household = profile.household
    lone = household.adults == 1 and household.children == 0
    keys = {
        "identity": "identity_first" if first_person else "identity_third",
        "household": "family" if household.children else "alone" if lone else "together",
        "risks": "risks" if profile.health_risks else "risks_none",
        "diets": "diets" if profile.dietary_restrictions else "diets_none",
    }
    return keys.get(fact, fact)


def _values(stream: Stream, profile: Profile) -> dict[str, str]:
    """Return the facts as text, each number in one of its writings."""
    household, goal, diets = profile.household, profile.daily_goal, _diets(profile)
    spelled = stream.choice((0, 2))
    adults, children = (write("count", number, spelled) for number in (household.adults, household.children))
    grouped = stream.below(2)
    return {
        "full": f"{profile.name.given} {profile.name.family}",
        "given": profile.name.given,
        "age": str(profile.age),
        "a_age": f"{'an' if profile.age == 18 or profile.age // 10 == 8 else 'a'} {profile.age}",
        "noun": _NOUNS[profile.gender],
        "adults": f"{adults} {'adult' if household.adults == 1 else 'adults'}",
        "children": f"{children} {'child' if household.children == 1 else 'children'}",
        "risks": _listed(_spoken(profile.health_risks)),
        "diets": diets,
        "a_diets": f"{'an' if diets.startswith('e') else 'a'} {diets}",
        "sports": _listed(_spoken(profile.preferences.sport)),
        "foods": _listed(_spoken(profile.preferences.food)),
        "steps": write("count", goal.steps, grouped),
        "intake": write("count", goal.calories_intake, grouped),
        "burn": write("count", goal.calories_burn, grouped),
        "azm": str(goal.AZM),
        "activity": _ACTIVITIES[profile.activity],
        "height": str(profile.body.height_cm),
        "weight": str(profile.body.weight_kg),
        "food_money": write("money_cents", profile.budget.weekly_food_cents, stream.below(3)),
        "wellness_money": write("money_cents", profile.budget.monthly_wellness_cents, stream.below(3)),
    }


def _spoken(terms: Sequence[str]) -> list[str]:
    return [write("term", term) for term in terms]


def _diets(profile: Profile) -> str:
    return _listed([write("term", diet, 1) for diet in profile.dietary_restrictions])


def _listed(items: Sequence[str]) -> str:
    """Return items as one phrase: a, b and c."""
    return " and ".join(part for part in (", ".join(items[:-1]), *items[-1:]) if part)
