"""Tasks of one scenario: twins differ in one thing that matters, variations in nothing but how they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import canonical
from validators.tasks.context import TaskContext
from validators.tasks.replay import run_foreign
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.task import Task

_CHECK = "task.kin"
UNDECIDED = "to be decided beside the task it comes from"
"""Said of a candidate that has no place yet; no kept task's certificate says so."""


def check_kin(context: TaskContext) -> Verdict:
    """Return whether a twin's gold and its partner's fail each other, or a variation asks for just what the other does.

    The task it comes from must be an earlier one of the same user. A candidate is looked at when it has its place.
    """
    task = context.task
    if task.kin is None:
        return verdict(_CHECK, [], note="the task is the first of its scenario")
    if not context.placed:
        return verdict(_CHECK, [], note=UNDECIDED)
    partner = next((peer for peer in context.peers if peer.task_id == task.kin.of), None)
    if partner is None:
        return verdict(_CHECK, [f"{task.kin.of} is no earlier task of the user's round"])
    if partner.ordinal >= task.ordinal:
        return verdict(_CHECK, [f"{partner.task_id} is no earlier task"])
    if partner.kin is not None:
        # So that kin form groups around one task, which says what all of them say.
        return verdict(_CHECK, [f"{partner.task_id} is itself a {partner.kin.kind} of {partner.kin.of}"])
    if partner.scenario != task.scenario:
        return verdict(_CHECK, [f"scenario is {task.scenario!r}, that of {partner.task_id} is {partner.scenario!r}"])
    counts = {"of": 0, "passed": 0}
    faults = (
        [*_twin_faults(context, partner, counts)] if task.kin.kind == "twin" else [*_variation_faults(task, partner)]
    )
    return verdict(_CHECK, faults, counts)


def _twin_faults(context: TaskContext, partner: Task, counts: dict[str, int]) -> Iterator[str]:
    task = context.task
    if task.instruction != partner.instruction or _told(task) != _told(partner):
        yield "the twins do not say the same"
    flips = [*_other_records(task, partner), *_other_consents(task, partner)]
    if len(flips) != 1:
        yield f"the twins differ in {len(flips)} things: {', '.join(flips) or 'none'}"
    other = TaskContext(context.user, partner)
    for one, plan, whose in ((context, partner.plan, partner.task_id), (other, task.plan, task.task_id)):
        passed = one.passes(run_foreign(one, plan))
        counts["of"] += 1
        counts["passed"] += passed
        if passed:
            yield f"the gold of {whose} passes its twin"
    context.foreign_calls += other.calls + other.foreign_calls


def _told(task: Task) -> list[Json]:
    """Return the slots with how they are told, what is permitted, and the change of mind, in a form that compares."""
    slots = [[use.intent, slot.name, slot.value, slot.told] for use in task.intents for slot in use.slots]
    change = task.script.change
    return [*slots, [*task.script.permits], None if change is None else change.model_dump(mode="json")]


def _other_records(task: Task, partner: Task) -> list[str]:
    """Return the records that stand otherwise at the start of one of the two."""
    one, other = ({(p.table, p.id): canonical(p.record) for p in each.setup} for each in (task, partner))
    return [
        f"{table}/{key}"
        for table, key in sorted(one.keys() | other.keys())
        if one.get((table, key)) != other.get((table, key))
    ]


def _other_consents(task: Task, partner: Task) -> list[str]:
    """Return the gates for which the two users answer differently."""
    one, other = (
        {c.gate: (c.granted, c.up_to_cents, c.once) for c in each.script.consents} for each in (task, partner)
    )
    return [f"the consent for {gate}" for gate in sorted(one.keys() | other.keys()) if one.get(gate) != other.get(gate)]


def _variation_faults(task: Task, partner: Task) -> Iterator[str]:
    if task.instruction == partner.instruction:
        yield "the variation reads as the other task does"
    same = {
        "start": (task.start_hash, partner.start_hash),
        "goals": (canonical(task.goals), canonical(partner.goals)),
        "expectation": (canonical(task.expectation), canonical(partner.expectation)),
        "consents": (canonical(task.script.consents), canonical(partner.script.consents)),
    }
    yield from (f"the variation has another {name}" for name, (one, other) in same.items() if one != other)
