"""What is kept back: only what no other slot states, and what the sentence forms can do without."""

from __future__ import annotations

from dataclasses import replace

from generators.tasks.compose import Bound
from generators.tasks.intent import Binding, Cell
from generators.tasks.phrases import Phrases
from generators.tasks.quota import installed_intents
from generators.tasks.telling import hidable, keep_back
from schemas.task import Slot
from services.runtime.streams import Stream

FORMS = Phrases(
    sentences={"any": ["Get {quantity} of it{extras}"]},
    extras=["limit"],
    hidden={"quantity": ["Get some of it{extras}"], "limit": [", there is a limit"]},
    by_part={"item": ["Get {quantity} of that{extras}"]},
)
ITEM, QUANTITY, LIMIT = (
    Slot(name="item", kind="name", value="Oat Bar"),
    Slot(name="quantity", kind="count", value=3),
    Slot(name="limit", kind="money_cents", value=900),
)


def part(index: int, *slots: Slot) -> Bound:
    intent = replace(installed_intents()[0], phrases=FORMS)
    return Bound(index, f"{index + 1}.", intent, Binding(Cell("fulfil"), slots))


def kept_back(*parts: Bound) -> set[tuple[int, str]]:
    """Part and name of all slots that some draw keeps back."""
    drawn = [keep_back(parts, Stream(1, draw)) for draw in range(30)]
    return {
        (each.index, slot.name)
        for several in drawn
        for each in several
        for slot in each.binding.slots
        if slot.told == "on_request"
    }


def test_what_forms_can_do_without_may_be_kept_back() -> None:
    assert [slot.name for slot in hidable(part(0, ITEM, QUANTITY, LIMIT))] == ["quantity", "limit"]
    assert kept_back(part(0, ITEM, QUANTITY, LIMIT)) == {(0, "quantity"), (0, "limit")}


def test_what_another_part_states_as_well_is_not_kept_back() -> None:
    other = Slot(name="number", kind="count", value=3)
    assert kept_back(part(0, ITEM, QUANTITY, LIMIT), part(1, other)) == {(0, "limit")}
    four = other.model_copy(update={"value": 4})
    assert kept_back(part(0, ITEM, QUANTITY, LIMIT), part(1, four)) == {(0, "quantity"), (0, "limit")}


def test_a_part_that_takes_up_what_another_finds_keeps_back_only_what_is_added_by_the_way() -> None:
    taken = ITEM.model_copy(update={"told": "by_part"})
    assert [slot.name for slot in hidable(part(0, taken, QUANTITY, LIMIT))] == ["limit"]
    assert kept_back(part(0, taken, QUANTITY, LIMIT)) == {(0, "limit")}
