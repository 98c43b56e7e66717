"""Tools, gate and table of notes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from services.account.service import permission_gate
from services.moments import RANGE_ERRORS, days_between
from services.notes.asking import DELETE
from services.notes.flips import FLIPS
from services.notes.records import Note
from services.predicates import none, where
from services.rules import faulty, show_rule
from services.runtime.declare import Invariant, Service, Table
from services.runtime.tools import Context, tool


def _show(note: Note) -> dict[str, Json]:
    rule = show_rule(note)
    return {"note_id": note.id, "time": note.time, "text": note.text, **({} if rule is None else {"rule": rule})}


@tool(
    side="assistant",
    gates=("NOTES",),
    errors=RANGE_ERRORS,
    example={"start_date": "2025-05-01", "end_date": "2025-05-31"},
)
def list_notes(
    c: Context,
    start_date: Annotated[str, Meta(description="First day of the range, YYYY-MM-DD.")],
    end_date: Annotated[str, Meta(description="Last day of the range, YYYY-MM-DD.")],
) -> dict[str, Json]:
    """List the user's notes that were written within a range of days, both ends included, oldest first.

    `notes` [{note_id, time, text, and `rule` {metric, comparison, value, unit, period} where the user set one}].
    """
    first, last = days_between(c, start_date, end_date)
    found = [note for note in c.all(Note) if first <= note.time[:10] <= last]
    return {"notes": [_show(note) for note in sorted(found, key=lambda note: (note.time, note.id))]}


@tool(
    side="assistant",
    write=True,
    gates=("NOTES",),
    errors={"NOTE_EMPTY": "The note holds no text."},
    example={"note": "Ask the neighbour about the spare key."},
)
def add_note(c: Context, note: Annotated[str, Meta(description="Text of the note.")]) -> dict[str, Json]:
    """Write down a note for the user, dated now.

    The new note: `note_id`, `time` and `text`.
    """
    if not note.strip():
        c.refuse("NOTE_EMPTY", "A note needs some text.")
    return _show(c.create(Note, time=c.stamp(), text=note))


@tool(
    side="assistant",
    write=True,
    confirm=True,
    asking=DELETE,
    gates=("NOTES",),
    errors={"NOTE_NOT_FOUND": "The user has no such note."},
    example={"note_id": "note_0123456789"},
)
def delete_note(
    c: Context, note_id: Annotated[str, Meta(description="Id of the note, as shown by list_notes.")]
) -> dict[str, Json]:
    """Delete one of the user's notes for good.

    `deleted`, the id of the note.
    """
    note = c.get(Note, note_id)
    if note is None:
        c.refuse("NOTE_NOT_FOUND", f"There is no note {note_id!r}.")
    c.delete(note)
    return {"deleted": note_id}


SERVICE = Service(
    name="notes",
    summary="Notes of the user.",
    family="notes",
    tables=(Table("notes", Note, "note", stamps=("time",), observed=("time",)),),
    flips=FLIPS,
    invariants=(
        Invariant(
            name="note_rules",
            text="A note has a whole rule or none, on a known metric over a period that fits it.",
            holds=none(where("notes", "n", faulty("n"))),
        ),
    ),
    tools=(list_notes, add_note, delete_note),
    gates=(
        permission_gate(
            "NOTES",
            "user_notes",
            "set_user_notes_permission",
            "Reading, adding or deleting notes needs the notes permission; ask the user for it.",
        ),
    ),
)
