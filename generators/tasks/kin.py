"""Further tasks of a scenario: twins, in which one record or consent is different, and variations, told another way."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from generators.tasks.draft import Wording, script_of
from generators.tasks.start import Start
from generators.tasks.telling import all_told, keep_back
from generators.tasks.wanted import Wanted
from schemas.base import canonical
from schemas.plan import Call
from schemas.task import Kin, Patch
from services.functions import PartsConflict, merge_expectations
from services.runtime.records import to_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.draft import Draft
    from generators.tasks.intent import Scene
    from schemas.contract import Expectation
    from schemas.goal import Goal
    from schemas.task import Task
    from services.runtime.records import Record
    from services.runtime.streams import Stream

TRIES = 16
"""Flips that are looked at for one twin."""
LOOKED_AT = 4
"""Records of a table that a flip is tried on, at most."""


def twin_drafts(start: Start, draft: Draft, task: Task, stream: Stream) -> Iterator[Draft]:
    """Yield drafts that differ from the one of `task` in one flip and want something else, in a drawn order.

    The user says the same. A part keeps its form where that is still right, else takes another form of its intent.
    """
    wording = Wording(task.instruction, task.script.change.message if task.script.change else "")
    kin = Kin(kind="twin", of=task.task_id)
    draft = replace(draft, limits=_limits(task))
    flips = [*_flipped_records(start, draft, task, stream.child("records")), *_flipped_consents(draft)]
    forms = _Forms(start.scene, draft.parts)
    for record, flipped in stream.child("order").shuffled(flips)[:TRIES]:
        told = replace(flipped(), wording=wording, kin=kin)
        fitting = forms.fitting(told)
        if fitting is not None and _essence(fitting[1], record) != _essence(task.expectation, record):
            parts, wanted = fitting
            yield replace(told, parts=tuple(parts), wanted=wanted)


def variation_draft(draft: Draft, task: Task, stream: Stream) -> Draft:
    """Return the draft of the same scenario told in another way: another fact kept back, where there is one."""
    parts = keep_back(all_told(draft.parts), stream)
    kin = Kin(kind="variation", of=task.task_id)
    return replace(draft, parts=tuple(parts), change=None, wording=None, kin=kin, limits=_limits(task))


def _limits(task: Task) -> dict[str, int]:
    return {c.gate: c.up_to_cents for c in task.script.consents if c.up_to_cents is not None}


Flipped: TypeAlias = tuple[tuple[str, str], "Callable[[], Draft]"]
"""Table and id of the record that stands otherwise, empty for a consent, and what makes the draft with it.

Few of them are ever looked at.
"""


def _flipped_consents(draft: Draft) -> list[Flipped]:
    gates = sorted({gate for part in draft.parts for gate in part.intent.gates})
    flipped: list[Flipped] = []
    for gate in gates:
        limits = {other: cents for other, cents in (draft.limits or {}).items() if other != gate}
        flip = partial(replace, draft, refused=draft.refused ^ {gate}, limits=limits, once=draft.once - {gate})
        flipped.append((("", ""), flip))
    return flipped


def _flipped_records(start: Start, draft: Draft, task: Task, stream: Stream) -> list[Flipped]:
    """Return drafts in which one record that has to do with the task stands otherwise."""
    concerned = _concerned(start, draft, task)
    found: list[Flipped] = []
    for service in start.scene.catalogue.services.values():
        for flip in service.flips:
            records = start.base.tables[flip.table]
            keys = sorted(records) if len(records) <= LOOKED_AT else sorted(concerned & records.keys())
            for key in stream.child(flip.name).sample(keys, min(LOOKED_AT, len(keys))):
                changed = flip.change(records[key], start.scene.now)
                if changed is not None and changed != records[key]:
                    found.append(((flip.table, key), partial(_with_record, draft, flip.table, changed)))
    return found


def _with_record(draft: Draft, table: str, record: Record) -> Draft:
    """Return the draft with one record of the start in another state."""
    setup = {(patch.table, patch.id): patch for patch in draft.setup}
    setup[table, record.id] = Patch(table=table, id=record.id, record=to_data(record))
    return replace(draft, setup=tuple(setup.values()))


def _concerned(start: Start, draft: Draft, task: Task) -> set[str]:
    """Return the texts among which the ids of the records are that the task has to do with."""
    found: set[str] = set()
    for step in task.plan.steps:
        if isinstance(step, Call):
            found.update(value for value in step.arguments.values() if isinstance(value, str))
    for part, goal in zip(draft.parts, task.goals, strict=True):
        nodes: Mapping[str, object] = start.scope(goal, part.slots).nodes
        for value in nodes.values():
            if isinstance(value, list):
                found.update(_texts(cast("list[Mapping[str, object]]", value)))
    return found


def _texts(rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    return (value for row in rows for value in row.values() if isinstance(value, str))


class _Form(NamedTuple):
    """A part in one of its forms, with the goal it has then and what it wants."""

    part: Bound
    goal: Goal
    wanted: Wanted

    @property
    def gate(self) -> str:
        """The gate whose refusal it declines over; empty for every other form."""
        return self.goal.decline.gate if self.goal.decline is not None else ""


class _Forms:
    """The forms that the parts of a draft may take, worked out once for all flips."""

    def __init__(self, scene: Scene, parts: Sequence[Bound]) -> None:
        self._scene = scene
        self._forms = [[*_forms_of(part)] for part in parts]

    def fitting(self, draft: Draft) -> tuple[list[Bound], Expectation] | None:
        """Return the parts in the forms that are right at the draft's start, and what is wanted; None without any."""
        script = script_of(self._scene, draft, draft.wording or Wording(""))
        start = Start(self._scene, draft.setup)
        found: list[tuple[Bound, Expectation]] = []
        for own, *others in self._forms:
            # What the user refuses comes first: else the request is what it was, or what the start makes of it.
            ranked = [*(form for form in others if form.gate in draft.refused), own, *(f for f in others if not f.gate)]
            possible = (form for form in ranked if not form.gate or form.gate in draft.refused)
            wanted = ((form.part, form.wanted.at(start, script)) for form in possible)
            right = next(((part, expectation) for part, expectation in wanted if expectation is not None), None)
            if right is None:
                return None
            found.append(right)
        try:
            return [part for part, _ in found], merge_expectations([(part.prefix, wants) for part, wants in found])
        except PartsConflict:
            return None


def _forms_of(part: Bound) -> Iterator[_Form]:
    """Yield a part in its own form, then in the other forms of its intent.

    What a text of the user's states is read only in some forms, and on the way to a refusal not at all: such a part
    takes no other form than one that is refused.
    """
    own, read = part.binding.cell, any(slot.told == "implicit" for slot in part.binding.slots)
    for name in dict.fromkeys([own.form, *(cell.form for cell in part.intent.cells)]):
        formed = replace(part, binding=replace(part.binding, cell=replace(own, form=name)))
        goal = part.intent.goal_of(formed.binding)
        form = _Form(formed, goal, Wanted(goal, part.slots))
        if name == own.form or form.gate or not read:
            yield form


def _essence(wanted: Expectation, record: tuple[str, str]) -> bytes:
    """Return what tells two expectations apart, but for what the fields of `record` end as, since it starts as another.

    Where just these differ, both may come of the same acts.
    """
    plain = [
        contract.model_copy(
            update={
                "changes": [
                    change.changed({"fields": {}}) if (change.table, change.id) == record else change
                    for change in contract.changes
                ]
            }
        )
        for contract in wanted.any_of
    ]
    return canonical(wanted.changed({"any_of": plain}))
