"""What the marking of a task needs to know, worked out once for all attempts at it."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from schemas.plan import Ask, Call, Tell
from services.functions import PartsConflict, merge_expectations
from validators.contract.values import is_reason
from validators.engine.expect import derive_expectation
from validators.engine.recipe import GoalMismatch
from validators.scoring.overlap import Calls
from validators.scoring.reading import reader_of
from validators.tasks.context import slot_values
from validators.tasks.graph import steps_below

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from schemas.contract import Expectation
    from services.runtime.declare import Gate
    from validators.tasks.context import Part, TaskContext


class Marking:
    """A task as its attempts are marked. Everything is worked out when first asked for and then kept."""

    def __init__(self, context: TaskContext) -> None:
        """Look at the task of a context; the context itself is not kept."""
        task, catalogue = context.task, context.catalogue
        self.reader = reader_of(context)
        self.calls = Calls(context)
        self.gates: dict[str, Gate] = {name: one.gate for name, one in catalogue.gates.items()}
        self._plan = task.plan
        self.asked = frozenset(step.gate for step in task.plan.steps if isinstance(step, Ask))
        """Gates that the gold plan asks about."""
        self.met_gates = self.asked | set(task.gates) | {consent.gate for consent in task.script.consents}
        """Gates that the request may meet."""
        self.kept_back = [slot.name for slot in context.told if slot.told == "on_request"]
        """Facts that the user tells when asked."""
        self.upfront = frozenset(slot.name for slot in context.told if slot.told == "upfront")
        """Facts that the request tells."""
        tools = catalogue.tools
        self.writes = frozenset(name for name, tool in tools.items() if tool.write)
        self.undoing = frozenset(tool.undo.tool for tool in tools.values() if tool.undo is not None)
        """Tools that take another call back."""
        self.yes_cues = {
            name: (*(() if tool.asking is None else tool.asking.cues), name)
            for name, tool in tools.items()
            if tool.confirm or tool.approval is not None
        }
        """Tool that needs the user's yes -> phrases by which a message is known to ask for it."""
        opening = {gate.remedy.tool for gate in self.gates.values() if gate.remedy is not None}
        self.remedies = frozenset(name for name in opening if tools[name].approval is None)
        """Tools by which the user opens gates and that pay for nothing."""
        self.reasons = {one.name: str(one.value) for one in task.expectation.answers if is_reason(one.name)}
        """Reasons that are to be told."""
        self.refusals = [name for name, value in self.reasons.items() if value in ("consent_refused", "cannot_afford")]
        """Those of them that the user's answer to a question shows."""
        self.can_be_met = any(goal.decline is None for goal in task.goals)
        """Whether something of the request can be met."""
        self.demands_change = any(contract.changes for contract in task.expectation.any_of)

    @cached_property
    def gold_writes(self) -> Counter[str]:
        """The writes of both sides in the gold plan."""
        steps = [step for step in self._plan.steps if isinstance(step, Call) and step.tool in self.writes]
        return Counter(self.calls.key(step.tool, step.arguments) for step in steps)

    @cached_property
    def evidence(self) -> dict[str, frozenset[str]]:
        """Answer -> the tools whose results show it in the gold plan; for a reason, all reads of its part."""
        found: dict[str, frozenset[str]] = {}
        steps = self._plan.steps
        for step in steps:
            if not isinstance(step, Tell):
                continue
            for name, node in step.origins.items():
                shown = [steps[place] for place in steps_below(self._plan, [node])]
                found[name] = frozenset(one.tool for one in shown if isinstance(one, Call))
        reads = [one for one in steps if isinstance(one, Call) and one.tool not in self.writes]
        for name in self.reasons:
            prefix = name.removesuffix("reason")
            part = int(prefix.rstrip(".")) - 1 if prefix else 0
            found[name] = frozenset(one.tool for one in reads if one.part == part)
        return found


_markings: WeakKeyDictionary[TaskContext, Marking] = WeakKeyDictionary()


def marking_of(context: TaskContext) -> Marking:
    """Return the marking of a task, worked out once per context."""
    found = _markings.get(context)
    if found is None:
        found = _markings[context] = Marking(context)
    return found


def first_wish(context: TaskContext) -> Expectation | None:
    """Return what the task would expect, had the user not changed their mind; None where nothing would be right."""
    change = context.task.script.change
    if change is None:
        return None
    try:
        return merge_expectations(
            [(part.use.prefix, _wanted_first(context, part, change.first)) for part in context.parts]
        )
    except (GoalMismatch, PartsConflict):
        # The first wish could not have been met beside the other parts: no end fits it.
        return None


def _wanted_first(context: TaskContext, part: Part, first: Mapping[str, Json]) -> Expectation:
    told = {slot.name: (slot.kind, first.get(part.use.prefix + slot.name, slot.value)) for slot in part.use.slots}
    gates = {name: one.gate for name, one in context.catalogue.gates.items()}
    return derive_expectation(
        part.goal,
        slot_values(told),
        context.now,
        context.task.script,
        gates,
        context.catalogue.tables,
        context.db,
    )
