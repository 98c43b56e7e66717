"""Nothing in the gold plan is idle: every act is missed by the judge, and every read leads to an act or an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import canonical
from schemas.plan import Ask, Call, Confirm, Question
from schemas.provenance import Instruction
from validators.tasks.deeds import deeds_of
from validators.tasks.execution import alike
from validators.tasks.graph import nodes_below, origins_of, steps_below
from validators.tasks.replay import replay, touches
from validators.tasks.told import given_up, superseded, turning_point
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.certificate import Verdict
    from schemas.plan import Step
    from validators.tasks.context import TaskContext
    from validators.tasks.replay import Act, Outcome


def check_drop_one(context: TaskContext) -> Verdict:
    """Return whether every step is needed: writes, acts of the user, confirmations, unlocks, refusals, and reads."""
    counts = {"writes/total": 0, "writes/needed": 0, "reads/total": 0, "reads/needed": 0}
    faults = [*_idle_acts(context, counts), *_idle_reads(context, counts)]
    faults += [*_idle_questions(context), *_idle_inquiries(context), *_idle_changes(context)]
    return verdict("task.drop_one", faults, counts)


def _idle_acts(context: TaskContext, counts: dict[str, int]) -> Iterator[str]:
    """Leave out each act in turn and go on, whatever fails then."""
    deeds, outdated = deeds_of(context), superseded(context)
    for number in deeds.acts:
        if number in outdated:
            # What served a wish that the user gave up was right when it was done.
            continue
        act = context.acts[number]
        counts["writes/total"] += 1
        later = [a for n, a in enumerate(context.acts[number + 1 :], number + 1) if n in deeds.telling]
        outcome = replay(context, [*context.acts[:number], *later])
        fault = _idle(context, act, outcome)
        counts["writes/needed"] += not fault
        if fault:
            yield f"step {number} ({_name(act)}) {fault}"


def _idle(context: TaskContext, act: Act, outcome: Outcome) -> str:
    gate = opened_gate(context, act.step)
    code = context.catalogue.gates[gate].gate.code if gate else ""
    if gate and any(fault.code == code and fault.gate == gate for fault in outcome.errors):
        # A consent given once, or on the way to a decline, leaves nothing that the judge misses: it shows on the way.
        return ""
    if context.passes(outcome):
        return "is not needed: without it the plan passes as well"
    return f"opens {gate}, yet without it no later call returns {code}" if gate else ""


def opened_gate(context: TaskContext, step: Step) -> str:
    """Return the gate that an act of the user is the remedy of, whether the plan says so or not; else nothing.

    A user may do the same for its own sake: then the goal writes what the remedy would change.
    """
    if not isinstance(step, Call) or step.side != "user":
        return ""
    if step.gate:
        remedy = context.catalogue.gates[step.gate].gate.remedy
        return "" if remedy is not None and step.arguments == remedy.takes_back else step.gate
    wanted = {write.table for goal in context.task.goals for write in goal.writes}
    for name, compiled in context.catalogue.gates.items():
        remedy, effect = compiled.gate.remedy, compiled.gate.effect
        if remedy is not None and remedy.tool == step.tool and effect and not wanted & {w.table for w in effect}:
            return name
    return ""


def _idle_questions(context: TaskContext) -> Iterator[str]:
    """Yield questions that the user grants and that no act of the user follows."""
    steps = context.task.plan.steps
    for number, step in enumerate(steps):
        if isinstance(step, Ask) and step.granted:
            later = (s for s in steps[number + 1 :] if isinstance(s, Ask | Call) and s.gate == step.gate)
            following = next((s for s in later if isinstance(s, Ask) or s.side == "user"), None)
            if not isinstance(following, Call):
                yield f"step {number} asks about {step.gate}, and nothing follows"


def _idle_inquiries(context: TaskContext) -> Iterator[str]:
    """Yield questions for a fact that nothing is made of."""
    steps = context.task.plan.steps
    needed = context.graph.reached([n for n, step in enumerate(steps) if not isinstance(step, Question)])
    for number, step in enumerate(steps):
        if isinstance(step, Question) and number not in needed:
            yield f"step {number} asks for {step.slot!r}, and no argument, decision, question or answer depends on it"


def _idle_changes(context: TaskContext) -> Iterator[str]:
    """Yield calls taken back after a change of mind that the last wish calls for as well, or the first did not."""
    steps = context.task.plan.steps
    turn = turning_point(context) or 0
    for number, undone in superseded(context).items():
        made = steps[number]
        calls = [step for step in steps[turn:] if isinstance(step, Call) and isinstance(made, Call)]
        if any(isinstance(made, Call) and c.tool == made.tool and alike(c.arguments, made.arguments) for c in calls):
            yield f"step {undone} takes back what step {number} did, and it is done again in the same way"
        elif not _serves_first_wish(context, number):
            yield f"step {number} is taken back by step {undone}, and the first wish did not call for it"


def _serves_first_wish(context: TaskContext, number: int) -> bool:
    """Return whether a call, or a decision taken before it, rests on a value that the user gave up."""
    plan, outdated = context.task.plan, given_up(context)
    earlier = [node for node in plan.decisions if all(step < number for step in steps_below(plan, [node]))]
    roots = [*origins_of(plan.steps[number]), *earlier]
    origins = (plan.nodes[node] for node in nodes_below(plan, roots))
    return any(isinstance(origin, Instruction) and origin.slot in outdated for origin in origins)


def _name(act: Act) -> str:
    step = act.step
    if isinstance(step, Confirm):
        return f"yes to {step.tool}"
    return step.tool if isinstance(step, Call) else step.step


def _idle_reads(context: TaskContext, counts: dict[str, int]) -> Iterator[str]:
    steps = context.task.plan.steps
    done = deeds_of(context).calls
    reads = [n for n, step in enumerate(steps) if isinstance(step, Call) and n not in done]
    needed = context.graph.reached([n for n in range(len(steps)) if n not in reads])
    calls = {n: canonical([step.tool, step.arguments]) for n, step in enumerate(steps) if isinstance(step, Call)}
    for number in reads:
        fault = ""
        if number not in needed:
            fault = "is not needed: no argument, decision, question or answer depends on it"
        elif (first := _repeats(context, number, calls)) is not None:
            fault = f"repeats step {first}, and nothing it reads has changed since"
        counts["reads/total"] += 1
        counts["reads/needed"] += not fault
        if fault:
            yield f"step {number} ({_name(context.acts[number])}) {fault}"


def _repeats(context: TaskContext, number: int, calls: Mapping[int, bytes]) -> int | None:
    """Return the earlier read that this one repeats although no record it reads was written in between.

    `calls` are the calls of the plan in canonical form.
    """
    footprints = context.gold.footprints
    for earlier in range(number - 1, -1, -1):
        if earlier in calls:
            if calls[earlier] == calls[number]:
                return earlier
            if footprints[earlier].writes and touches(footprints[number], footprints[earlier].writes):
                return None
    return None
