"""Mutants: end-states and plans that go wrong in one respect must not pass.

Mutants of the end-state come from `validators.contract`; those of the plan are carried out here: the right item in the
wrong packing, everything ordered twice, something left behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemas.plan import Call
from services.runtime.streams import Stream
from validators.contract.mutation import run_mutants
from validators.contract.scene import Gold
from validators.tasks.minimality import is_act
from validators.tasks.replay import Act, replay
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.base import Json
    from schemas.certificate import Verdict
    from services.runtime.declare import Alternative
    from validators.tasks.context import TaskContext


class PlanMutant(NamedTuple):
    """A plan that goes wrong in one respect."""

    operator: str
    acts: Sequence[Act]


def check_mutants(context: TaskContext) -> Verdict:
    """Return whether every mutant is rejected, or ends where an accepted outcome ends and is listed as equivalent."""
    task = context.task
    names = {name for contract in task.expectation.any_of for name in contract.relations}
    gold = context.gold
    mutation = run_mutants(
        context.judge,
        Gold(gold.delta, gold.answers, gold.asks, context.tables),
        task.expectation,
        context.catalogue.tables,
        {name: context.catalogue.invariants[name].holds for name in sorted(names)},
        context.holds_after,
        context.now,
        # Not by the task's id, which a candidate gives up when it is kept.
        Stream("mutants", task.start_hash, task.end_hash),
    )
    counts = mutation.counts()
    equivalent = [mutant.operator for mutant in mutation.equivalent]
    faults = [f"a {mutant.group} mutant passes: {mutant.operator}" for mutant in mutation.survivors]
    for mutant in plan_mutants(context):
        outcome = replay(context, mutant.acts, stop_at_error=True)
        if outcome.errors and outcome.delta == gold.delta:
            # What goes wrong could not be done: this is the gold and a failed call.
            continue
        passed = context.passes(outcome)
        excused = passed and outcome.answers == gold.answers and context.is_accepted(outcome.delta)
        for what, counted in (("total", True), ("rejected", not passed), ("equivalent", excused)):
            key = f"plan/{mutant.operator}/{what}"
            counts[key] = counts.get(key, 0) + counted
        if excused:
            equivalent.append(mutant.operator)
        elif passed:
            faults.append(f"a plan mutant passes: {mutant.operator}")
    if not counts:
        faults.append("there is no mutant")
    return verdict("task.mutants", faults, counts, ",".join(equivalent))


def plan_mutants(context: TaskContext) -> Iterator[PlanMutant]:
    """Yield the mutants of the gold plan. A call that fails cuts its plan short there."""
    yield from _wrong_pack(context)
    acts = [act for number, act in enumerate(context.acts) if is_act(context, number) and act.step.step != "ask"]
    if acts:
        yield PlanMutant("second_order", [*context.acts, *(Act(act.step, act.gold) for act in acts)])
    for act in acts:
        if isinstance(act.step, Call) and context.catalogue.tools[act.step.tool].undo is not None:
            yield PlanMutant("leftover", [*context.acts, Act(act.step)])


def _wrong_pack(context: TaskContext) -> Iterator[PlanMutant]:
    for number, act in enumerate(context.acts):
        if isinstance(act.step, Call):
            for other in context.catalogue.tools[act.step.tool].alternatives:
                arguments = _other_arguments(act.step.arguments, other)
                if arguments:
                    changed = Act(with_arguments(act.step, arguments), number)
                    yield PlanMutant("wrong_pack", [*context.acts[:number], changed, *context.acts[number + 1 :]])


def _other_arguments(arguments: Mapping[str, Json], other: Alternative) -> dict[str, Json]:
    """Return the arguments that an alternative changes; none where it does not apply."""
    if arguments.get(other.argument) != other.value:
        return {}
    changes: dict[str, Json] = {other.argument: other.other}
    if other.scaled:
        amount = arguments.get(other.scaled)
        if not isinstance(amount, int):
            return {}
        changes[other.scaled] = amount * other.times
    return changes


def with_arguments(step: Call, changes: Mapping[str, Json]) -> Call:
    """Return the call with some arguments given other values, which stand whatever earlier steps return."""
    origins = {path: node for path, node in step.origins.items() if path.split(".")[0] not in changes}
    return step.model_copy(update={"arguments": {**step.arguments, **changes}, "origins": origins})
