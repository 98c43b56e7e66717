"""What is drawn of how the user tells things: which facts are kept back, and what the user wanted at first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from generators.tasks.compose import Bound
from generators.tasks.intent import Binding, Cell, Intent
from generators.tasks.phrases import Phrases
from generators.tasks.telling import (
    ChangeOfMind,
    all_told,
    draw_change,
    first_wish,
    hidable,
    keep_back,
    telling_of,
)
from schemas.goal import Goal
from schemas.task import Slot
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from generators.tasks.program import Program

STREAMS = [Stream(1, "telling", number) for number in range(40)]
QUANTITY = Slot(name="quantity", kind="count", value=6, alternatives=[4, 9])
PERIOD = Slot(
    name="period", kind="period", value=["2026-01-01", "2026-01-31"], alternatives=[["2026-02-01", "2026-02-28"]]
)
BRAND = Slot(name="brand", kind="name", value="Alder", alternatives=["Birch"])
PHRASES = Phrases(
    sentences={"any": ["…"]},
    hidden={"quantity": ["…"], "period:fulfil": ["…"]},
    changes={"quantity": ["…"], "period:fulfil": ["…"]},
)


def nothing(_binding: Binding, _x: object) -> Program:
    return
    yield


BLOCKED = Cell("fulfil", closed=("STANDING", "AMOUNT"))


def part(*slots: Slot, index: int = 0, cell: Cell = BLOCKED) -> Bound:
    """A part of a task with these slots; with an index from 1 on it is one of several."""
    intent = Intent("toy", "toy", (), (), frozenset(), lambda *_: None, lambda _: Goal(), nothing, PHRASES)
    return Bound(index, f"{index}." if index else "", intent, Binding(cell, slots))


def kept_back(parts: list[Bound]) -> list[str]:
    return [p.prefix + slot.name for p in parts for slot in p.binding.slots if slot.told == "on_request"]


# --- facts kept back -------------------------------------------------------------------------------------------------


def test_only_what_a_sentence_form_does_without_is_kept_back() -> None:
    assert [slot.name for slot in hidable(part(QUANTITY, PERIOD, BRAND))] == ["quantity", "period"]
    declined = part(QUANTITY, PERIOD, BRAND, cell=Cell("none_satisfies"))
    assert [slot.name for slot in hidable(declined)] == ["quantity"]
    assert kept_back(keep_back([part(BRAND)], STREAMS[0])) == []


def test_one_fact_of_one_part_is_kept_back() -> None:
    parts = [part(QUANTITY, BRAND, index=1), part(PERIOD, index=2)]
    drawn = {tuple(kept_back(keep_back(parts, stream))) for stream in STREAMS}
    assert drawn == {("1.quantity",), ("2.period",)}
    assert kept_back(parts) == []


def test_one_is_never_kept_back() -> None:
    assert hidable(part(QUANTITY.model_copy(update={"value": 1}))) == []


def test_what_anyone_would_choose_by_is_never_kept_back() -> None:
    """Who does not ask and takes the cheapest would be right by chance."""
    phrases = PHRASES.model_copy(update={"hidden": {"objective": ["…"]}})
    objective = Slot(name="objective", kind="term", value="cheapest", alternatives=["least_sugar"])
    whole = part(objective)
    cheapest = replace(whole, intent=replace(whole.intent, phrases=phrases))
    other = objective.model_copy(update={"value": "least_sugar", "alternatives": ["cheapest"]})
    assert hidable(cheapest) == []
    assert hidable(replace(cheapest, binding=replace(cheapest.binding, slots=(other,)))) == [other]


def test_what_another_slot_states_as_well_is_not_kept_back() -> None:
    parts = [part(QUANTITY, index=1), part(QUANTITY, index=2)]
    assert {tuple(kept_back(keep_back(parts, stream))) for stream in STREAMS} == {()}


def test_what_is_told_otherwise_already_is_left_alone() -> None:
    for told in ("implicit", "by_part", "on_request"):
        assert hidable(part(QUANTITY.model_copy(update={"told": told}))) == []


def test_all_told_takes_back_what_was_kept_back_and_nothing_else() -> None:
    text = BRAND.model_copy(update={"told": "implicit"})
    parts = keep_back([part(QUANTITY, text)], STREAMS[0])
    (told,) = all_told(parts)
    assert [slot.told for slot in told.binding.slots] == ["upfront", "implicit"]


def test_a_fact_kept_back_is_known_by_its_slot_and_by_the_names_that_programs_use() -> None:
    telling = telling_of([part(QUANTITY, PERIOD.model_copy(update={"told": "on_request"}), index=1)], None)
    assert telling.upfront == {"1.quantity": 6}
    assert telling.facts == {"1.period": PERIOD.value}
    assert telling.kept_back == {
        "1.period_first": ("1.period", "2026-01-01"),
        "1.period_last": ("1.period", "2026-01-31"),
    }


# --- changes of mind -------------------------------------------------------------------------------------------------


def test_a_change_of_mind_comes_at_a_standing_gate_and_with_a_form_that_tells_it() -> None:
    drawn = [draw_change([part(QUANTITY, PERIOD, BRAND)], {"STANDING"}, stream) for stream in STREAMS]
    changes = [change for change in drawn if change is not None]
    assert len(changes) == len(STREAMS)
    assert {change.gate for change in changes} == {"STANDING"}
    wishes = {change.slot: [c.value for c in changes if c.slot == change.slot] for change in changes}
    assert wishes.keys() == {"quantity", "period"}
    assert {str(value) for value in wishes["quantity"]} == {"4", "9"}


@pytest.mark.parametrize(
    "unable",
    [
        part(BRAND),
        part(QUANTITY.model_copy(update={"alternatives": []})),
        part(QUANTITY.model_copy(update={"told": "on_request"})),
        part(QUANTITY, cell=Cell("fulfil", closed=("AMOUNT",))),
        part(QUANTITY, cell=Cell("none_satisfies", closed=("STANDING",))),
    ],
    ids=["no form", "nothing else to want", "kept back", "no standing gate", "declined"],
)
def test_where_nothing_can_change_nothing_does(unable: Bound) -> None:
    assert all(draw_change([unable], {"STANDING"}, stream) is None for stream in STREAMS)


def test_nobody_takes_back_what_another_part_says_as_well() -> None:
    """It would be open whether the other part is meant too."""
    price = part(QUANTITY.model_copy(update={"value": 4, "alternatives": []}), index=1, cell=Cell("fulfil"))
    drawn = [draw_change([part(QUANTITY), price], {"STANDING"}, stream) for stream in STREAMS]
    assert {str(change.value) for change in drawn if change is not None} == {"9"}
    every = part(QUANTITY.model_copy(update={"alternatives": [4]}))
    assert all(draw_change([every, price], {"STANDING"}, stream) is None for stream in STREAMS)


def test_the_request_states_the_first_wish_of_the_part_that_changes() -> None:
    parts = [part(QUANTITY, index=1), replace(part(QUANTITY, index=2), index=1)]
    change = ChangeOfMind("STANDING", 1, "quantity", 9)
    telling = telling_of([replace(parts[0], index=0), parts[1]], change)
    assert telling.upfront == {"1.quantity": 6, "2.quantity": 9}
    assert telling.changed == {"2.quantity": 6}
    assert (telling.change_gate, telling.change_prefix, telling.first) == ("STANDING", "2.", {"2.quantity": 9})
    assert [slot.value for slot in first_wish(parts[1], change).binding.slots] == [9]
    assert first_wish(replace(parts[0], index=0), change).binding.slots == (QUANTITY,)
    assert first_wish(parts[1], None) is parts[1]
