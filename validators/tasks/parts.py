"""Which part of a request each call of a plan serves: what can be told from the plan is held against what it says.

Parts are carried out one after the other. A call is made of what the user told for its part, or for one that it takes
something from; what opens a gate is done where it is first needed, and serves all parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.plan import Call
from schemas.provenance import Instruction, UserReply
from validators.tasks.graph import nodes_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schemas.plan import Plan
    from schemas.task import IntentUse, Task


def part_faults(task: Task) -> Iterator[str]:
    """Yield the calls that cannot serve the part they name. Nodes have to refer to earlier ones, and steps to nodes."""
    calls = [(number, step) for number, step in enumerate(task.plan.steps) if isinstance(step, Call)]
    strange = [(number, step.part) for number, step in calls if not 0 <= step.part < len(task.intents)]
    yield from (f"step {number} serves part {part}, which there is not" for number, part in strange)
    if strange or len(task.intents) == 1:
        return
    last = 0
    for number, step in calls:
        if step.gate:
            continue
        if step.part < last:
            yield f"step {number} serves part {step.part} after a step for part {last}"
        last = max(last, step.part)
        told = {name.partition(".")[0] for name in _slots_below(task.plan, step)}
        known = {str(part + 1) for part in _taken_from(task.intents, step.part)}
        if not told <= known:
            yield f"step {number} serves part {step.part} with what was told for another"


def _slots_below(plan: Plan, step: Call) -> set[str]:
    """Return the names of the slots that the arguments of a call come from."""
    origins = (plan.nodes[node] for node in nodes_below(plan, step.origins.values()))
    return {origin.slot for origin in origins if isinstance(origin, Instruction | UserReply)}


def _taken_from(intents: Sequence[IntentUse], part: int) -> set[int]:
    """Return a part, and the earlier ones whose answers are slots of it or of these."""
    numbers = [slot.source.partition(".")[0] for slot in intents[part].slots if slot.told == "by_part"]
    sources = {int(number) - 1 for number in numbers if number.isdecimal()}
    return {part}.union(*(_taken_from(intents, source) for source in sources if 0 <= source < part))
