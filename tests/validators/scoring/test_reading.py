"""Typed answers are read from reports as models write them, and from entries of the tool `report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from schemas.contract import Answer
from tests.nonempty import nonempty
from validators.scoring.mentions import Words
from validators.scoring.reading import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schemas.base import Json

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "reports.yaml").read_text(encoding="utf-8"))
TODAY = "2026-06-15"


def reader(asks: dict[str, Sequence[Any]], request: str = "", words: Sequence[str] = ()) -> Reader:
    """A reader of these answers."""
    required = [Answer(name=name, kind=kind, cue=cue, value=value) for name, (kind, cue, value) in asks.items()]
    return Reader(required, {one.name: Words(tuple(words), TODAY) for one in required}, request, [])


def cases() -> Iterator[tuple[dict[str, Any], str]]:
    for case in CASES:
        for report in nonempty(case["reports"]):
            yield case, report


@pytest.mark.parametrize(("case", "report"), [pytest.param(case, text, id=text[:60]) for case, text in cases()])
def test_reports_read_as_they_are_meant(case: dict[str, Any], report: str) -> None:
    reading = reader(case["asks"], case["request"], case.get("words", ())).read_messages([report])
    assert reading.told == {**dict.fromkeys(case["asks"], "right"), **case.get("told", {})}, reading


def test_there_are_enough_reports() -> None:
    assert len(list(cases())) >= 80


TOTAL: dict[str, Sequence[Any]] = {"total": ("money_cents", "total of the order", 4014)}


def test_an_earlier_message_counts_until_a_later_one_says_otherwise() -> None:
    asked = reader(TOTAL)
    assert asked.read_messages(["The total was $40.14.", "I have nothing to add."]).told == {"total": "right"}
    assert asked.read_messages(["The total was $40.14.", "The total was $41.00."]).told == {"total": "wrong"}
    assert asked.read_messages(["The total was $41.00.", "Sorry: the total was $40.14."]).told == {"total": "right"}
    assert asked.read_messages([]).told == {"total": "missing"}


def test_who_asks_for_a_payment_tells_no_total_of_another_order() -> None:
    asked = reader(TOTAL)
    payment = "The total for Plum Yogurt is $56.46. Please authorize the checkout tx_1, so that it is paid."
    assert asked.read_messages([payment]).told == {"total": "missing"}
    assert asked.read_messages(["The total was $40.14.", payment, "It is paid."]).told == {"total": "right"}
    assert asked.read_messages(["The total was $40.14. May I see your notes?", "Done."]).told == {"total": "right"}


def test_values_that_are_tried_out_one_after_the_other_are_none() -> None:
    asked = reader(TOTAL)
    tried = [f"The total was $40.{cents:02d}. May I see your notes?" for cents in range(10, 20)]
    assert asked.read_messages([*tried, "Done."]).told == {"total": "missing"}
    stated = [f"The total was $40.{cents:02d}." for cents in range(10, 20)]
    assert asked.read_messages([*stated, "Done."]).told == {"total": "wrong"}


def test_what_the_request_names_is_no_other_answer() -> None:
    asked = reader(TOTAL, "Was it really more than $35.00 in total?")
    assert asked.read_messages(["The total was $40.14, so more than the total of $35.00."]).told == {"total": "right"}


def test_a_value_that_the_request_names_needs_its_cue() -> None:
    asked = reader(TOTAL, "I think that it was $40.14, is that so?")
    assert asked.read_messages(["I looked for the $40.14."]).told == {"total": "missing"}
    assert asked.read_messages(["The total was $40.14."]).told == {"total": "right"}


def test_two_answers_of_one_kind_are_told_apart() -> None:
    asks: dict[str, Sequence[Any]] = {
        "total": ("money_cents", "total of the cheapest basket", 9787),
        "excess": ("money_cents", "over the budget by", 3787),
    }
    asked = reader(asks, "I have $60 for all three.")
    right = "The cheapest basket comes to $97.87, which is $37.87 over your budget of $60."
    assert asked.read_messages([right]).told == {"total": "right", "excess": "right"}
    swapped = "The cheapest basket comes to $37.87, which is $97.87 over your budget of $60."
    assert asked.read_messages([swapped]).told == {"total": "wrong", "excess": "wrong"}


def test_each_of_several_reasons_is_read() -> None:
    asks: dict[str, Sequence[Any]] = {
        "1.reason": ("reason", "reason", "consent_refused"),
        "2.reason": ("reason", "reason", "none_satisfies"),
    }
    both = "You refused the permission for the first, so I did not do it. For the second I could not find any match."
    assert reader(asks).read_messages([both]).told == {"1.reason": "right", "2.reason": "right"}
    one = "You refused the permission for the first, so I did not do it."
    assert reader(asks).read_messages([one]).told == {"1.reason": "right", "2.reason": "missing"}


ENTRIES: list[tuple[dict[str, Sequence[Any]], list[tuple[str, Json]], dict[str, str]]] = [
    (TOTAL, [("total of the order", 40.14)], {"total": "right"}),
    (TOTAL, [("order total", "$40.14")], {"total": "right"}),
    (TOTAL, [("total", 41)], {"total": "wrong"}),
    (TOTAL, [("total", 41), ("total", 40.14)], {"total": "right"}),
    (TOTAL, [("total", ["$40.14", "$41.00"])], {"total": "hedged"}),
    (TOTAL, [("number of units", 40.14)], {"total": "missing"}),
    (TOTAL, [("total", "not $40.14")], {"total": "missing"}),
    (TOTAL, [("total", "about $40.14")], {"total": "hedged"}),
    (TOTAL, [("total", "I think it is $40.14")], {"total": "hedged"}),
    (TOTAL, [("total", "40 or 41")], {"total": "hedged"}),
    (TOTAL, [("total", float("nan"))], {"total": "missing"}),
    (TOTAL, [], {"total": "missing"}),
    ({"day": ("date", "day of the order", "2026-01-05")}, [("order day", "2026-01-05")], {"day": "right"}),
    ({"day": ("date", "day of the order", "2026-01-05")}, [("day of the order", "5 Jan 2026")], {"day": "right"}),
    ({"left": ("count", "units left", 4)}, [("units left", 4.0)], {"left": "right"}),
    ({"left": ("count", "units left", 4)}, [("units left", True)], {"left": "missing"}),
    ({"left": ("count", "units left", 4)}, [("units left", float("inf"))], {"left": "missing"}),
    ({"left": ("count", "units left", 4)}, [("units left", "at least 4")], {"left": "hedged"}),
    ({"left": ("count", "units left", 4)}, [("units left", "3-4")], {"left": "hedged"}),
    ({"reason": ("reason", "reason", "out_of_stock")}, [("reason", "out_of_stock")], {"reason": "right"}),
    ({"reason": ("reason", "reason", "out_of_stock")}, [("reason", "it is sold out")], {"reason": "right"}),
    ({"reason": ("reason", "reason", "out_of_stock")}, [("reason", "policy")], {"reason": "wrong"}),
    ({"held": ("names", "the cart holds", ["Plum Yogurt"])}, [("the cart holds", ["Plum Yogurt"])], {"held": "right"}),
    ({"held": ("names", "the cart holds", ["Plum Yogurt"])}, [("cart", ["Plum Yogurt", "Tofu"])], {"held": "wrong"}),
]


@pytest.mark.parametrize(("asks", "entries", "told"), ENTRIES)
def test_entries_of_the_report_tool_are_read(
    asks: dict[str, Sequence[Any]], entries: list[tuple[str, Json]], told: dict[str, str]
) -> None:
    assert reader(asks, words=("Plum Yogurt", "Tofu")).read_entries(entries).told == told
