"""Equivalent plans: what a good assistant may do differently must be accepted."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from schemas.plan import Ask, Call, Confirm
from services.runtime.identity import by_identity
from validators.tasks.altered import with_arguments
from validators.tasks.deeds import deeds_of, unlocks
from validators.tasks.replay import Act, replay, touches
from validators.tasks.told import superseded
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.certificate import Verdict
    from services.runtime.catalogue import Catalogue
    from validators.tasks.context import TaskContext

MAX_SWAPS = 4
UNKNOWN_ARGUMENT = "not_an_argument"


class Variant(NamedTuple):
    """Another plan that does the task."""

    operator: str
    acts: Sequence[Act]
    fails: Mapping[int, str] = {}
    """Position -> the error code that the call there must return; every other call must succeed."""


def check_equivalents(context: TaskContext) -> Verdict:
    """Return whether every equivalent plan is accepted."""
    counts: dict[str, int] = {}
    faults: list[str] = []
    for variant in variants(context):
        outcome = replay(context, variant.acts)
        judgement = context.judgement(outcome)
        fault = "" if judgement.passed else f"is rejected: {judgement.reason}"
        codes = {fault.at: fault.code for fault in outcome.errors}
        if codes != variant.fails:
            fault = (
                f"does not go as it should: errors {sorted(codes.items())}, expected {sorted(variant.fails.items())}"
            )
        for what, counted in (("total", True), ("accepted", not fault)):
            key = f"{variant.operator}/{what}"
            counts[key] = counts.get(key, 0) + counted
        if fault:
            faults.append(f"{variant.operator} {fault}")
    if not counts:
        faults.append("no equivalent plan was tried")
    return verdict("task.equivalents", faults, counts)


def variants(context: TaskContext) -> Iterator[Variant]:
    """Yield equivalent plans, at most a dozen or so."""
    yield from islice(_swaps(context), MAX_SWAPS)
    yield from _extra_reads(context)
    yield from _blocked_attempts(context)
    yield from _splits(context)
    yield from _added_and_undone(context)
    yield from _retry(context)
    yield from _asked_first(context)
    yield from _asked_again(context)


def _swaps(context: TaskContext) -> Iterator[Variant]:
    """Swap neighbouring calls that touch nothing of each other; those that write come first."""
    acts, footprints = context.acts, context.gold.footprints
    needs = context.graph.needs
    found: list[tuple[bool, int]] = []
    for number in range(len(acts) - 1):
        first, second = footprints[number], footprints[number + 1]
        if (
            isinstance(acts[number].step, Call)
            and isinstance(acts[number + 1].step, Call)
            and number not in needs[number + 1]
            and not (unlocks(context, number) or unlocks(context, number + 1))
            and not touches(second, first.writes)
            and not touches(first, second.writes)
        ):
            found.append((not (first.writes or second.writes), number))
    for _, number in sorted(found):
        yield Variant("swap", [*acts[:number], acts[number + 1], acts[number], *acts[number + 2 :]])


def _last_act(context: TaskContext) -> int:
    """Return the place of the last act that is a call; behind the plan when there is none."""
    return max(deeds_of(context).calls, default=len(context.acts))


def _inserted(context: TaskContext, place: int, acts: Sequence[Act]) -> list[Act]:
    return [*context.acts[:place], *acts, *context.acts[place:]]


@by_identity
def _free_reads(catalogue: Catalogue) -> list[str]:
    """Return the assistant's reads that need nothing: no argument, and nothing opened before."""
    return [
        tool.name
        for tool in catalogue.tools_of("assistant")
        if not (tool.write or tool.gates or tool.behind or tool.schema.get("required"))
    ]


def _extra_reads(context: TaskContext) -> Iterator[Variant]:
    """Repeat a read of the gold, and make one that the task has nothing to do with, before the last act."""
    done = deeds_of(context).calls
    looked = (a.step for n, a in enumerate(context.acts) if isinstance(a.step, Call) and n not in done)
    reads = [Act(step) for step in islice(looked, 1)]
    unrelated = [name for name in _free_reads(context.catalogue) if name not in context.task.tools]
    if unrelated:
        name = unrelated[int(context.task.start_hash[:8], 16) % len(unrelated)]
        reads.append(Act(Call(side="assistant", tool=name, arguments={}, origins={})))
    if reads:
        yield Variant("extra_reads", _inserted(context, _last_act(context), reads))


