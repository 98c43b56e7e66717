"""What the user says when: with the request, in answer to a question, or otherwise on changing their mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from language.assumed import is_assumed
from schemas.base import canonical
from schemas.plan import Ask, Call, Question
from schemas.provenance import Result
from validators.tasks.context import slot_values
from validators.tasks.schema_slots import slot_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from schemas.task import Change, Slot
    from validators.tasks.context import TaskContext


def stated(context: TaskContext) -> list[Slot]:
    """Return the slots as the request states them: those told at once, with the values of the first wish."""
    first = context.task.script.change.first if context.task.script.change else {}
    return [
        slot.changed({"value": first[slot.name]}) if slot.name in first else slot
        for slot in context.told
        if slot.told == "upfront"
    ]


def restated(context: TaskContext) -> list[Slot]:
    """Return the slots that the user states anew on changing their mind, with the values of the last wish."""
    change = context.task.script.change
    return [slot for slot in context.told if change is not None and slot.name in change.first]


def values_of(slots: list[Slot]) -> dict[str, Json]:
    """Return the values of slots as the plan names them."""
    return slot_values({slot.name: (slot.kind, slot.value) for slot in slots})


def replies(context: TaskContext) -> dict[int, Mapping[str, Json]]:
    """Return what facts the user tells in answer to each step: its own for a question, the new wish for a consent."""
    kinds = {slot.name: slot.kind for slot in context.told}
    told: dict[int, Mapping[str, Json]] = {}
    turn = turning_point(context)
    for number, step in enumerate(context.task.plan.steps):
        if isinstance(step, Question) and step.slot in kinds:
            told[number] = slot_values({step.slot: (kinds[step.slot], step.value)})
    if turn is not None:
        told[turn] = values_of(restated(context))
    return told


def turning_point(context: TaskContext) -> int | None:
    """Return the step with whose answer the user changes their mind: the first that asks for the consent of the change.

    None when nobody changes their mind, or nothing asks.
    """
    change = context.task.script.change
    if change is None:
        return None
    steps = context.task.plan.steps
    return next((n for n, step in enumerate(steps) if isinstance(step, Ask) and step.gate == change.gate), None)


def kept_back(context: TaskContext) -> list[Slot]:
    """Return the slots that the user tells only when asked for them."""
    return [slot for slot in context.told if slot.told == "on_request"]


def spoken(context: TaskContext) -> list[Slot]:
    """Return all that the user ever says, with each of the values: a message is read with the words of all of them."""
    return [*stated(context), *restated(context), *kept_back(context)]


def given_up(context: TaskContext) -> frozenset[str]:
    """Return the names, as the plan has them, of the values that only the first wish had."""
    change = context.task.script.change
    return frozenset(values_of([slot for slot in stated(context) if change is not None and slot.name in change.first]))


def superseded(context: TaskContext) -> dict[int, int]:
    """Return the calls that served the first wish, with the steps that take them back.

    They were made before the user changed their mind, and are taken back after.
    """
    turn = turning_point(context)
    if turn is None:
        return {}
    plan, tools = context.task.plan, context.catalogue.tools
    found: dict[int, int] = {}
    for number, step in enumerate(plan.steps[turn:], turn):
        if not isinstance(step, Call):
            continue
        for argument, node in step.origins.items():
            origin = plan.nodes[node]
            made = plan.steps[origin.step] if isinstance(origin, Result) else None
            undo = tools[made.tool].undo if isinstance(made, Call) else None
            if (
                undo is not None
                and isinstance(origin, Result)
                and origin.step < turn
                and (step.tool, argument, [undo.field]) == (undo.tool, undo.argument, origin.path)
            ):
                found[origin.step] = number
    return found


def telling_faults(context: TaskContext) -> Iterator[str]:
    """Yield what is wrong with the facts that the user keeps back, and with a change of mind."""
    waiting = {slot.name: slot for slot in kept_back(context)}
    asked: set[str] = set()
    for number, step in enumerate(context.task.plan.steps):
        if not isinstance(step, Question):
            continue
        if step.slot not in waiting:
            yield f"step {number} asks for {step.slot!r}, which the user does not keep back"
        elif canonical(step.value) != canonical(waiting[step.slot].value):
            yield f"step {number}: the user answers {waiting[step.slot].value!r}, not {step.value!r}"
        if step.slot in asked:
            yield f"step {number} asks for {step.slot!r} again"
        asked.add(step.slot)
    for name in sorted(waiting.keys() - asked):
        yield f"the plan never asks for {name!r}, which the user keeps back"
    for name, slot in waiting.items():
        if is_assumed(slot.kind, slot.value):
            yield f"the user keeps back that {name!r} is {slot.value!r}, which anyone would assume"
    yield from _port_faults(context)
    change = context.task.script.change
    if change is not None:
        yield from _change_faults(context, change)


def _port_faults(context: TaskContext) -> Iterator[str]:
    """Yield slots that are said to be what an earlier part finds, and are not."""
    answers = {answer.name: answer.value for answer in context.task.expectation.answers}
    earlier: set[str] = set()
    for part in context.parts:
        for slot in part.use.slots:
            if slot.told != "by_part":
                if slot.source:
                    yield f"slot {part.use.prefix}{slot.name} has a source, and is told {slot.told}"
            elif slot.source.partition(".")[0] + "." not in earlier or slot.source not in answers:
                yield f"slot {part.use.prefix}{slot.name} is no answer of an earlier part: {slot.source!r}"
            elif canonical(answers[slot.source]) != canonical(slot.value):
                yield f"slot {part.use.prefix}{slot.name} is {slot.value!r}, {slot.source} is {answers[slot.source]!r}"
        earlier.add(part.use.prefix)


def _change_faults(context: TaskContext, change: Change) -> Iterator[str]:
    compiled = context.catalogue.gates.get(change.gate)
    if compiled is None or not compiled.gate.standing:
        yield f"the user changes their mind on {change.gate!r}, which is no standing gate"
    turn = turning_point(context)
    asked = None if turn is None else context.task.plan.steps[turn]
    if not isinstance(asked, Ask):
        yield f"the plan never asks about {change.gate}, with which the user changes their mind"
    elif not asked.granted:
        yield f"the user refuses {change.gate}, with which they change their mind"
    if change.gate not in {ask.gate for ask in context.task.expectation.asks}:
        yield f"nobody has to ask about {change.gate}, with which the user changes their mind"
    told = {slot.name: slot for slot in context.told if slot.told == "upfront"}
    if not change.first:
        yield "the user changes their mind about nothing"
    for name, value in change.first.items():
        slot = told.get(name)
        if slot is None:
            yield f"the user changes their mind about {name!r}, which they did not tell"
        elif canonical(slot.value) == canonical(value):
            yield f"the user changes their mind about {name!r}, and it stays {value!r}"
        else:
            yield from slot_faults(slot.changed({"value": value, "alternatives": []}))
            yield from _shared_faults(context, slot, value)


def _shared_faults(context: TaskContext, changed: Slot, first: Json) -> Iterator[str]:
    """Yield slots of other parts that state what the user takes back: it is open whether they are meant as well."""
    for part in context.parts:
        if changed.name in {part.use.prefix + slot.name for slot in part.use.slots}:
            continue
        for slot in part.use.slots:
            if slot.told == "upfront" and (slot.kind, canonical(slot.value)) == (changed.kind, canonical(first)):
                yield f"the user takes {first!r} back, which {part.use.prefix}{slot.name} states as well"
