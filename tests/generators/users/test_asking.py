"""Every question that an assistant can put is understood as exactly what it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generators.tasks.intent import Intent
from generators.tasks.phrases import PLACE, Questions
from generators.tasks.quota import installed_intents
from generators.users import asking
from generators.users.facts import common_questions
from generators.users.reading import asked_confirmations, asked_gates, asked_slots, asked_to_pay
from language.asking import sentences
from schemas.task import Slot, Task
from services.runtime.catalogue import installed_catalogue
from services.runtime.declare import Gate
from services.runtime.streams import Stream
from services.runtime.tools import Tool
from tests.generators.users.made import slot, task_of

CATALOGUE = installed_catalogue()
GATES = [compiled.gate for compiled in CATALOGUE.gates.values() if compiled.gate.remedy is not None]
CONFIRMED = [tool for tool in CATALOGUE.tools.values() if tool.confirm]
PAYER = CATALOGUE.tools["authorize_checkout"]
NAMED = {
    "BALANCE": {"amount": 9.43},
    "CONNECTED": {"source_name": "apple_health"},
    "DATA": {"source_name": "fitbit"},
    "VIP": {"transaction_id": "tx_213df16ea6"},
}
"""What the question about a gate names."""
KINDS = {
    "text": ("text", "Ask the neighbour about the spare key."),
    "budget": ("money_cents", 3100),
    "max_total": ("money_cents", 1250),
    "price_over": ("money_cents", 350),
    "limit": ("money_cents", 2000),
    "spend": ("money_cents", 4000),
    "percent": ("percent", 15),
    "quantity": ("count", 7),
    "product": ("name", "Garlic Herb Labneh"),
    "brand": ("name", "Wrenmarsh"),
    "category": ("term", "cereal"),
    "tag": ("term", "low_sugar"),
    "allergen": ("term", "soy"),
    "without": ("term", "soy"),
    "objective": ("term", "most_fiber"),
    "delivery": ("term", "tomorrow"),
    "note_date": ("date", "2025-02-22"),
    "period": ("period", ["2025-09-01", "2025-09-30"]),
}
"""A value of each slot that can be kept back or named in a question."""


def _slot_of(name: str, told: str) -> Slot:
    kind, value = KINDS[name.rstrip("_123") if name not in KINDS else name]
    return slot(name, kind, f"{value} {name[-1]}" if kind == "name" and name[-1].isdigit() else value, told)


def _keeping_back(intent: Intent) -> Iterator[tuple[str, Task, Questions]]:
    """A task for each slot of an intent that can be kept back, with the other slots told."""
    asked = intent.phrases.questions
    for key, questions in asked.items():
        name, _, variant = key.partition(":")
        others = {other.partition(":")[0] for other in asked if other.partition(":")[2] in ("", variant)}
        for form in questions.forms:
            others |= {place.removesuffix("_s") for place in PLACE.findall(form)}
        told = [_slot_of(other, "upfront") for other in sorted(others - {name})]
        yield name, task_of(intent.name, _slot_of(name, "on_request"), *told, variant=variant), questions


@pytest.mark.parametrize("intent", installed_intents(), ids=lambda intent: intent.name)
def test_every_question_for_a_fact_asks_for_exactly_that(intent: Intent) -> None:
    for name, task, questions in _keeping_back(intent):
        forms = asking.forms_about_slot(task, name)
        assert len(forms) == len(questions.forms) >= 5
        for form in forms:
            assert not PLACE.search(form)
            assert asked_slots(form, task) == [name], form
            assert (asked_gates(form, CATALOGUE), asked_confirmations(form), asked_to_pay(form)) == ([], [], False), (
                form
            )


@pytest.mark.parametrize("intent", installed_intents(), ids=lambda intent: intent.name)
def test_every_slot_that_can_be_kept_back_has_questions(intent: Intent) -> None:
    phrases = intent.phrases
    without = {key.partition(":")[0] for key in phrases.hidden} - {key.partition(":")[0] for key in phrases.questions}
    assert not without


def test_every_kind_and_name_has_questions_in_common() -> None:
    common = common_questions()
    assert {kind for kind, _ in KINDS.values()} <= common.kinds.keys()
    assert all(questions.forms for questions in (*common.kinds.values(), *common.names.values()))


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_every_question_for_a_consent_asks_for_exactly_that(gate: Gate) -> None:
    alike = sorted(other.name for other in GATES if other.asking is gate.asking)
    forms = asking.forms_about_gate(gate, NAMED.get(gate.name, {}))
    assert gate.asking is not None
    assert len(gate.asking.forms) >= 6
    for form in forms:
        assert asked_gates(form, CATALOGUE) == alike, form
        assert not asked_confirmations(form), form
        assert not asked_to_pay(form), form


def test_a_question_for_a_consent_names_the_amount() -> None:
    gate = CATALOGUE.gates["BALANCE"].gate
    assert all("$9.43" in form for form in asking.forms_about_gate(gate, {"amount": 9.43}))


@pytest.mark.parametrize("tool", CONFIRMED, ids=lambda tool: tool.name)
def test_every_question_for_a_yes_asks_for_exactly_that(tool: Tool) -> None:
    stream = Stream(5, tool.name)
    forms = {asking.question_to_confirm(tool, "of 4 May 2025", stream.child(n)) for n in range(60)}
    assert len(forms) >= 5
    for form in forms:
        assert asked_confirmations(form) == [tool.name], form
        assert (asked_gates(form, CATALOGUE), asked_to_pay(form)) == ([], False), form


@pytest.mark.parametrize("what", ["the order of 4 Hazelnut Wafers", "your order", "a month of membership"])
def test_every_question_to_pay_asks_for_exactly_that(what: str) -> None:
    stream = Stream(5, "pay")
    forms = {asking.question_to_pay(PAYER, what, 943, "tx_213df16ea6", stream.child(n)) for n in range(80)}
    # Forms that leave out the amount are for where it is not known.
    whole = [form for form in (PAYER.asking.forms if PAYER.asking else ()) if "{amount}" in form]
    assert len(forms) == len(whole) >= 7
    for form in forms:
        assert asked_to_pay(form), form
        assert "$9.43" in form
        assert "tx_213df16ea6" in form
        assert (asked_gates(form, CATALOGUE), asked_confirmations(form)) == ([], []), form


def test_who_is_not_asked_in_words_cannot_be_asked() -> None:
    tool = CATALOGUE.tools["get_wallet"]
    with pytest.raises(ValueError, match="get_wallet does not declare how the user is asked"):
        asking.question_to_confirm(tool, "it", Stream(5))


def test_a_sentence_ends_at_its_mark_and_not_within_an_amount() -> None:
    assert sentences("It costs $5.20. Is that fine?\n- Yes") == ("It costs $5.20.", "Is that fine?", "- Yes")