def _blocked_attempts(context: TaskContext) -> Iterator[Variant]:
    """Try the call that a gate blocks before the gate's remedy, as soon as its arguments are known."""
    tools = context.catalogue.tools
    needs = context.graph.needs
    calls = [(n, act.step) for n, act in enumerate(context.acts) if isinstance(act.step, Call)]
    for gate in context.task.gates:
        opened = next((n for n, step in calls if step.gate == gate and step.side == "user"), None)
        if opened is None:
            continue
        blocked = next((n for n, step in calls if n > opened and gate in tools[step.tool].gates), None)
        if blocked is None or any(n >= opened for n in needs[blocked]):
            continue
        first = min(n for n, step in calls if step.gate == gate)
        place = max([first, *(n + 1 for n in needs[blocked])])
        attempt = Act(context.acts[blocked].step)
        code = context.catalogue.gates[gate].gate.code
        yield Variant("blocked_attempt", _inserted(context, place, [attempt]), {place: code})


def _splits(context: TaskContext) -> Iterator[Variant]:
    """Make a call for three as one for one and one for two."""
    outdated = superseded(context)
    for number, act in enumerate(context.acts):
        # Of what is taken back later, only one half would be.
        if not isinstance(act.step, Call) or number in outdated:
            continue
        argument = context.catalogue.tools[act.step.tool].splits
        amount = act.step.arguments.get(argument)
        if argument and isinstance(amount, int) and amount > 1:
            parts = [
                Act(with_arguments(act.step, {argument: 1}), number),
                Act(with_arguments(act.step, {argument: amount - 1})),
            ]
            yield Variant("split", [*context.acts[:number], *parts, *context.acts[number + 1 :]])


def _added_and_undone(context: TaskContext) -> Iterator[Variant]:
    """Make a call, take it back, and make it again."""
    for number, act in enumerate(context.acts):
        if not isinstance(act.step, Call):
            continue
        undo = context.catalogue.tools[act.step.tool].undo
        if undo is not None:
            side = context.catalogue.tools[undo.tool].side
            back = Call(side=side, tool=undo.tool, arguments={}, origins={})
            acts = [Act(act.step), Act(back, takes=(undo.argument, undo.field))]
            yield Variant("add_then_undo", _inserted(context, number, acts))
            return


def _retry(context: TaskContext) -> Iterator[Variant]:
    """Make the last act, or the last call, with arguments that do not fit first."""
    place = _last_act(context)
    if place == len(context.acts):
        place = max((n for n, act in enumerate(context.acts) if isinstance(act.step, Call)), default=-1)
    step = context.acts[place].step if context.acts else None
    if place >= 0 and isinstance(step, Call):
        wrong = Act(with_arguments(step, {UNKNOWN_ARGUMENT: True}))
        yield Variant("retry", _inserted(context, place, [wrong]), {place: "INVALID_ARGUMENTS"})


def _asked_first(context: TaskContext) -> Iterator[Variant]:
    """Ask for the consent at which the user changes their mind before anything is done: nothing is to be taken back."""
    taken_back, change = superseded(context), context.task.script.change
    if not taken_back or change is None:
        return
    steps = context.task.plan.steps
    asking = [n for n, step in enumerate(steps) if isinstance(step, Call | Ask) and step.gate == change.gate]
    opened = next((n for n in asking if isinstance(step := steps[n], Call) and step.side == "user"), -1)
    first = [n for n in asking if n <= opened]
    idle = {*taken_back, *taken_back.values()}
    idle |= {n for n, step in enumerate(steps[:-1]) if isinstance(step, Confirm) and n + 1 in idle}
    rest = [n for n in range(len(steps)) if n not in idle and n not in first]
    yield Variant("asked_first", [context.acts[n] for n in (*first, *rest)])


def _asked_again(context: TaskContext) -> Iterator[Variant]:
    """Ask for a consent a second time: a nuisance, and no mistake."""
    for number in [n for n, act in enumerate(context.acts) if isinstance(act.step, Ask)][:1]:
        yield Variant("asked_again", _inserted(context, number + 1, [Act(context.acts[number].step)]))
