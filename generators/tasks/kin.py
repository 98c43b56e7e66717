"""Further tasks of a scenario: twins, in which one record or consent is different, and variations, told another way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, cast

from generators.tasks.draft import Wording, expected, script_of
from generators.tasks.expect import GoalError
from generators.tasks.telling import all_told, keep_back
from schemas.base import canonical
from schemas.plan import Call
from schemas.task import Kin, Patch
from services.functions import PartsConflict
from services.runtime.algebra import evaluate_goal
from services.runtime.records import to_data
from services.runtime.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.draft import Draft
    from generators.tasks.intent import Scene
    from schemas.contract import Expectation
    from schemas.task import Task, UserScript
    from services.runtime.state import Base
    from services.runtime.streams import Stream

TRIES = 30
"""Flips that are looked at for one twin."""
LOOKED_AT = 4
"""Records of a table that a flip is tried on, at most."""


def twin_drafts(scene: Scene, draft: Draft, task: Task, stream: Stream) -> Iterator[Draft]:
    """Yield drafts that differ from the one of `task` in one flip and want something else, in a drawn order.

    The user says the same. A part keeps its form where that is still right, else takes another form of its intent.
    """
    wording = Wording(task.instruction, task.script.change.message if task.script.change else "")
    kin = Kin(kind="twin", of=task.task_id)
    start = scene.patched(draft.setup)
    flips = [*_flipped_records(scene, draft, task, start, stream.child("records")), *_flipped_consents(draft)]
    for record, flipped in stream.child("order").shuffled(flips)[:TRIES]:
        found = _fitting(scene, replace(flipped, wording=wording, kin=kin), _essence(task.expectation, record), record)
        if found is not None:
            yield found


def variation_draft(draft: Draft, task: Task, stream: Stream) -> Draft:
    """Return the draft of the same scenario told in another way: another fact kept back, where there is one."""
    parts = keep_back(all_told(draft.parts), stream)
    return replace(draft, parts=tuple(parts), change=None, wording=None, kin=Kin(kind="variation", of=task.task_id))


Flipped: TypeAlias = tuple[tuple[str, str], "Draft"]
"""Table and id of the record that stands otherwise, empty for a consent, and the draft with it."""


def _flipped_consents(draft: Draft) -> list[Flipped]:
    gates = sorted({gate for part in draft.parts for gate in part.intent.gates})
    return [(("", ""), replace(draft, refused=draft.refused ^ {gate})) for gate in gates]


def _flipped_records(scene: Scene, draft: Draft, task: Task, start: Base, stream: Stream) -> list[Flipped]:
    """Return drafts in which one record that has to do with the task stands otherwise."""
    concerned = _concerned(scene, draft, task, start)
    setup = {(patch.table, patch.id): patch for patch in draft.setup}
    found: list[Flipped] = []
    for service in scene.catalogue.services.values():
        for flip in service.flips:
            records = start.tables[flip.table]
            keys = sorted(records) if len(records) <= LOOKED_AT else sorted(concerned & records.keys())
            for key in stream.child(flip.name).sample(keys, min(LOOKED_AT, len(keys))):
                changed = flip.change(records[key], scene.now)
                if changed is not None and changed != records[key]:
                    patch = Patch(table=flip.table, id=key, record=to_data(changed))
                    changed_start = tuple({**setup, (flip.table, key): patch}.values())
                    found.append(((flip.table, key), replace(draft, setup=changed_start)))
    return found


def _concerned(scene: Scene, draft: Draft, task: Task, start: Base) -> set[str]:
    """Return the texts among which the ids of the records are that the task has to do with."""
    found: set[str] = set()
    for step in task.plan.steps:
        if isinstance(step, Call):
            found.update(value for value in step.arguments.values() if isinstance(value, str))
    for part, goal in zip(draft.parts, task.goals, strict=True):
        nodes: Mapping[str, object] = evaluate_goal(goal, State(start), part.slots, scene.now).nodes
        for value in nodes.values():
            if isinstance(value, list):
                found.update(_texts(cast("list[Mapping[str, object]]", value)))
    return found


def _texts(rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    return (value for row in rows for value in row.values() if isinstance(value, str))


def _fitting(scene: Scene, draft: Draft, base: bytes, record: tuple[str, str]) -> Draft | None:
    """Return the draft with the forms that are right for it, when something else than in `base` is wanted."""
    start = scene.patched(draft.setup)
    script = script_of(scene, draft, draft.wording or Wording(""))
    parts: list[Bound] = []
    for part in draft.parts:
        right = next((form for form in _forms(part, draft.refused) if _is_right(scene, start, form, script)), None)
        if right is None:
            return None
        parts.append(right)
    try:
        _, wanted = expected(scene, start, parts, script)
    except PartsConflict:
        return None
    return None if _essence(wanted, record) == base else replace(draft, parts=tuple(parts))


def _essence(wanted: Expectation, record: tuple[str, str]) -> bytes:
    """Return what tells two expectations apart, but for what the fields of `record` end as, since it starts as another.

    Where just these differ, both may come of the same acts.
    """
    plain = [
        contract.model_copy(
            update={
                "changes": [
                    change.model_copy(update={"fields": {}}) if (change.table, change.id) == record else change
                    for change in contract.changes
                ]
            }
        )
        for contract in wanted.any_of
    ]
    return canonical(wanted.model_copy(update={"any_of": plain}))


def _is_right(scene: Scene, start: Base, part: Bound, script: UserScript) -> bool:
    """Return whether the goal of a part holds and asks for something in its form."""
    try:
        _, wanted = expected(scene, start, [part], script)
    except GoalError:
        return False
    demanded = any(contract.changes or contract.totals for contract in wanted.any_of)
    return demanded or bool(wanted.answers or wanted.asks)


def _forms(part: Bound, refused: frozenset[str]) -> Iterator[Bound]:
    """Yield a part in the forms of its intent that may be right: those that a refusal leads to, its own, the others."""
    own = part.binding.cell
    names = dict.fromkeys(cell.form for cell in part.intent.cells)
    forms = [replace(part, binding=replace(part.binding, cell=replace(own, form=name))) for name in names]
    gates = {form.template: decline.gate for form in forms if (decline := form.intent.goal(form.binding).decline)}
    # What a text of the user's states is read only in some forms, and on the way to a refusal not at all.
    if any(slot.told == "implicit" for slot in part.binding.slots):
        forms = [form for form in forms if form.binding.cell.form == own.form or gates.get(form.template)]
    possible = [form for form in forms if not gates.get(form.template) or gates[form.template] in refused]
    return iter(sorted(possible, key=lambda form: (not gates.get(form.template), form.binding.cell.form != own.form)))
