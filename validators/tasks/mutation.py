"""Mutants: end-states and plans that go wrong in one respect must not pass.

Mutants of the end-state come from `validators.contract`, those of the plan from `validators.tasks.plan_mutants`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.runtime.streams import Stream
from validators.contract.mutation import run_mutants
from validators.contract.scene import Gold
from validators.tasks.plan_mutants import plan_mutants
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from schemas.certificate import Verdict
    from validators.tasks.context import TaskContext


def check_mutants(context: TaskContext) -> Verdict:
    """Return whether every mutant is rejected, or ends where an accepted outcome ends and is listed as equivalent."""
    task = context.task
    names = {name for contract in task.expectation.any_of for name in contract.relations}
    gold = context.gold
    stream = stream_of(context)
    mutation = run_mutants(
        context.judge,
        Gold(gold.delta, gold.answers, gold.asks, context.tables),
        task.expectation,
        context.catalogue.tables,
        {name: context.catalogue.invariants[name].holds for name in sorted(names)},
        context.holds_after,
        context.now,
        stream,
    )
    counts = mutation.counts()
    equivalent = [mutant.operator for mutant in mutation.equivalent]
    faults = [f"a {mutant.group} mutant passes: {mutant.operator}" for mutant in mutation.survivors]
    for operator, _, outcome, passed in plan_mutants(context, stream.child("plan")):
        told = outcome.answers == gold.answers and set(outcome.asks) >= set(gold.asks)
        excused = passed and told and context.is_accepted(outcome.delta)
        for what, counted in (("total", True), ("rejected", not passed), ("equivalent", excused)):
            key = f"plan/{operator}/{what}"
            counts[key] = counts.get(key, 0) + counted
        if excused:
            equivalent.append(operator)
        elif passed:
            faults.append(f"a plan mutant passes: {operator}")
    if not counts:
        faults.append("there is no mutant")
    return verdict("task.mutants", faults, counts, ",".join(equivalent))


def stream_of(context: TaskContext) -> Stream:
    """Return what the mutants of a task are chosen by: not its id, which a candidate gives up when it is kept."""
    return Stream("mutants", context.task.start_hash, context.task.end_hash)
