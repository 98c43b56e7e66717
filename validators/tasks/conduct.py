"""How the gold plan behaves: policy and confirmations hold, tools are offered, the user comes to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.plan import Ask, Call, Confirm, Tell
from services.runtime.algebra import Scope, compile_pred
from services.runtime.identity import by_identity
from services.runtime.state import State
from services.runtime.tools import call_key
from validators.contract.values import is_reason
from validators.tasks.told import telling_faults
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.certificate import Verdict
    from validators.tasks.context import TaskContext

_pred = by_identity(compile_pred)
_POLICY, _STOP, _OFFERED = "task.policy", "task.user_stops", "task.tools_offered"


def check_policy(context: TaskContext) -> Verdict:
    """Return whether every write keeps the services' policies, and calls that need the user's yes have it."""
    counts = {"writes": 0, "policies": 0, "confirmed": 0}
    faults = [*_policy_faults(context, counts), *_confirmation_faults(context, counts)]
    note = "" if counts["writes"] else "the plan writes nothing"
    return verdict(_POLICY, faults, counts, note=note)


def _policy_faults(context: TaskContext, counts: dict[str, int]) -> Iterator[str]:
    policies = [policy for service in context.catalogue.services.values() for policy in service.policies]
    row = {"permits": list(context.task.script.permits)}
    for number, step in _calls(context):
        tool = context.catalogue.tools[step.tool]
        counts["writes"] += tool.write
        for policy in policies:
            if policy.tool != step.tool:
                continue
            counts["policies"] += 1
            given = {name: step.arguments.get(name) for name in tool.arguments.__struct_fields__}
            if not _pred(policy.holds)(row, Scope(State(context.start), context.now, given)):
                yield f"step {number} ({step.tool}) breaks the policy {policy.name}: {policy.text}"


def _confirmation_faults(context: TaskContext, counts: dict[str, int]) -> Iterator[str]:
    """Yield calls without a yes to exactly their arguments before them, and a yes that no call uses."""
    open_yes: list[str] = []
    for number, step in enumerate(context.task.plan.steps):
        if isinstance(step, Confirm):
            open_yes.append(call_key(step.tool, step.arguments))
        elif isinstance(step, Call) and context.catalogue.tools[step.tool].confirm:
            key = call_key(step.tool, step.arguments)
            if key in open_yes:
                open_yes.remove(key)
                counts["confirmed"] += 1
            else:
                yield f"step {number} ({step.tool}) goes without the user's confirmation of its arguments"
    yield from (f"a confirmation is never used: {key}" for key in open_yes)


def check_user_stops(context: TaskContext) -> Verdict:
    """Return whether the user, by the script's rule, has no reason to stop at the start and has one at the end.

    The rule: the user stops when the request is met, or when the assistant has declined each part that cannot be met
    with its reason. Every question of the plan has an answer in the script.
    """
    faults = [*_unanswered(context), *telling_faults(context)]
    if context.judge.judge({}, {}, (), context.holds_at_start).passed:
        faults.append("the request is met before anything happens")
    told = {name for step in context.task.plan.steps if isinstance(step, Tell) for name in step.answers}
    reasons = {answer.name for answer in context.task.expectation.answers if answer.kind == "reason"}
    if {name for name in told if is_reason(name)} != reasons:
        faults.append("the plan does not decline just the parts that cannot be met")
    if not context.passes(context.gold):
        faults.append("the request is not met when the plan ends")
    return verdict(_STOP, faults)


def _unanswered(context: TaskContext) -> Iterator[str]:
    known = {consent.gate for consent in context.task.script.consents}
    for number, step in enumerate(context.task.plan.steps):
        if isinstance(step, Ask) and step.gate not in known:
            yield f"step {number} asks about {step.gate}, which the script does not know"


def check_tools_offered(context: TaskContext) -> Verdict:
    """Return whether each tool of the plan is offered to its side when the plan calls it."""
    faults: list[str] = []
    for number, step in _calls(context):
        tool = context.catalogue.tools[step.tool]
        # The gold was carried out as recorded: what was unlocked before a step is kept with it.
        unlocked = context.gold.snapshots[number].session.unlocked
        if tool.side != step.side or (tool.behind and tool.behind not in unlocked):
            faults.append(f"step {number}: {step.tool} is not offered to the {step.side}")
    return verdict(_OFFERED, faults, {"tools": len(context.task.tools)})


def _calls(context: TaskContext) -> Iterator[tuple[int, Call]]:
    yield from ((n, step) for n, step in enumerate(context.task.plan.steps) if isinstance(step, Call))
