"""Building blocks of altered plans: steps with other arguments, left out, or beside those of the gold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from schemas.plan import Call, Confirm, Tell
from schemas.provenance import Result
from validators.tasks.deeds import deeds_of
from validators.tasks.execution import alike
from validators.tasks.replay import Act, dig

if TYPE_CHECKING:
    from schemas.base import Json
    from services.runtime.streams import Stream
    from validators.tasks.context import TaskContext


class Deviation(NamedTuple):
    """A plan that goes wrong in one respect."""

    acts: Sequence[Act]
    goes_on: bool = False
    """Whether the steps after a call that fails are carried out."""


Operator: TypeAlias = "Callable[[TaskContext, Stream], Iterator[Deviation]]"
"""Yields the deviations of one kind from the gold plan, those that say most first; the stream chooses among equals."""


def call_at(context: TaskContext, number: int) -> Call:
    """Return step `number` of the gold, a call. Raise TypeError when it is none."""
    step = context.acts[number].step
    if not isinstance(step, Call):
        msg = f"step {number} is no call"
        raise TypeError(msg)
    return step


def with_arguments(step: Call, changes: Mapping[str, Json]) -> Call:
    """Return the call with the values at dotted paths replaced; they stand whatever earlier steps return."""
    arguments: Json = step.arguments
    for path, value in changes.items():
        arguments = _put(arguments, path.split("."), value)
    origins = {
        path: node
        for path, node in step.origins.items()
        if not any(path == changed or path.startswith(f"{changed}.") for changed in changes)
    }
    return step.changed({"arguments": arguments, "origins": origins})


def _put(value: Json, path: Sequence[str], new: Json) -> Json:
    """Return `value` with `new` at `path`, whose last name may be a new one."""
    if not path:
        return new
    if isinstance(value, list):
        place = int(path[0])
        return [*value[:place], _put(value[place], path[1:], new), *value[place + 1 :]]
    fields = value if isinstance(value, dict) else {}
    return {**fields, path[0]: _put(fields.get(path[0]), path[1:], new)}


def changed(context: TaskContext, changes: Mapping[int, Mapping[str, Json]]) -> list[Act]:
    """Return the gold with arguments of some calls replaced; what the user confirmed goes with them."""
    acts = list(context.acts)
    for number, values in changes.items():
        step = with_arguments(call_at(context, number), values)
        acts[number] = Act(step, number)
        said = confirmation(context, number)
        if said is not None:
            acts[said] = Act(Confirm(tool=step.tool, arguments=step.arguments), said)
    return lean(context, acts)


def elsewhere(context: TaskContext, number: int, values: Mapping[str, Json]) -> dict[int, dict[str, Json]]:
    """Return what changes when a call is made with other arguments: it, or what later calls take off its result.

    Nothing does where the call only looks, and what is taken from there is the same or not to be found.
    """
    deeds = deeds_of(context)
    if number in deeds.lasting:
        return {number: dict(values)}
    taken = list(_taken_from(context, number))
    if not taken:
        return {}
    env = context.open()
    env.restore(context.gold.snapshots[number])
    context.calls += 1
    step = with_arguments(call_at(context, number), values)
    result = env.call(step.tool, step.arguments, step.side)
    changes: dict[int, dict[str, Json]] = {}
    for later, path, origin in taken:
        try:
            value = dig(result, origin.path)
        except (KeyError, IndexError):
            continue
        if not alike(value, dig(call_at(context, later).arguments, path.split("."))):
            changes.setdefault(later, {})[path] = value
    return {number: dict(values), **changes} if changes else {}


def mattering(context: TaskContext) -> list[int]:
    """Return the calls that do something, and those that they take something off as it stands."""
    origins = context.task.plan.nodes
    nodes = [node for number in deeds_of(context).lasting for node in call_at(context, number).origins.values()]
    read = [origin.step for origin in map(origins.__getitem__, nodes) if isinstance(origin, Result)]
    return sorted({*deeds_of(context).lasting, *read})


def _taken_from(context: TaskContext, number: int) -> Iterator[tuple[int, str, Result]]:
    """Yield the arguments of later acts that are read off the result of a call as they stand."""
    for later in deeds_of(context).lasting:
        for path, node in call_at(context, later).origins.items():
            origin = context.task.plan.nodes[node]
            if isinstance(origin, Result) and origin.step == number:
                yield later, path, origin


def confirmation(context: TaskContext, number: int) -> int | None:
    """Return the step with which the user says yes to call `number`."""
    call = call_at(context, number)
    for earlier in range(number - 1, -1, -1) if context.catalogue.tools[call.tool].confirm else ():
        step = context.acts[earlier].step
        if isinstance(step, Confirm) and step.tool == call.tool and alike(step.arguments, call.arguments):
            return earlier
    return None


def without(context: TaskContext, left_out: Collection[int]) -> list[Act]:
    """Return the gold without some acts."""
    return lean(context, [act for number, act in enumerate(context.acts) if number not in left_out])


def inserted(context: TaskContext, place: int, act: Act) -> list[Act]:
    """Return the gold with something done before step `place`."""
    return lean(context, [*context.acts[:place], act, *context.acts[place:]])


def done_for(context: TaskContext, part: int) -> set[int]:
    """Return the calls that one part of the task asks for, and the user's yes to them; what opens gates stays out."""
    calls = [n for n in deeds_of(context).calls if call_at(context, n).part == part and not call_at(context, n).gate]
    said = [confirmation(context, number) for number in calls]
    return {*calls, *(number for number in said if number is not None)}


def retold(context: TaskContext, answers: Mapping[str, Json], left_out: Collection[int] = ()) -> list[Act]:
    """Return the gold without some acts, with some answers told otherwise; null leaves an answer out.

    Answers that the gold does not tell are told at the end.
    """
    acts: list[Act] = []
    for number, act in enumerate(context.acts):
        step = act.step
        if isinstance(step, Tell) and step.answers.keys() & answers.keys():
            told = {name: answers.get(name, value) for name, value in step.answers.items()}
            acts += _report(told, number)
        elif number not in left_out:
            acts.append(act)
    acts += _report({name: value for name, value in answers.items() if name not in context.gold.answers}, None)
    return lean(context, acts) if left_out else acts


def _report(answers: Mapping[str, Json], number: int | None) -> list[Act]:
    told: dict[str, Json] = {name: value for name, value in answers.items() if value is not None}
    return [Act(Tell(answers=told, origins={}), number)] if told else []


def moved(context: TaskContext, number: int, before: int) -> list[Act]:
    """Return the gold with one act moved before another step."""
    acts = list(context.acts)
    acts[number : number + 1] = []
    acts.insert(before - (before > number), context.acts[number])
    return lean(context, acts)


def lean(context: TaskContext, acts: Sequence[Act]) -> list[Act]:
    """Return a plan without the reads that can show nothing any more once it has left the gold."""
    gold = context.acts
    first = next((n for n, (act, other) in enumerate(zip(acts, gold, strict=False)) if act is not other), len(gold))
    telling = deeds_of(context).telling
    idle = {id(act) for number, act in enumerate(gold) if number not in telling}
    return [*acts[:first], *(act for act in acts[first:] if id(act) not in idle)]
