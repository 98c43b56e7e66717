"""Plans that follow other words than the user's last ones: what could have been said, and what was said at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.provenance import Instruction, UserReply
from validators.tasks.altered import Deviation, call_at, changed, elsewhere, mattering, without
from validators.tasks.context import slot_values
from validators.tasks.deeds import deeds_of
from validators.tasks.execution import alike
from validators.tasks.replay import dig
from validators.tasks.told import stated, superseded, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from services.runtime.streams import Stream
    from validators.tasks.context import TaskContext


def misheard(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Take something else that the user could have said."""
    takers = _takers(context)
    for slot in stream.shuffled(context.told if takers else ()):
        for alternative in stream.shuffled(slot.alternatives):
            yield from _on_words(context, takers, slot_values({slot.name: (slot.kind, alternative)}))


def old_words(context: TaskContext, _: Stream) -> Iterator[Deviation]:
    """Keep to what the user wanted at first: do that, do it beside what they want by now, or take their first words."""
    old = superseded(context)
    if old:
        made = {(call_at(context, number).tool, call_at(context, number).part) for number in old}
        back = set(old.values())
        calls = [(n, call_at(context, n)) for n in deeds_of(context).lasting if n > min(old)]
        new = {number for number, step in calls if (step.tool, step.part) in made}
        yield Deviation(without(context, new | back))
        yield Deviation(without(context, back))
    if context.task.script.change is not None:
        yield from _on_words(context, _takers(context), values_of(stated(context)))


def _takers(context: TaskContext) -> dict[int, dict[str, str]]:
    """Return the calls that matter to the end and take up what the user told, with path and slot of what they take."""
    nodes = context.task.plan.nodes
    found: dict[int, dict[str, str]] = {}
    for number in mattering(context):
        for path, node in call_at(context, number).origins.items():
            origin = nodes[node]
            if isinstance(origin, Instruction | UserReply) and origin.slot:
                found.setdefault(number, {})[path] = origin.slot
    return found


def _on_words(
    context: TaskContext, takers: Mapping[int, Mapping[str, str]], told: Mapping[str, Json]
) -> Iterator[Deviation]:
    """Yield for each call that takes up one of the words in `told` the plan in which it takes that."""
    for number, slots in takers.items():
        values = {path: told[slot] for path, slot in slots.items() if slot in told}
        arguments = call_at(context, number).arguments
        if any(not alike(value, dig(arguments, path.split("."))) for path, value in values.items()):
            changes = elsewhere(context, number, values)
            if changes:
                yield Deviation(changed(context, changes))
