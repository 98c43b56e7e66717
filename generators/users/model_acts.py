"""What a user played by a model may do: its own tools, as the script and the wish allow, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from generators.dialogue.parts import Hands, Wish
    from generators.users.card import Card
    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Gate, Remedy


class Acts:
    """The acts of one user in one conversation."""

    def __init__(self, card: Card, catalogue: Catalogue, wish: Wish) -> None:
        """Act as the script on `card` allows."""
        self._card, self._catalogue, self._wish = card, catalogue, wish
        self._asked: set[str] = set()
        self._opened: set[str] = set()
        """Gates opened in this turn."""
        self._for_once: set[str] = set()
        self._put_in: Counter[str] = Counter()
        self._yes = False
        """Whether a yes is given in words to a call that is still to be made."""

    def begin(self, asked: Collection[str]) -> None:
        """Begin a turn after a message that asks for the consents of these gates."""
        self._asked, self._opened = set(asked), set()

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
        asked = [gate for gate in gates if gate in self._asked]
        if not asked:
            return "nobody has asked you for that"
        gate = next((name for name in asked if name in self._card.consents), asked[0])
        consent = self._card.consents.get(gate)
        amount = _amount(arguments)
        if consent is None or not (consent.granted or (consent.up_to_cents is not None and amount)):
            return "you do not give this consent"
        if consent.up_to_cents is not None and self._put_in[gate] + amount > consent.up_to_cents:
            return "that is more than you agree to"
        return ""

    def do(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> dict[str, Json]:
        """Make a call that `fault` has nothing against, and return its result."""
        result = hands.call(tool, arguments)
        if "error" in result:
            return result
        for gate in self._gates_of(tool):
            if gate in self._asked:
                self._opened.add(gate)
                self._put_in[gate] += _amount(arguments)
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

    def decided(self) -> dict[str, bool]:
        """Return the gates that were asked about in this turn, with whether they were opened."""
        return {gate: gate in self._opened for gate in sorted(self._asked)}

    def take_back(self, hands: Hands) -> None:
        """Take back what was given for this request only."""
        for gate in sorted(self._for_once):
            remedy = self._remedy(gate)
            hands.call(remedy.tool, dict(remedy.takes_back))
        self._for_once.clear()

    def _gates_of(self, tool: str) -> list[str]:
        """Return the gates that a tool opens."""
        return [
            name
            for name, compiled in sorted(self._catalogue.gates.items())
            if compiled.gate.remedy is not None and compiled.gate.remedy.tool == tool
        ]

    def _remedy(self, gate: str) -> Remedy:
        return cast("Remedy", self._gate(gate).remedy)

    def _gate(self, name: str) -> Gate:
        return self._catalogue.gates[name].gate


def _amount(arguments: Mapping[str, Json]) -> int:
    """Return the cents that a call puts in; 0 where it is about no money."""
    amount = arguments.get("amount")
    return round(amount * 100) if isinstance(amount, int | float) and not isinstance(amount, bool) else 0
