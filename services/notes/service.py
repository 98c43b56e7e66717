"""Tools, gate and table of notes."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from services.account.service import permission_gate
from services.notes.flips import FLIPS
from services.notes.records import Note
from services.runtime.declare import Service, Table
from services.runtime.tools import Context, tool


def _day(c: Context, value: str) -> str:
    """Return a day that the calendar has. Refuse any other text, and any other form."""
    try:
        if dt.date.fromisoformat(value).isoformat() == value:
            return value
    except ValueError:
        pass
    c.refuse("INVALID_DATE", f"{value!r} is no date in YYYY-MM-DD format.")


def _show(note: Note) -> dict[str, Json]:
    return {"note_id": note.id, "time": note.time, "text": note.text}


@tool(
    side="assistant",
    gates=("NOTES",),
    errors={
        "INVALID_DATE": "A date is not in YYYY-MM-DD format, or not in the calendar.",
        "INVALID_RANGE": "The range ends before it starts.",
    },
    example={"start_date": "2025-05-01", "end_date": "2025-05-31"},
)
def list_notes(
    c: Context,
    start_date: Annotated[str, Meta(description="First day of the range, YYYY-MM-DD.")],
    end_date: Annotated[str, Meta(description="Last day of the range, YYYY-MM-DD.")],
) -> dict[str, Json]:
    """List the user's notes that were written within a range of days, both ends included, oldest first.

    `notes` [{note_id, time, text}].
    """
    first, last = _day(c, start_date), _day(c, end_date)
    if last < first:
        c.refuse("INVALID_RANGE", f"The range ends on {last}, before it starts on {first}.")
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
