"""What a user can be asked for: the slots of a task, with the words by which each is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from generators.tasks.phrases import Questions, special
from generators.tasks.quota import installed_intents
from generators.users.identity import Same
from language import find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generators.tasks.phrases import Phrases
    from schemas.task import IntentUse, Slot, SlotKind, Task

_NUMBER = re.compile(r"(?:_\d+)$")


class FactQuestions(Questions):
    """Questions for a fact, and guesses at it."""

    guesses: list[str] = []
    """Phrases, like cues, of which a yes-or-no question that holds one guesses at what the fact is."""


class CommonQuestions(BaseModel):
    """Questions for slots by name and, where a name is not listed, by kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: dict[str, FactQuestions]
    kinds: dict[str, FactQuestions]


@cache
def common_questions() -> CommonQuestions:
    """Return the questions that go for every intent."""
    return CommonQuestions.model_validate(read_yaml("generators.users", "questions.yaml"))


@cache
def _phrases() -> Mapping[str, Phrases]:
    return {intent.name: intent.phrases for intent in installed_intents()}


@cache
def questions_for(intent: str, form: str, variant: str, name: str, kind: SlotKind) -> FactQuestions:
    """Return how one asks for a slot, in words of its intent where that has any, and all cues of its name and kind."""
    common = common_questions()
    named = common.names.get(_NUMBER.sub("", name))
    own = special(_phrases()[intent].questions, name, form, variant)
    # An amount is asked for in the same words whatever it is called.
    general = common.kinds[kind] if named is None or kind == "money_cents" else None
    options = [option for option in (own, named, general) if option is not None]
    guesses = [] if named is None else named.guesses
    return FactQuestions(forms=options[0].forms, cues=[c for one in options for c in one.cues], guesses=guesses)


@dataclass(frozen=True)
class Fact:
    """One slot of a task, as the user knows it."""

    name: str
    """With the prefix of its part."""
    slot: Slot
    prefix: str
    questions: FactQuestions

    @cached_property
    def base(self) -> str:
        """Name without prefix and number: what several slots of a list share."""
        return _NUMBER.sub("", self.slot.name)

    @cached_property
    def number(self) -> str:
        """What its place in a list adds to its name, such as `_2`; empty where there is no list."""
        return self.slot.name.removeprefix(self.base)

    @cached_property
    def cues(self) -> tuple[str, ...]:
        """Phrases by which one is asked for it."""
        return tuple(self.questions.cues)

    @cached_property
    def guesses(self) -> tuple[str, ...]:
        """Phrases that guess at it."""
        return tuple(self.questions.guesses)

    @property
    def kept_back(self) -> bool:
        """Whether it is told only when it is asked for."""
        return self.slot.told == "on_request"

    @property
    def tellable(self) -> bool:
        """Whether the user knows it by heart."""
        return self.slot.told in ("upfront", "on_request")


@dataclass(frozen=True)
class Facts:
    """All slots of a task."""

    all: tuple[Fact, ...]

    @cached_property
    def by_name(self) -> dict[str, Fact]:
        """The facts by their names."""
        return {fact.name: fact for fact in self.all}

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Names and terms that the request states: what a question can name to say what it is about."""
        kinds = ("name", "term")
        said = {str(f.slot.value) for f in self.all if f.slot.told == "upfront" and f.slot.kind in kinds}
        return tuple(sorted(said))

    def companions(self, fact: Fact) -> set[str]:
        """Return the words that stand beside a fact in its part and its place of a list."""
        return {
            str(other.slot.value)
            for other in self.all
            if other is not fact
            and other.prefix == fact.prefix
            and other.number in ("", fact.number)
            and str(other.slot.value) in self.words
        }

    def named(self, sentence: str, fact: Fact) -> bool:
        """Return whether a sentence names what a fact is about."""
        own = self.companions(fact)
        return bool(own) and any(mention.value in own for mention in find("term", sentence, self.words))


def _fact(use: IntentUse, slot: Slot) -> Fact:
    questions = questions_for(use.intent, use.form, use.variant, slot.name, slot.kind)
    return Fact(use.prefix + slot.name, slot, use.prefix, questions)


@lru_cache(maxsize=256)
def _facts(task: Same[Task]) -> Facts:
    found = [_fact(use, slot) for use in task.thing.intents for slot in use.slots]
    return Facts(tuple(found))


def facts_of(task: Task) -> Facts:
    """Return the facts of a task; they are kept for tasks looked at lately."""
    return _facts(Same(task))
