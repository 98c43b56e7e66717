"""Bind the request to a note: that of a day, or the first or last one of a month, among others."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from generators.tasks.history.bind import month_around
from generators.tasks.intent import Binding
from generators.tasks.notes.bind import Notebook, bind_refused, bind_unrecorded

if TYPE_CHECKING:
    from generators.tasks.history.bind import Period
    from generators.tasks.intent import Cell, Scene
    from services.runtime.streams import Stream

LEAST = 4
"""Notes that there are at least."""


def _bind_day(cell: Cell, book: Notebook, stream: Stream) -> Binding | None:
    days = book.days
    own = [day for day in days if days.count(day) == 1]
    if not own:
        return None
    slot = book.date_slot(stream.choice(own), constraint=True)
    return Binding(cell=cell, slots=(slot,), setup=book.setup(cell), variant="date")


def _bind_month(cell: Cell, book: Notebook, stream: Stream) -> Binding | None:
    """Bind the last note of a month that is not the last of all, or the first of one that is not the first of all."""
    months: list[Period] = [
        month
        for month in sorted({month_around(dt.date.fromisoformat(day)) for day in book.days})
        if len(book.within(month)) > 1
    ]
    options = [("latest", month) for month in months if book.days[-1] > month[1]]
    options += [("oldest", month) for month in months if book.days[0] < month[0]]
    if not options:
        return None
    variant, period = stream.choice(options)
    return Binding(cell=cell, slots=(book.period_slot(period),), setup=book.setup(cell), variant=variant)


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when no note can be told from the others."""
    if cell.form == "consent_refused":
        return bind_refused(cell, scene, stream)
    if cell.form == "not_recorded":
        return bind_unrecorded(cell, scene, stream)
    book = Notebook(scene, stream)
    book.fill(LEAST)
    by_month = _bind_month(cell, book, stream) if stream.chance(1, 2) else None
    return by_month or _bind_day(cell, book, stream)
