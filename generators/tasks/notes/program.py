"""What a perfect assistant does with notes: list those of a day or a period, or say why it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col
from generators.tasks.notes.goal import which
from generators.tasks.program import Ask, Call, Filter, Fixed, Sum, Tell, Today
from generators.tasks.shop.program import is_empty
from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Collection

    from generators.tasks.intent import SlotReader
    from generators.tasks.program import Program

_DAY = g.DateOf(fn="day", args=[col("time")])


def listed(names: Collection[str], x: SlotReader) -> Program:
    """Return the notes of the day or the period that the user names, oldest first."""
    first, last = ("note_date", "note_date") if "note_date" in names else ("period_first", "period_last")
    found = yield Call("list_notes", {"start_date": x(first), "end_date": x(last)})
    return found["notes"]


def unrecorded(x: SlotReader) -> Program:
    """Find that nothing was noted on the day, and tell when something was last."""
    since = yield Call("list_notes", {"start_date": x("note_date"), "end_date": (yield Today())})
    noted = yield Filter(since["notes"], where=both(*which(["note_date"], _DAY)), args={"note_date": x("note_date")})
    yield from is_empty(noted)
    yield from is_empty(since["notes"])
    latest = yield Sum(since["notes"], "max", _DAY)
    yield Tell({"reason": Fixed("reason", "not_recorded"), "latest_note": latest})


def refuse_notes() -> Program:
    """Ask for the permission to use notes, which the user refuses."""
    yield Ask("NOTES")
    yield Tell({"reason": Fixed("reason", "consent_refused")})
