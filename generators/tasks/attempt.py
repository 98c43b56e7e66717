"""One attempt at a plan: the steps so far, what they are made of, and what the user has told by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks import program as p
from generators.tasks.trace import Graph
from schemas.plan import Ask, Question

if TYPE_CHECKING:
    from collections import Counter

    from generators.tasks.program import Args, Traced
    from generators.tasks.telling import Telling
    from schemas.plan import Step
    from schemas.task import UserScript
    from services.runtime.environment import Environment, Footprint


class PlanError(Exception):
    """The program cannot be carried out as a gold plan: the candidate is dropped with this reason."""


class Attempt:
    """What one attempt has done so far."""

    def __init__(self, env: Environment, script: UserScript, telling: Telling, kept: Counter[str]) -> None:
        self.part = 0
        self.prefix = ""
        self.env = env
        self.granted = {consent.gate: consent.granted for consent in script.consents}
        self.once = {consent.gate for consent in script.consents if consent.once}
        self.telling = telling
        self.graph = Graph(env.now, telling.upfront, env.state_.base)
        self.changed_at: int | None = None
        """The step with whose answer the user changed their mind."""
        self.kept = kept
        """Calls for the first wish that are as good for the last one, by what is called with what."""
        self.standing: dict[str, list[int]] = {}
        """Such calls -> the steps that made them, and that nothing has taken up yet."""
        self._asked: dict[str, int] = {}
        """Fact kept back -> the step that asks for it."""
        self.told: dict[str, int] = {}
        """Answer told -> its node."""
        self.steps: list[Step] = []
        self.footprints: list[Footprint] = []
        self.gates: list[str] = []
        self.fresh: dict[str, tuple[Footprint, Traced]] = {}
        self.probes: set[int] = set()
        """Steps that showed a gate closed and nothing else."""

    def slot(self, name: str) -> Traced:
        """Return a value that the user told, under its name in the present part; ask for what was kept back."""
        name = self.prefix + name
        told = self.telling
        if self.changed_at is not None and name in told.changed:
            return self.graph.reply(self.changed_at, name, told.changed[name])
        if name in told.found:
            if told.found[name] not in self.told:
                msg = f"{told.found[name]} is not found out before it is needed"
                raise PlanError(msg)
            return p.Traced(None, self.told[told.found[name]])
        if name not in told.kept_back:
            return self.graph.slot(name)
        slot, value = told.kept_back[name]
        if slot not in self._asked:
            self.append(Question(slot=slot, value=told.facts[slot]), None)
            self._asked[slot] = len(self.steps) - 1
        return self.graph.reply(self._asked[slot], name, value)

    def append(self, step: Step, footprint: Footprint | None) -> None:
        """Add a step that was done, with what it read and wrote."""
        self.steps.append(step)
        self.footprints.append(footprint or type(self.env.footprint)(frozenset(), frozenset()))

    def forget(self, footprint: Footprint) -> None:
        """Forget the results of reads that a call has made stale."""
        self.fresh = {key: (seen, value) for key, (seen, value) in self.fresh.items() if not touches(footprint, seen)}

    def unasked(self) -> list[str]:
        """Return the facts kept back that no step asks for."""
        return sorted({slot for slot, _ in self.telling.kept_back.values()} - self._asked.keys())

    def question(self, gate: str, named: Args, *, granted: bool) -> Ask:
        """Return the question for the consent of a gate, which states the values `named`."""
        nodes = {key: self.graph.resolve(given).node for key, given in named.items()}
        values = {key: self.graph.values[node] for key, node in nodes.items()}
        return Ask(gate=gate, granted=granted, values=values, origins=nodes)


def touches(write: Footprint, read: Footprint) -> bool:
    """Return whether a call wrote a record that another had read, a scan counting as every record of its table."""
    tables = {table for table, key in read.reads if key == "*"}
    return any(entry in read.reads or entry[0] in tables for entry in write.writes)
