"""Other ways in which notes could stand at the start of a task."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from msgspec.structs import replace

from services.runtime.declare import Flip

if TYPE_CHECKING:
    from services.notes.records import Note

EARLIER_DAYS = 45


def _earlier(note: Note, _: str) -> Note | None:
    return replace(note, time=(dt.datetime.fromisoformat(note.time) - dt.timedelta(days=EARLIER_DAYS)).isoformat())


FLIPS = (Flip("written_earlier", "notes", _earlier),)
