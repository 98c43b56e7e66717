"""Bind the request to a note that states a rule: read back, it says exactly the constraints that the goal rests on."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from generators.environments.notes.texts import rule_text
from generators.tasks.history.bind import month_around
from generators.tasks.intent import Binding
from generators.tasks.intents import buy_best
from generators.tasks.intents.saved_rule.program import WORDS
from generators.tasks.notes.bind import REFUSED, Notebook, bind_unrecorded
from generators.tasks.trace import column_words
from language.constraints import Constraints, Vocabularies, read_constraints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generators.tasks.history.bind import Period
    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from schemas.task import Slot
    from services.runtime.streams import Stream

NEVER_NOTED = ("delivery",)
"""Wishes that notes say nothing of; the user tells them."""


def _rule(values: Mapping[str, Json]) -> Constraints:
    """Return the constraints that slots of these values are."""
    tags = tuple(str(values[name]) for name in ("tag", "tag_2") if name in values)
    stated = {name: values.get(name) for name in ("category", "without", "quantity", "max_total", "objective")}
    return Constraints(tags=tags, **stated)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def _words(scene: Scene) -> Vocabularies:
    category, tags, allergens = (column_words(scene.base, *WORDS[name]) for name in ("category", "tag", "without"))
    return Vocabularies(category, tags, allergens)


def _spoken_of(book: Notebook, period: Period, category: Json, words: Vocabularies) -> bool:
    """Return whether a note of the period speaks of the category already."""
    return any(read_constraints(note.text, words).category == category for note in book.within(period))


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the store offers none within the tries."""
    if cell.form == "not_recorded":
        return bind_unrecorded(cell, scene, stream)
    bought = buy_best.INTENT.bind(cell, scene, stream.child("buy"))
    return None if bought is None else _noted(cell, scene, bought, stream.child("note"))


def _noted(cell: Cell, scene: Scene, bought: Binding, stream: Stream) -> Binding | None:
    """Move what a request to buy tells into a note, but for what the user says now."""
    book, words = Notebook(scene, stream), _words(scene)
    free = book.free_days()
    if not free:
        return None
    day = stream.choice(free)
    period = month_around(dt.date.fromisoformat(day))
    values = bought.values()
    told = {*NEVER_NOTED, *(["quantity"] if stream.chance(1, 2) else [])}
    rule = _rule({name: value for name, value in values.items() if name not in told})
    text = rule_text(rule, stream)
    if read_constraints(text, words) != rule:
        return None
    by_category = stream.chance(1, 2) and not _spoken_of(book, period, values["category"], words)
    book.add(text, day)
    book.fill(3)
    if by_category:
        told.add("category")
    where = book.period_slot(period) if by_category else book.date_slot(day, constraint=False)
    slots = (where, *(_left_to_note(slot, told) for slot in bought.slots))
    return replace(
        bought,
        slots=slots,
        setup=book.setup(cell, bought.setup),
        variant="about" if by_category else "date",
        refused=REFUSED if cell.form == "consent_refused" else (),
    )


def _left_to_note(slot: Slot, told: set[str]) -> Slot:
    return slot if slot.name in told else slot.changed({"told": "implicit"})
