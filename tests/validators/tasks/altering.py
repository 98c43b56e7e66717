"""Faulty tasks that were executed for real: the plan changed, and everything recorded anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from schemas.base import Json
from schemas.contract import Contract, Expectation
from schemas.goal import Const, Test
from schemas.plan import Ask, Call, Step
from schemas.provenance import Decided, Policy, Result, UserReply
from schemas.task import Change
from tests.validators.tasks_support import altered
from validators.tasks import plan_mutants
from validators.tasks.context import TaskContext
from validators.tasks.execution import check_contract
from validators.tasks.mutation import check_mutants


def rerecorded(context: TaskContext, steps: Sequence[Step], **changes: object) -> TaskContext:
    """The task with this plan, executed as it stands: results, hashes and lists are those of the execution."""
    env = context.open()
    done: list[Step] = []
    for step in steps:
        if isinstance(step, Call):
            done.append(step.model_copy(update={"result": env.call(step.tool, step.arguments, step.side)}))
        else:
            if step.step == "confirm":
                env.confirm(step.tool, step.arguments)
            done.append(step)
    fields: dict[str, object] = {
        "end_hash": env.state_hash(),
        "tools": sorted({step.tool for step in done if isinstance(step, Call)}),
        "gates": sorted({step.gate for step in done if isinstance(step, Call | Ask) and step.gate}),
        "plan": context.task.plan.model_copy(update={"steps": done}),
    }
    return altered(context, **{**fields, **changes})


def inserted(context: TaskContext, at: int, *steps: Step, **changes: object) -> TaskContext:
    """The task with steps inserted before step `at`; the provenance graph follows."""
    plan = context.task.plan
    nodes = [
        origin.model_copy(update={"step": origin.step + len(steps)})
        if isinstance(origin, Result | UserReply) and origin.step >= at
        else origin
        for origin in plan.nodes
    ]
    moved = altered(context, plan=plan.model_copy(update={"nodes": nodes}))
    return rerecorded(moved, [*plan.steps[:at], *steps, *plan.steps[at:]], **changes)


def edited(context: TaskContext, at: int, change: Callable[[Call], Call], **changes: object) -> TaskContext:
    """The task with the call at `at` changed, executed anew."""
    steps = list(context.task.plan.steps)
    step = steps[at]
    assert isinstance(step, Call)
    steps[at] = change(step)
    return rerecorded(context, steps, **changes)


def call(tool: str, side: str = "assistant", gate: str = "", **arguments: Json) -> Call:
    """A call whose arguments come from nowhere."""
    return Call.model_validate({"side": side, "tool": tool, "arguments": arguments, "origins": {}, "gate": gate})


def deciding_on(context: TaskContext, step: int) -> TaskContext:
    """The task with a decision that depends on the result of `step`."""
    plan = context.task.plan
    size = len(plan.nodes)
    test = Test(fn="eq", left=Const(value=1), right=Const(value=1))
    nodes = [
        *plan.nodes,
        Policy(name="one", value=1),
        Result(step=step),
        Decided(test=test, args={"seen": size + 1, "one": size}),
    ]
    changed = {"nodes": nodes, "decisions": [*plan.decisions, size + 2]}
    return altered(context, plan=plan.model_copy(update=changed))


def expecting(context: TaskContext, **changes: object) -> TaskContext:
    """The task with its expectation changed."""
    return altered(context, expectation=context.task.expectation.model_copy(update=changes))


def contracted(context: TaskContext, change: Callable[[Contract], dict[str, object]]) -> TaskContext:
    """The task with its contracts changed."""
    contracts = [c.model_copy(update=change(c)) for c in context.task.expectation.any_of]
    return expecting(context, any_of=contracts)


def nothing_expected() -> Expectation:
    return Expectation(any_of=[Contract()])


def survivors(context: TaskContext) -> set[str]:
    """The mutants, by group and operator, that pass a task although its gold ends elsewhere.

    Of each operator on the plan, all that it has are tried.
    """
    assert check_contract(context).passed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan_mutants, "OPERATORS", tuple((n, operator, 99) for n, operator, _ in plan_mutants.OPERATORS))
        patch.setattr(plan_mutants, "MOST", 999)
        verdict = check_mutants(context)
    total = {key.removesuffix("/total"): number for key, number in verdict.counts.items() if key.endswith("/total")}
    found = {
        name
        for name, number in total.items()
        if number > verdict.counts[f"{name}/rejected"] + verdict.counts[f"{name}/equivalent"]
    }
    assert verdict.passed is not bool(found)
    return found


def told_otherwise(context: TaskContext, slot: str, **changes: object) -> TaskContext:
    """The task with one slot changed, named with its prefix."""
    intents = [
        use.model_copy(
            update={"slots": [s.model_copy(update=changes) if use.prefix + s.name == slot else s for s in use.slots]}
        )
        for use in context.task.intents
    ]
    return altered(context, intents=intents)


def changing(context: TaskContext, **changes: object) -> TaskContext:
    """The task with another change of mind."""
    change = context.task.script.change
    assert change is not None
    script = context.task.script.model_copy(update={"change": change.model_copy(update=changes)})
    return altered(context, script=script)


def change_of(context: TaskContext) -> Change:
    change = context.task.script.change
    assert change is not None
    return change
