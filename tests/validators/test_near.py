"""Near-duplicates: what stands around the values of the slots, compared within a template and between scenarios."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import Json
from validators.selection import Reading, Shelf, near, reading_of
from validators.selection.masking import Stated, masked, stated_values, tokens
from validators.selection.near import grams_of, similarity

WORDS = st.lists(st.sampled_from("a b c d e".split()), max_size=12).map(tuple)
TODAY = "2026-02-10"


def test_words_are_letters_and_digits_in_lower_case() -> None:
    assert tokens("Buy two Oat-Bars, for $12.50!") == ("buy", "two", "oat", "bars", "for", "12", "50")


def test_each_value_gives_way_to_its_kind() -> None:
    values = [
        Stated("money_cents", 1250),
        Stated("term", "low_sugar"),
        Stated("count", 3),
        Stated("period", ["2025-01-01", "2025-01-31"]),
    ]
    one = masked("Buy three low-sugar bars under $12.50, as in January 2025.", values)
    assert " ".join(one) == "buy count term bars under moneycents as period"
    other = masked("Buy 5 bars that are low sugar under 9 dollars", [Stated("money_cents", 900), Stated("count", 5)])
    assert " ".join(other) == "buy count bars that are low sugar under moneycents"


def test_only_what_a_slot_says_is_masked() -> None:
    assert masked("Buy 3 of the 4 packs.", [Stated("count", 3)]) == tuple("buy count of the 4 packs".split())


def test_texts_and_names_are_masked_as_a_whole() -> None:
    text = Stated("text", "Call 3 plumbers.")
    assert masked('Note this: "Call 3 plumbers." Thanks', [text]) == ("note", "this", "text", "thanks")
    name, count = Stated("name", "7 Grain Bread"), Stated("count", 7)
    assert masked("7 pieces of 7 grain bread", [name, count]) == ("count", "pieces", "of", "name")


def test_periods_are_said_from_where_the_user_stands() -> None:
    january = [Stated("period", ["2026-01-01", "2026-01-31"])]
    assert masked("What did I buy last month?", january, TODAY) == ("what", "did", "i", "buy", "period")
    assert masked("What did I buy last month?", january) == ("what", "did", "i", "buy", "last", "month")


def test_a_value_that_no_text_can_state_is_not_looked_for() -> None:
    assert masked("Buy tea", [Stated("count", [1, 2, 3])]) == ("buy", "tea")


def slot(name: str, kind: str, value: Json, told: str = "upfront") -> Json:
    return {"name": name, "kind": kind, "value": value, "told": told}


def task(instruction: str, slots: list[Json], change: Json = None, **fields: Json) -> dict[str, Json]:
    use: Json = {"intent": "buy", "form": "fulfil", "prefix": "1.", "slots": slots}
    return {
        "template": "buy/fulfil",
        "scenario": "0a",
        "instruction": instruction,
        "intents": [use],
        "script": {"change": change},
        **fields,
    }


def test_an_instruction_states_what_is_told_at_once_and_as_it_was_first_wished_for() -> None:
    slots = [
        slot("quantity", "count", 3),
        slot("limit", "money_cents", 500, "on_request"),
        slot("brand", "name", "Orb"),
    ]
    assert stated_values(task("", slots)) == [Stated("count", 3), Stated("name", "Orb")]
    change: Json = {"gate": "PURCHASE", "first": {"1.quantity": 5}, "message": "Make it 3."}
    assert stated_values(task("", slots, change)) == [Stated("count", 5), Stated("name", "Orb")]


def reading(instruction: str, count: int, **fields: Json) -> Reading:
    return reading_of(task(instruction, [slot("quantity", "count", count)], **fields), TODAY)


def test_requests_that_differ_in_their_values_only_are_near() -> None:
    one = reading("Please buy 3 packs of the cheapest tea you can find.", 3)
    other = reading("Please buy twelve packs of the cheapest tea you can find.", 12, scenario="0b")
    assert one.grams == other.grams
    assert one.is_near(other)


def test_requests_of_one_scenario_or_of_two_templates_are_never_near() -> None:
    one = reading("Please buy 3 packs of tea.", 3)
    assert not one.is_near(reading("Please buy 4 packs of tea.", 4))
    assert not one.is_near(reading("Please buy 4 packs of tea.", 4, scenario="0b", template="buy/out_of_stock"))
    assert one.is_near(reading("Please buy 4 packs of tea.", 4, scenario="0b"))


def test_the_threshold_is_reached_at_four_of_five_runs_in_common() -> None:
    # n words more in a row are n trigrams more: 8 of 10 are in common, then 7 of 10.
    twelve, ten, nine = (tuple("abcdefghijkl"[:n]) for n in (12, 10, 9))
    assert similarity(grams_of(twelve), grams_of(ten)) == 0.8
    assert similarity(grams_of(twelve), grams_of(nine)) == 0.7
    readings = [
        Reading("t", scenario, grams_of(words)) for scenario, words in zip("abc", (twelve, ten, nine), strict=True)
    ]
    assert readings[0].is_near(readings[1])
    assert not readings[0].is_near(readings[2])


def test_texts_of_fewer_than_three_words_are_compared_whole() -> None:
    assert similarity(grams_of(("a", "b")), grams_of(("a", "b"))) == 1.0
    assert similarity(grams_of(("a", "b")), grams_of(("a", "c"))) == 0.0


@given(WORDS, WORDS)
def test_similarity_is_that_of_jaccard(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    def runs(words: tuple[str, ...]) -> set[tuple[str, ...]]:
        return {words[at : at + 3] for at in range(max(1, len(words) - 2))}

    expected = len(runs(one) & runs(other)) / len(runs(one) | runs(other))
    assert similarity(grams_of(one), grams_of(other)) == similarity(grams_of(other), grams_of(one)) == expected


PLACES = st.tuples(st.integers(0, 3), st.integers(0, 25))
SHELVED = st.lists(st.tuples(PLACES, st.sampled_from("ab"), st.sampled_from("xyz"), WORDS), unique_by=lambda e: e[0])


@given(SHELVED, PLACES, st.sampled_from("xyz"), WORDS, st.sampled_from([0.1, 0.5, 0.8]))
def test_a_shelf_finds_the_first_of_the_tasks_that_may_be_compared(
    shelved: list[tuple[tuple[int, int], str, str, tuple[str, ...]]],
    place: tuple[int, int],
    scenario: str,
    words: tuple[str, ...],
    threshold: float,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "NEAR", threshold)
        mine, first = Reading("a", scenario, grams_of(words)), place[1] // 10 * 10
        readings = {at: Reading(template, own, grams_of(text)) for at, template, own, text in shelved}
        shelf = Shelf()
        for (user, ordinal), known in readings.items():
            shelf.add(f"u{user:06d}", ordinal, f"u{user:06d}-t{ordinal:05d}", known)
        expected = [
            f"u{user:06d}-t{ordinal:05d}"
            for (user, ordinal), known in sorted(readings.items())
            if ((user < place[0] and ordinal <= place[1]) or (user == place[0] and ordinal < first))
            and known.template == "a"
            and known.scenario != scenario
            and similarity(known.grams, mine.grams) >= threshold
        ]
        assert shelf.near(mine, f"u{place[0]:06d}", place[1], first) == next(iter(expected), "")
