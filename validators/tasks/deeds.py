"""What a gold plan does beside looking and telling, found once per task."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from schemas.plan import Ask, Call, Confirm
from schemas.provenance import Result
from validators.tasks.graph import origins_of
from validators.tasks.told import superseded

if TYPE_CHECKING:
    from validators.tasks.context import TaskContext


class Deeds(NamedTuple):
    """Steps by their place in the gold plan."""

    acts: tuple[int, ...]
    """Calls that do something, confirmations, and consents that are refused."""
    calls: tuple[int, ...]
    """Those of them that are calls."""
    lasting: tuple[int, ...]
    """Those calls that are not taken back later, for a wish that the user gave up."""
    telling: frozenset[int]
    """Steps that can show that an act before them is missing, or is another one."""


_known: WeakKeyDictionary[TaskContext, Deeds] = WeakKeyDictionary()


def deeds_of(context: TaskContext) -> Deeds:
    """Return what the gold plan of a task does."""
    found = _known.get(context)
    if found is None:
        outdated, used = superseded(context), _used_results(context)
        acts = tuple(number for number in range(len(context.acts)) if _is_act(context, number))
        calls = tuple(number for number in acts if isinstance(context.acts[number].step, Call))
        lasting = tuple(number for number in calls if number not in outdated)
        telling = frozenset(n for n in range(len(context.acts)) if n in used or n in acts or _tells(context, n))
        found = _known[context] = Deeds(acts, calls, lasting, telling)
    return found


def _is_act(context: TaskContext, number: int) -> bool:
    """Return whether step `number` of the gold does something: it is neither a read nor a report."""
    step = context.task.plan.steps[number]
    if isinstance(step, Call):
        return step.side == "user" or context.catalogue.tools[step.tool].write or unlocks(context, number)
    # The question before a remedy is part of the remedy; a refused one stands for itself.
    return isinstance(step, Confirm) or (isinstance(step, Ask) and not step.granted)


def unlocks(context: TaskContext, number: int) -> bool:
    """Return whether step `number` of the gold makes further tools available."""
    snapshots = context.gold.snapshots
    return snapshots[number].session.unlocked != snapshots[number + 1].session.unlocked


def _tells(context: TaskContext, number: int) -> bool:
    """Return whether a step that does nothing can show that an act is missing, whatever takes up its result."""
    step = context.task.plan.steps[number]
    if not isinstance(step, Call):
        return True
    tool = context.catalogue.tools[step.tool]
    return bool(tool.gates or tool.behind)


def _used_results(context: TaskContext) -> set[int]:
    """Return the steps from whose results an argument of a call is read off."""
    plan = context.task.plan
    origins = [plan.nodes[node] for step in plan.steps if isinstance(step, Call) for node in origins_of(step)]
    return {origin.step for origin in origins if isinstance(origin, Result)}
