"""What a gold plan does beside looking and telling, found once per task."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from schemas.plan import Call
from validators.tasks.minimality import is_act, matters, used_results
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
        outdated, used = superseded(context), used_results(context)
        acts = tuple(number for number in range(len(context.acts)) if is_act(context, number))
        calls = tuple(number for number in acts if isinstance(context.acts[number].step, Call))
        lasting = tuple(number for number in calls if number not in outdated)
        telling = frozenset(number for number in range(len(context.acts)) if matters(context, number, used))
        found = _known[context] = Deeds(acts, calls, lasting, telling)
    return found
