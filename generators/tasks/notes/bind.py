"""The user's notes as binders see them, further ones for the start of a task, and the slots that speak of them."""

from __future__ import annotations

import datetime as dt
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from generators.environments.moments import DAY, day_of, draw_waking, iso_day, iso_time
from generators.environments.notes.texts import note_texts
from generators.environments.odds import NOTE_DAYS
from generators.tasks.history.bind import month_around
from generators.tasks.intent import Binding
from schemas.task import Patch, Slot
from services.notes.records import Note
from services.runtime.records import to_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.history.bind import Period
    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from services.runtime.streams import Stream

OTHERS = 6
"""Alternatives of a slot that says which note is meant, at most."""


class Notebook:
    """The notes of a scene with those that its binder adds."""

    def __init__(self, scene: Scene, stream: Stream) -> None:
        """Read the notes of a scene; `stream` draws what is added."""
        self.scene = scene
        self.stream = stream
        self.notes = sorted((cast("Note", n) for n in scene.records("notes").values()), key=lambda note: note.time)
        self.patches: list[Patch] = []

    @property
    def days(self) -> list[str]:
        """The days of the notes, oldest first, as often as there are notes."""
        return [note.time[:10] for note in self.notes]

    def within(self, period: Period) -> list[Note]:
        """Return the notes of a period, oldest first."""
        return [note for note in self.notes if period[0] <= note.time[:10] <= period[1]]

    def free_days(self, before: int = 1) -> list[str]:
        """Return the days of the last weeks, at least `before` days ago, on which nothing was noted."""
        today, taken = day_of(self.scene.now), set(self.days)
        days = (iso_day(day) for day in range(today - NOTE_DAYS, today - before + 1))
        return [day for day in days if day not in taken]

    def add(self, text: str, day: str) -> Note:
        """Add a note on a day."""
        start = day_of(day) * DAY
        token = f"{self.scene.seed}/{self.stream.word()}"
        note = Note(
            id=f"note_{blake2b(token.encode(), digest_size=5).hexdigest()}",
            time=iso_time(draw_waking(self.stream, start, start + DAY - 1)),
            text=text,
        )
        self.notes = sorted([*self.notes, note], key=lambda one: one.time)
        self.patches.append(Patch(table="notes", id=note.id, record=to_data(note)))
        return note

    def fill(self, count: int) -> None:
        """Add notes on other things than shopping until there are `count`."""
        texts = self.new_texts()
        while len(self.notes) < count:
            self.add(texts.pop(), self.stream.choice(self.free_days()))

    def new_texts(self) -> list[str]:
        """Return texts on other things than shopping that no note holds, in random order."""
        held = {note.text for note in self.notes}
        return [topic.text for topic in self.stream.shuffled(note_texts().topics) if topic.text not in held]

    def date_slot(self, day: str, *, constraint: bool) -> Slot:
        """Return the slot in which the user says the day of a note; others are days with notes, and days without."""
        others = [*self.stream.shuffled(self.days), *self.stream.sample(self.free_days(), 2)]
        distinct = [other for other in dict.fromkeys(others) if other != day]
        return Slot(
            name="note_date", kind="date", value=day, constraint=constraint, alternatives=list(distinct[-OTHERS:])
        )

    def period_slot(self, period: Period) -> Slot:
        """Return the slot in which the user says the month of a note; it leads to the note, and narrows no choice.

        Its alternatives are the other months with notes, and one before all notes.
        """
        months = {month_around(dt.date.fromisoformat(day)) for day in self.days}
        first = dt.date.fromisoformat(min(self.days)).replace(day=1)
        months.add(month_around(first - dt.timedelta(days=1)))
        alternatives: list[Json] = [list(month) for month in sorted(months - {period})]
        return Slot(name="period", kind="period", value=list(period), constraint=False, alternatives=alternatives)

    def setup(self, cell: Cell, patches: Sequence[Patch] = ()) -> tuple[Patch, ...]:
        """Return all patches of the start, the permission as the cell says."""
        return (*patches, *self.patches, *self.scene.set_gate("NOTES", closed="NOTES" in cell.closed))


REFUSED: tuple[str, ...] = ("NOTES",)
"""Gates whose consent is refused where the notes are kept private."""


def bind_refused(cell: Cell, scene: Scene, stream: Stream) -> Binding:
    """Return the binding to a note of a day that the user names, and does not let the assistant read."""
    book = Notebook(scene, stream)
    book.fill(2)
    slot = book.date_slot(stream.choice(book.days), constraint=False)
    return Binding(cell=cell, slots=(slot,), setup=book.setup(cell), variant="date", refused=REFUSED)


def bind_unrecorded(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return the binding to a day on which nothing was noted, while later something was."""
    book = Notebook(scene, stream)
    book.fill(3)
    before_last = [day for day in book.free_days(2) if day < book.days[-1]]
    if not before_last:
        return None
    slot = book.date_slot(stream.choice(before_last), constraint=False)
    return Binding(cell=cell, slots=(slot,), setup=book.setup(cell), variant="date")
