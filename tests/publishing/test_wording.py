"""How requests read: one of each scenario, what is left when the values are masked."""

from __future__ import annotations

from publishing.wording import Wording
from schemas.base import Json

TODAY = "2026-02-10"


def task(scenario: str, instruction: str, count: int, template: str = "buy/fulfil") -> dict[str, Json]:
    slot: Json = {"name": "quantity", "kind": "count", "value": count, "told": "upfront"}
    use: Json = {"intent": "buy", "form": "fulfil", "prefix": "", "slots": [slot]}
    read: dict[str, Json] = {"scenario": scenario, "instruction": instruction, "template": template}
    return {**read, "intents": [use], "script": {"change": None}}


def wording(*tasks: dict[str, Json]) -> Wording:
    found = Wording()
    for each in tasks:
        found.add(each, TODAY)
    return found


def test_requests_that_differ_in_values_only_are_one_wording() -> None:
    figures = wording(
        task("a", "Please buy me some 3 packs of tea", 3),
        task("b", "Please buy me some nine packs of tea", 9),
        task("c", "I want 2 packs of tea", 2),
    ).figures()
    assert (figures["scenarios"], figures["skeletons"], figures["largest"]) == (3, 2, 2)
    assert (figures["opening"], figures["opening_count"]) == ("please buy me some", 2)
    assert (figures["pairs"], figures["near_pairs"]) == (3, 1)


def test_a_scenario_counts_once_and_pairs_stay_within_a_template() -> None:
    text = "Please buy me some 3 packs of tea"
    figures = wording(task("a", text, 3), task("a", "Other words", 3), task("b", text, 3, "buy/out_of_stock")).figures()
    assert (figures["scenarios"], figures["skeletons"], figures["pairs"]) == (2, 1, 0)


def test_equally_frequent_openings_are_told_by_name() -> None:
    both = [task("a", "Zebra one", 7), task("b", "Apple two", 8)]
    assert wording(*both).figures()["opening"] == wording(*both[::-1]).figures()["opening"] == "apple two"


def test_nothing_has_figures_too() -> None:
    figures = wording().figures()
    assert figures["opening"] == ""
    assert [value for name, value in figures.items() if name != "opening" and value != 0] == []
