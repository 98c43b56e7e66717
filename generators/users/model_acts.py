"""What a user played by a model may do: its own tools, as the script and the wish allow, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from generators.users.amounts import amount_asked
from generators.users.consent_words import says_no, says_yes
from schemas.goal import Const

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from generators.dialogue.parts import Hands, Wish
    from generators.users.card import Card
    from generators.users.reading import Asked
    from schemas.base import Json
    from schemas.task import Consent
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Remedy


class Acts:
    """The acts of one user in one conversation."""

    def __init__(self, card: Card, catalogue: Catalogue, wish: Wish) -> None:
        """Act as the script on `card` allows."""
        self._card, self._catalogue, self._wish = card, catalogue, wish
        self._asked: dict[str, int | None] = {}
        """Gates that the message asks for, with the cents that it names."""
        self._mentioned: dict[str, int | None] = {}
        """Gates that it says to be closed, or what would be possible with them open, likewise."""
        self._so_already: set[str] = set()
        """Gates among them that are open and that the script does not speak of."""
        self._only_consents = False
        """Whether it asks for nothing else."""
        self._opened: set[str] = set()
        """Gates opened in this turn."""
        self._tried: set[str] = set()
        """Gates that a call of this turn was to open, whatever came of it."""
        self._ever_opened: set[str] = set()
        self._for_once: set[str] = set()
        self._put_in: Counter[str] = Counter()
        self._yes = False
        """Whether a yes is given in words to a call that is still to be made."""

    def begin(self, asked: Sequence[Asked], mentioned: Sequence[Asked], hands: Hands) -> None:
        """Begin a turn after a message that asks for these things, and says of others what would come of them."""
        gates = {gate for one in asked for gate in one.gates}
        self._so_already = {g for g in gates if g not in self._card.consents and hands.has_opened(g)}
        self._asked, self._opened, self._tried = {}, set(), set()
        self._only_consents = all(one.gates for one in asked)
        self._mentioned = {}
        for ones, found in ((asked, self._asked), (mentioned, self._mentioned)):
            for one in ones:
                for gate in one.gates:
                    amount = amount_asked(one) if self._takes_money(gate) else None
                    found[gate] = amount if found.get(gate) is None else found[gate]

    # --- calls ------------------------------------------------------------------------------------------------------

    def fault(self, tool: str, arguments: Mapping[str, Json]) -> str:
        """Return why the user would not make a call, in one sentence; empty when they would."""
        found = self._catalogue.tools.get(tool)
        if found is None or found.side != "user":
            return f"{tool} is no tool of yours"
        gates = self._gates_of(tool)
        if gates and not found.approval:
            return self._consent_fault(gates, arguments)
        return "" if self._wish.accepts(tool, arguments, "user") else "that is not what you asked for"

    def _consent_fault(self, gates: list[str], arguments: Mapping[str, Json]) -> str:
        asked = [gate for gate in gates if gate in self._asked or gate in self._mentioned]
        if not asked:
            return "nobody has asked you for that"
        gate = self._meant(asked)
        consent = self._card.consents.get(gate)
        if consent is None or not _is_given(consent):
            return "you do not give this consent"
        fixed = {name: one.value for name, one in self._remedy(gate).arguments.items() if isinstance(one, Const)}
        if any(arguments.get(name) != value for name, value in fixed.items()):
            return "that does not give the consent that you are asked for"
        return self._amount_fault(gate, consent, self._cents(gate, arguments)) if self._takes_money(gate) else ""

    def _amount_fault(self, gate: str, consent: Consent, cents: int) -> str:
        if consent.up_to_cents is not None and self._put_in[gate] + cents > consent.up_to_cents:
            return "that is more than you agree to"
        asked = self._asked.get(gate, self._mentioned.get(gate))
        if asked is None:
            return "nobody has told you the amount: ask for it"
        return "" if cents == asked else "that is not the amount that you are asked for"

    def do(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> dict[str, Json]:
        """Make a call that `fault` has nothing against, and return its result."""
        result = hands.call(tool, arguments)
        gates = [gate for gate in self._gates_of(tool) if gate in self._asked or gate in self._mentioned]
        self._tried.update(gates)
        if "error" in result:
            return result
        self._opened.update(gates)
        self._ever_opened.update(gates)
        for gate in gates:
            self._put_in[gate] += self._cents(gate, arguments) if self._takes_money(gate) else 0
            consent = self._card.consents.get(gate)
            if consent is not None and consent.once and self._remedy(gate).takes_back:
                self._for_once.add(gate)
        return result

    def yes(self, hands: Hands) -> str:
        """Say yes to the call that waits for it, else to the next one; return why the user would not."""
        if not hands.pending:
            self._yes = True
            return ""
        tool, arguments = hands.pending[-1]
        if not self._wish.accepts(tool, arguments, "assistant"):
            return "that is not what you asked for"
        hands.confirm(tool, arguments)
        return ""

    def agrees(self, tool: str, arguments: Mapping[str, Json]) -> bool:
        """Return whether a yes given in words is good for a call."""
        if not self._yes or not self._wish.accepts(tool, arguments, "assistant"):
            return False
        self._yes = False
        return True

    # --- what was decided -------------------------------------------------------------------------------------------

    def faults(self, text: str) -> Iterator[str]:
        """Yield what an answer decides otherwise than the script."""
        if "?" in text and not says_no(text):
            return
        for gate in self._chosen():
            consent = self._card.consents.get(gate)
            if gate in self._so_already:
                continue
            if consent is None or not _is_given(consent):
                if self._only_consents and says_yes(text):
                    yield "you agree to what you do not agree to: say no"
            elif self._agreed_in_words(gate):
                if self._only_consents and says_no(text):
                    yield "you agree to that: say so"
            elif self._is_owed(gate, consent):
                yield f"you agree to that: call {self._remedy(gate).tool}"

    def decided(self, text: str) -> dict[str, bool]:
        """Return the gates whose consent was asked for in this turn and given or refused with `text`."""
        found: dict[str, bool] = {}
        for gate in sorted({*self._asked, *self._mentioned}):
            in_words = gate in self._so_already or self._agreed_in_words(gate)
            if gate in self._opened or (in_words and gate in self._asked and says_yes(text)):
                found[gate] = True
            elif gate in self._chosen() and gate not in self._tried and says_no(text):
                found[gate] = False
        return found

    def take_back(self, hands: Hands) -> None:
        """Take back what was given for this request only."""
        for gate in sorted(self._for_once):
            remedy = self._remedy(gate)
            hands.call(remedy.tool, dict(remedy.takes_back))
        self._for_once.clear()

    def _is_owed(self, gate: str, consent: Consent) -> bool:
        """Return whether the user gives a consent that they are asked for, and has not done anything about it yet."""
        if gate in self._tried:
            return False
        if not self._takes_money(gate):
            return gate not in self._ever_opened
        cents, most = self._asked[gate], consent.up_to_cents
        return cents is not None and (most is None or self._put_in[gate] + cents <= most)

    # --- gates ------------------------------------------------------------------------------------------------------

    def _chosen(self) -> list[str]:
        """Return one gate of those asked for that the same tool opens."""
        by_tool: dict[str, list[str]] = {}
        for gate in sorted(self._asked):
            by_tool.setdefault(self._remedy(gate).tool, []).append(gate)
        return [self._meant(alike) for alike in by_tool.values()]

    def _meant(self, alike: Sequence[str]) -> str:
        """Return the gate that the script knows, else the first."""
        return next((gate for gate in alike if gate in self._card.consents), alike[0])

    def _gates_of(self, tool: str) -> list[str]:
        """Return the gates that a tool opens."""
        return [
            name
            for name, compiled in sorted(self._catalogue.gates.items())
            if compiled.gate.remedy is not None and compiled.gate.remedy.tool == tool
        ]

    def _takes_money(self, gate: str) -> bool:
        """Return whether what opens a gate is an amount of money."""
        return self._catalogue.gates[gate].gate.accumulates

    def _cents(self, gate: str, arguments: Mapping[str, Json]) -> int:
        """Return the cents that a call puts in."""
        amount = arguments.get(next(iter(self._remedy(gate).arguments)))
        return round(amount * 100) if isinstance(amount, int | float) and not isinstance(amount, bool) else 0

    def _agreed_in_words(self, gate: str) -> bool:
        """Return whether the assistant has to do something before the user can open a gate."""
        return self._remedy(gate).prepare is not None

    def _remedy(self, gate: str) -> Remedy:
        return cast("Remedy", self._catalogue.gates[gate].gate.remedy)


def _is_given(consent: Consent) -> bool:
    return consent.granted or consent.up_to_cents is not None
