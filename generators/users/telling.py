"""What a user tells: the facts of the task, when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.users.stated import is_guess, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from generators.users.answer import Answer
    from generators.users.card import Card
    from generators.users.facts import Fact
    from generators.users.replies import Speech
    from generators.users.stated import Question
    from schemas.trajectory import Elicited


class Memory:
    """The facts of one user, and which of them are out."""

    def __init__(self, card: Card, speech: Speech) -> None:
        """Know what stands on `card`."""
        self._card = card
        self._speech = speech
        self._out: set[str] = set()
        self.changed = False
        """Whether the user has changed their mind."""

    def tell(self, names: Iterable[str], answer: Answer) -> None:
        """Tell facts that were asked for; one that was told before is told again."""
        self._tell([self._card.facts.by_name[name] for name in names], answer, "active")

    def tell_next(self, answer: Answer) -> None:
        """Tell one fact that is kept back, the first in order, or that there is none."""
        left = [fact for fact in self._card.facts.all if self._is_secret(fact)]
        if left:
            self._tell(left[:1], answer, "passive")
        else:
            answer.say(self._speech.say("all_told", answer.turn))

    def correct(self, question: Question, answer: Answer) -> None:
        """Tell what a question whether to go on states otherwise, and what is kept back and guessed at."""
        wrong: list[Fact] = []
        for fact in self._card.facts.all:
            if fact.tellable:
                found = verdict(fact, self._card.value(fact, changed=self.changed), self._card.facts, question)
                guessed = self._is_secret(fact) and (found or is_guess(fact, question))
                if found == "wrong" or guessed:
                    wrong.append(fact)
        self._say(wrong, answer)
        for fact in wrong:
            if self._is_secret(fact):
                self._note(fact, answer, "active")

    def identify(self, question: Question, answer: Answer) -> None:
        """Tell the next fact where the user cannot say yet whether something is what they mean."""
        left = [fact for fact in self._card.facts.all if self._is_secret(fact)]
        if question.identifies and left:
            self._tell(left[:1], answer, "passive")

    def _is_secret(self, fact: Fact) -> bool:
        """Return whether a fact is kept back still."""
        return fact.kept_back and fact.name not in self._out

    def change(self, answer: Answer) -> None:
        """Say what the user wants instead."""
        change = self._card.script.change
        if change is None or self.changed:
            return
        self.changed = answer.new = True
        answer.say(change.message)
        answer.told.update(dict.fromkeys(change.first, "change"))

    def _tell(self, facts: list[Fact], answer: Answer, how: Elicited) -> None:
        self._say(facts, answer)
        for fact in facts:
            self._note(fact, answer, how)

    def _say(self, facts: list[Fact], answer: Answer) -> None:
        for fact in facts:
            value = self._speech.value(fact.slot, self._card.value(fact, changed=self.changed))
            if len(facts) > 1:
                answer.say(self._speech.say("labelled", answer.turn, label=self._label(fact), value=value))
            else:
                kind = "text_fact" if fact.slot.kind == "text" else "fact"
                answer.say(self._speech.say(kind, answer.turn, value=value))

    def _note(self, fact: Fact, answer: Answer, how: Elicited) -> None:
        answer.told[fact.name] = how
        answer.new = answer.new or fact.name not in self._out
        self._out.add(fact.name)

    def _label(self, fact: Fact) -> str:
        """Return a fact's name in words; of one of several, with what it belongs to."""
        label = fact.base.replace("_", " ")
        place = fact.number.removeprefix("_")
        return f"{label} {_ORDINALS.get(place, place)}".strip() if place else label


_ORDINALS = {"1": "of the first", "2": "of the second", "3": "of the third"}
