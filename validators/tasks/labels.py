"""Labels of a task, worked out again: form, template, features, level, family, scenario, and what the user consents to.

They decide nothing that is executed, and users of the data select by them. Each follows from the rest of the record by
a rule that is stated here once more and, for readers, in `docs/how-it-works.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import digest
from schemas.goal import Const, Has, Table
from services.runtime.identity import by_identity
from validators.tasks.declining import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.goal import Goal
    from schemas.task import IntentUse, Task
    from services.runtime.catalogue import Catalogue
    from validators.tasks.context import TaskContext

FULFIL = "fulfil"
HARD_FROM = 2
"""Features from which a task is hard."""
LONG_PLAN = 10
"""Steps above which a plan is long."""
MANY_SLOTS = 4
"""Slots above which the conditions are many."""


def label_faults(context: TaskContext) -> Iterator[str]:
    """Yield the labels that are not what the rest of the record gives."""
    task = context.task
    if len(task.intents) != len(task.goals):
        yield f"there are {len(task.intents)} intents and {len(task.goals)} goals"
        return
    forms = [form_of(goal) for goal in task.goals]
    for number, (use, form) in enumerate(zip(task.intents, forms, strict=True), 1):
        prefix = f"{number}." if len(forms) > 1 else ""
        if use.prefix != prefix:
            yield f"the prefix of {use.intent} is {use.prefix!r}, as part {number} of {len(forms)} it is {prefix!r}"
        if use.form != form:
            yield f"the form of {use.intent} is {use.form!r}, its goal is {form!r}"
    features = features_of(task)
    expected = {
        "template": " + ".join(map(template_of, task.intents)),
        "features": features,
        "level": "hard" if len(features) >= HARD_FROM else "easy",
    }
    if task.kin is None or task.kin.kind != "twin":
        # That of a twin is its partner's, which is looked at where both are there.
        expected["scenario"] = scenario_of(task, context.user.record.environment_id)
    for name, value in expected.items():
        if getattr(task, name) != value:
            yield f"{name} is {getattr(task, name)!r}, the record gives {value!r}"
    families = families_of(task, context.catalogue)
    if task.family not in families:
        yield f"family is {task.family!r}, the record gives {' or '.join(sorted(families)) or 'none'}"
    yield from _script_faults(task, context.catalogue)


def form_of(goal: Goal) -> str:
    """Return the reason of a decline, else `fulfil`."""
    return FULFIL if goal.decline is None else goal.decline.reason


def template_of(use: IntentUse) -> str:
    """Return intent and form, and the variant where there is one."""
    return "/".join(filter(None, (use.intent, use.form, use.variant)))


def features_of(task: Task) -> list[str]:
    """Return what makes a task harder than reading one number, sorted."""
    slots = [slot for use in task.intents for slot in use.slots]
    features: list[str] = []
    if any(slot.told == "by_part" for slot in slots):
        features.append("chained_parts")
    if task.script.change is not None:
        features.append("change_of_mind")
    if task.gates:
        features.append("closed_gate")
    if any(goal.decline is not None for goal in task.goals):
        features.append("decline")
    if any(slot.kind == "money_cents" for slot in slots):
        features.append("limit")
    if any(consent.once or consent.up_to_cents is not None for consent in task.script.consents):
        features.append("limited_consent")
    if len(task.plan.steps) > LONG_PLAN:
        features.append("long_plan")
    if len(slots) > MANY_SLOTS:
        features.append("many_conditions")
    if len(task.gates) > 1:
        features.append("several_gates")
    if len(task.intents) > 1:
        features.append("several_intents")
    if any(slot.told == "on_request" for slot in slots):
        features.append("told_on_request")
    return features


def families_of(task: Task, catalogue: Catalogue) -> set[str]:
    """Return the parts of life that a task may be said to belong to, by the services that its first goal concerns.

    A goal that changes records leaves no choice: the first of them decides. Without any it is that of something the
    goal looks at, or that has a gate on whose consent the user would be asked.
    """
    goal = next(iter(task.goals), None)
    families, gates = _families(catalogue)
    changed = [families.get(write.table, "") for write in goal.writes] if goal is not None else []
    for family in filter(None, changed):
        return {family}
    looked_at = [families.get(part.table, "") for part in parts_of(goal) if isinstance(part, Table)] if goal else []
    asked = [gates.get(consent.gate, "") for consent in task.script.consents]
    return {*looked_at, *asked} - {""}


@by_identity
def _families(catalogue: Catalogue) -> tuple[dict[str, str], dict[str, str]]:
    """Return the part of life of each table and of each gate."""
    services = catalogue.services.values()
    tables = {table.name: s.family for s in services for table in (*s.tables, *s.world_tables)}
    return tables, {gate.name: s.family for s in services for gate in s.gates}


def scenario_of(task: Task, environment_id: str) -> str:
    """Return the digest of environment, intents with the values of their slots, and setup."""
    asked = [[use.intent, use.form, use.variant, [[s.name, s.value] for s in use.slots]] for use in task.intents]
    return digest([environment_id, asked, [patch.model_dump() for patch in task.setup]])[:16]


@by_identity
def _permits(catalogue: Catalogue) -> set[str]:
    """Return what a request can permit, by the policies that ask for it."""
    parts = (part for s in catalogue.services.values() for policy in s.policies for part in parts_of(policy.holds))
    found = (part.value for part in parts if isinstance(part, Has) and part.column == "permits")
    return {value.value for value in found if isinstance(value, Const) and isinstance(value.value, str)}


def _script_faults(task: Task, catalogue: Catalogue) -> Iterator[str]:
    """Yield consents that are not what the goals call for: a decline refuses its gate, all others are granted."""
    consents = {consent.gate: consent.granted for consent in task.script.consents}
    named = [consent.gate for consent in task.script.consents]
    if named != sorted(named):
        yield f"the consents are not sorted by gate: {named}"
    for gate in sorted(consents.keys() - catalogue.gates.keys()):
        yield f"there is no gate {gate!r} to consent to"
    for gate in sorted({gate for goal in task.goals for gate in goal.gates} - consents.keys()):
        yield f"the script does not say what the user answers for {gate}"
    if task.script.permits != sorted(set(task.script.permits) & _permits(catalogue)):
        yield f"the permits are {task.script.permits}, policies know {sorted(_permits(catalogue))}"
    refused = {goal.decline.gate for goal in task.goals if goal.decline is not None and goal.decline.gate}
    for consent in task.script.consents:
        gate = catalogue.gates[consent.gate].gate if consent.gate in catalogue.gates else None
        if consent.once and not (consent.granted and gate is not None and gate.remedy and gate.remedy.takes_back):
            yield f"the consent for {consent.gate} is given once, and cannot be taken back"
        if consent.up_to_cents is not None and not (gate is not None and gate.accumulates):
            yield f"the consent for {consent.gate} has a limit, and it is for no amount"
        if consent.up_to_cents is not None and consent.up_to_cents <= 0:
            yield f"the limit for {consent.gate} is {consent.up_to_cents}: that is no amount anyone agrees to"
    twin = task.kin is not None and task.kin.kind == "twin"
    for gate, granted in consents.items():
        # What a twin's user refuses may not come up in it: it is its partner that turns on it.
        if granted is (gate in refused) and not (twin and not granted):
            yield f"the user {'grants' if granted else 'refuses'} {gate}, the goals want the opposite"
    refused = {gate for gate, granted in consents.items() if not granted} if twin else refused
    amounts = {gate for gate in refused if gate in catalogue.gates and catalogue.gates[gate].gate.accumulates}
    if (task.script.top_up == "refuse") is not bool(amounts):
        yield f"the script says {task.script.top_up!r} to a missing amount, the goals want the opposite"
