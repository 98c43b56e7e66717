"""How a user decides about consents: by the script, with their own tools, and never beyond a limit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from generators.users.amounts import amount_asked
from generators.users.sentences import revokes
from language import find
from language.asking import is_about
from schemas.goal import Const

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.dialogue.parts import Hands
    from generators.users.answer import Answer
    from generators.users.person import Person
    from generators.users.reading import Asked
    from generators.users.telling import Memory
    from schemas.base import Json
    from schemas.task import Consent
    from services.runtime.declare import Remedy


class Consents:
    """The consents of one user in one conversation."""

    def __init__(self, person: Person) -> None:
        """Decide as the script of `person` says."""
        self._card = person.card
        self._speech = person.speech
        self._catalogue = person.catalogue
        self._script = person.card.consents
        self._decided: set[str] = set()
        self._given: list[str] = []
        """Gates opened for this request only."""
        self._put_in: Counter[str] = Counter()
        """Cents agreed to so far, by gate."""

    def is_undecided(self, gate: str) -> bool:
        """Return whether the script has an answer for a gate that the user has not given yet."""
        return gate in self._script and gate not in self._decided

    def answer(self, asked: Sequence[Asked], hands: Hands, answer: Answer, memory: Memory) -> None:
        """Answer what a message asks about consents, each of them once."""
        done: set[str] = set()
        for one in asked:
            for gate in self._chosen(one.gates):
                if gate not in done:
                    done.add(gate)
                    self._decide(gate, one, hands, answer, memory)

    def take_back(self, hands: Hands) -> bool:
        """Take back what was given for this request only, and return whether there was anything."""
        given, self._given = self._given, []
        for gate in given:
            remedy = self._remedy(gate)
            hands.call(remedy.tool, dict(remedy.takes_back))
        return bool(given)

    def _chosen(self, gates: Sequence[str]) -> list[str]:
        """Return one gate of those that the same tool opens: the one the script knows, else the first."""
        by_tool: dict[str, list[str]] = {}
        for gate in gates:
            by_tool.setdefault(self._remedy(gate).tool, []).append(gate)
        return [next((gate for gate in alike if gate in self._script), alike[0]) for alike in by_tool.values()]

    def _remedy(self, gate: str) -> Remedy:
        return cast("Remedy", self._catalogue.gates[gate].gate.remedy)

    def _decide(self, gate: str, one: Asked, hands: Hands, answer: Answer, memory: Memory) -> None:
        consent = self._script.get(gate)
        if revokes(one.sentence):
            # What they gave, they take back by themselves.
            answer.decline(self._speech.say("only_asked", answer.turn))
        elif consent is None and self._is_permitted(gate, one):
            answer.say(self._speech.say("as_said", answer.turn))
        elif consent is None and hands.has_opened(gate):
            self._is_so(gate, answer)
        elif consent is None:
            self._refuse(gate, "only_asked", answer)
        elif self._amount_of(gate):
            self._decide_amount(gate, consent, one, hands, answer, memory)
        elif not consent.granted:
            self._refuse(gate, "refused", answer)
        else:
            self._open(gate, consent, one, hands, answer, memory)

    def _is_permitted(self, gate: str, one: Asked) -> bool:
        """Return whether the request says itself when to do what the gate, or the question, is about."""
        permits, asking = self._card.script.permits, self._catalogue.gates[gate].gate.asking
        cues = () if asking is None else asking.cues
        return bool(permits) and any(is_about(said, permits) for said in (one.sentence, *cues))

    def _amount_of(self, gate: str) -> str:
        """Return the argument of a gate's remedy that is an amount of money; empty where there is none."""
        properties = self._properties(gate)
        return next((name for name, schema in properties.items() if schema.get("type") == "number"), "")

    def _properties(self, gate: str) -> Mapping[str, Mapping[str, Json]]:
        schema = self._catalogue.tools[self._remedy(gate).tool].schema
        return cast("Mapping[str, Mapping[str, Json]]", schema["properties"])

    def _is_so(self, gate: str, answer: Answer) -> None:
        """Say that the assistant may do already what it asks for."""
        answer.say(self._speech.say("already", answer.turn))
        answer.answered[gate] = True
        answer.new = answer.new or gate not in self._decided
        self._decided.add(gate)

    def _refuse(self, gate: str, what: str, answer: Answer) -> None:
        answer.decline(self._speech.say(what, answer.turn))
        answer.answered[gate] = False
        answer.new = answer.new or gate not in self._decided
        self._decided.add(gate)

    def _decide_amount(
        self, gate: str, consent: Consent, one: Asked, hands: Hands, answer: Answer, memory: Memory
    ) -> None:
        """Put in an amount that is asked for, within the limit; who says no to any amount need not know it."""
        if consent.up_to_cents is None and not consent.granted:
            self._refuse(gate, "refused", answer)
            return
        cents = amount_asked(one)
        if cents is None:
            answer.say(self._speech.say("how_much", answer.turn))
        elif consent.up_to_cents is not None and self._put_in[gate] + cents > consent.up_to_cents:
            self._refuse(gate, "too_much", answer)
        else:
            amount = cents // 100 if cents % 100 == 0 else cents / 100
            arguments: dict[str, Json] = {self._amount_of(gate): amount}
            if self._call(gate, consent, arguments, hands, answer):
                self._put_in[gate] += cents
                self._agree(
                    gate, self._speech.say("topped_up", answer.turn, amount=self._speech.money(cents)), answer, memory
                )

    def _open(self, gate: str, consent: Consent, one: Asked, hands: Hands, answer: Answer, memory: Memory) -> None:
        remedy = self._remedy(gate)
        if remedy.prepare is not None:
            self._agree(gate, self._speech.say("agreed", answer.turn), answer, memory)
            return
        arguments = self._arguments(gate, one)
        if arguments is None:
            answer.say(self._speech.say("which", answer.turn))
        elif self._call(gate, consent, arguments, hands, answer):
            self._agree(gate, self._speech.say("granted", answer.turn), answer, memory)

    def _arguments(self, gate: str, one: Asked) -> dict[str, Json] | None:
        """Return the arguments that open a gate: what is the same every time, and choices that the question names."""
        found: dict[str, Json] = {}
        for name, value in self._remedy(gate).arguments.items():
            if isinstance(value, Const):
                found[name] = cast("Json", value.value)
                continue
            options = tuple(map(str, cast("Sequence[Json]", self._properties(gate)[name].get("enum", ()))))
            named = {str(m.value) for text in (one.sentence, *one.context[:1]) for m in find("term", text, options)}
            if len(named) != 1:
                return None
            found[name] = named.pop()
        return found

    def _call(self, gate: str, consent: Consent, arguments: Mapping[str, Json], hands: Hands, answer: Answer) -> bool:
        """Open a gate and return whether it went well; else say what came back."""
        result = hands.call(self._remedy(gate).tool, arguments)
        error = result.get("error")
        if isinstance(error, dict):
            answer.act(self._speech.say("failed", answer.turn, message=str(error.get("message", ""))))
            return False
        answer.acted = True
        if consent.once and self._remedy(gate).takes_back and gate not in self._given:
            self._given.append(gate)
        return True

    def _agree(self, gate: str, line: str, answer: Answer, memory: Memory) -> None:
        """Say yes; with the first yes about the gate of a change of mind comes what the user wants instead."""
        change = self._card.script.change
        if change is not None and change.gate == gate and not memory.changed:
            memory.change(answer)
        else:
            answer.say(line)
        answer.answered[gate] = True
        answer.new = answer.new or gate not in self._decided or bool(self._put_in[gate])
        self._decided.add(gate)
