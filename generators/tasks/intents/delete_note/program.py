"""How a perfect assistant deletes a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col
from generators.tasks.notes.program import listed, refuse_notes, unrecorded
from generators.tasks.program import Call, Each, Filter
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program


def _delete(binding: Binding, x: SlotReader) -> Program:
    notes = yield from listed(binding.values().keys(), x)
    if binding.variant == "date":
        yield Each(notes, "delete_note", {"note_id": "note_id"})
        return
    by_time = g.Order(key=col("time"), descending=binding.variant == "latest")
    ordered = yield Filter(notes, order=(by_time,))
    yield Call("delete_note", {"note_id": ordered[0]["note_id"]})


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request; `x` gives its slots."""
    if binding.cell.form == "consent_refused":
        return refuse_notes()
    return unrecorded(x) if binding.cell.form == "not_recorded" else _delete(binding, x)
