"""What a simulated user is told about themselves: the script and the facts, and nothing of what would be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.users.facts import facts_of

if TYPE_CHECKING:
    from generators.users.facts import Fact, Facts
    from schemas.base import Json
    from schemas.task import Consent, Task, UserScript


@dataclass(frozen=True, slots=True)
class Card:
    """One task as its user knows it."""

    task_id: str
    instruction: str
    script: UserScript
    facts: Facts
    today: str
    """The date on which the user speaks."""

    @property
    def consents(self) -> dict[str, Consent]:
        """What the script says of the gates, by name."""
        return {consent.gate: consent for consent in self.script.consents}

    def value(self, fact: Fact, *, changed: bool) -> Json:
        """Return what the user wants by now, having `changed` their mind or not."""
        change = self.script.change
        return fact.slot.value if changed or change is None else change.first.get(fact.name, fact.slot.value)


def card_of(task: Task, now: str) -> Card:
    """Return what the user of a task knows at the frozen time `now`."""
    return Card(task.task_id, task.instruction, task.script, facts_of(task), now[:10])
