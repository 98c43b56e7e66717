"""Every told fact matters: another value of a slot, or a constraint left out, leads to another result.

What a listener may take in two ways must not: a period counted in days leads to the same with or without its first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from language.relative import other_readings
from validators.tasks.context import slot_values
from validators.tasks.derivation import derivations_of
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.task import Slot
    from validators.tasks.context import Part, TaskContext

_CHECK = "task.slots_matter"


def check_slots_matter(context: TaskContext) -> Verdict:
    """Return whether some alternative of each slot changes the result, and each constraint binds.

    A constraint binds when leaving out any condition that speaks of it changes the result.
    """
    change, kin = context.task.script.change, context.task.kin
    first = change.first if change is not None else {}
    if kin is not None and kin.kind == "twin":
        # A twin says what its partner says, and what matters there may be beside the point here.
        faults = [
            fault
            for part in context.parts
            for fault in (*_first_wish_faults(context, part, first), *_reading_faults(context, part))
        ]
        return verdict(_CHECK, faults, {"first_wish": len(first)}, "told as in the twin, where each fact matters")
    counts = {"slots": len(context.told), "changed": 0, "constraints": 0, "binding": 0, "first_wish": len(first)}
    faults = [fault for part in context.parts for fault in _part_faults(context, part, counts, first)]
    return verdict(_CHECK, faults, counts, note="" if context.told else "the task has no slots")


def _part_faults(context: TaskContext, part: Part, counts: dict[str, int], first: Mapping[str, Json]) -> list[str]:
    if not part.use.slots:
        return []
    derivations = derivations_of(context, part)
    faults: list[str] = []
    for slot in part.use.slots:
        if any(derivations.changes(slots=values) for values in _with_alternatives(part, slot)):
            counts["changed"] += 1
        else:
            faults.append(f"no alternative of slot {slot.name!r} changes the result")
    faults += _first_wish_faults(context, part, first)
    faults += _reading_faults(context, part)
    sites = [site for site in derivations.sites() if site.kind == "condition"]
    for slot in part.use.slots:
        if not slot.constraint:
            continue
        names = slot_values({slot.name: (slot.kind, slot.value)}).keys()
        conditions = [site for site in sites if not site.slots.isdisjoint(names)]
        binding = [site for site in conditions if derivations.without(site)]
        counts["constraints"] += len(conditions)
        counts["binding"] += len(binding)
        if not conditions:
            faults.append(f"no condition speaks of the constraint {slot.name!r}")
        elif len(binding) < len(conditions):
            faults.append(f"leaving out the constraint {slot.name!r} changes nothing")
    return faults


def _first_wish_faults(context: TaskContext, part: Part, first: Mapping[str, Json]) -> list[str]:
    """Return that a change of mind changes nothing, where it does not."""
    told = {slot.name: (slot.kind, slot.value) for slot in part.use.slots}
    earlier = {n: (k, first[part.use.prefix + n]) for n, (k, _) in told.items() if part.use.prefix + n in first}
    if not earlier or derivations_of(context, part).changes(slots=slot_values({**told, **earlier})):
        return []
    return [f"the first wish ({', '.join(sorted(earlier))}) leads to what the last one does"]


def _reading_faults(context: TaskContext, part: Part) -> list[str]:
    """Return the periods on whose first day it depends what is right, where that day may be meant or not."""
    told = {slot.name: (slot.kind, slot.value) for slot in part.use.slots}
    faults: list[str] = []
    for slot in part.use.slots:
        if slot.kind != "period" or slot.told != "upfront" or not isinstance(slot.value, list):
            continue
        for first, last in other_readings((str(slot.value[0]), str(slot.value[1])), context.now[:10]):
            values = slot_values({**told, slot.name: (slot.kind, [first, last])})
            if derivations_of(context, part).changes(slots=values):
                faults.append(f"{slot.name!r} may be taken to start on {first}, which changes the result")
    return faults


def _with_alternatives(part: Part, slot: Slot) -> Iterator[dict[str, Json]]:
    """Yield the slots of a part with each alternative of one slot in its place."""
    told = {other.name: (other.kind, other.value) for other in part.use.slots}
    for value in slot.alternatives:
        if value != slot.value:
            yield slot_values({**told, slot.name: (slot.kind, value)})
