"""Messages of assistants are understood as what they are, however they are put."""

from __future__ import annotations

import pytest

from generators.users.amounts import amount_asked
from generators.users.facts import Facts
from generators.users.reading import asked_confirmations, asked_gates, asked_slots, asked_to_pay, ears_of, read
from generators.users.sentences import is_promise, is_question
from services.runtime.catalogue import installed_catalogue
from tests.generators.users import made, paraphrases
from tests.generators.users.paraphrases import Heard

CATALOGUE = installed_catalogue()
TASKS = {"buying": made.buying(), "listing": made.listing()}


@pytest.mark.parametrize("heard", paraphrases.ALL, ids=lambda heard: heard.text[:40])
def test_a_message_is_understood(heard: Heard) -> None:
    assert asked_gates(heard.text, CATALOGUE) == sorted(heard.gates)
    assert asked_confirmations(heard.text) == list(heard.confirmations)
    assert asked_to_pay(heard.text) is heard.pays


@pytest.mark.parametrize(("who", "text", "slots"), paraphrases.FACTS)
def test_a_question_for_a_fact_is_understood(who: str, text: str, slots: tuple[str, ...]) -> None:
    assert tuple(asked_slots(text, TASKS[who])) == slots


@pytest.mark.parametrize("heard", [*paraphrases.CONSENTS, *paraphrases.CALLS, *paraphrases.PAYMENTS])
def test_consents_calls_and_payments_are_no_questions_for_facts(heard: Heard) -> None:
    assert [asked_slots(heard.text, task) for task in TASKS.values()] == [[], []]


@pytest.mark.parametrize(("text", "cents"), paraphrases.AMOUNTS)
def test_the_amount_that_is_asked_for_is_read(text: str, cents: int | None) -> None:
    (asked,) = (one for one in read(text, Facts(()), ears_of(CATALOGUE)) if "BALANCE" in one.gates)
    assert amount_asked(asked) == cents


@pytest.mark.parametrize("text", paraphrases.PROMISES)
def test_a_promise_is_no_report(text: str) -> None:
    assert is_promise(text)
    assert not is_question(text)


@pytest.mark.parametrize("text", paraphrases.REPORTS)
def test_a_report_asks_and_promises_nothing(text: str) -> None:
    assert not is_promise(text)
    assert not is_question(text)


def test_there_are_many_paraphrases() -> None:
    lists = (paraphrases.ALL, paraphrases.FACTS, paraphrases.AMOUNTS, paraphrases.PROMISES, paraphrases.REPORTS)
    assert sum(map(len, lists)) >= 60
