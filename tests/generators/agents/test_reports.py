"""Sentence forms of reports: there are enough of them, and each states one value beside what says which it is."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from generators.agents.reports import Deed, report_forms, reported_answers, write_report
from generators.dialogue.prompts import system_prompt
from schemas.goal import Reason
from services.runtime.catalogue import installed_catalogue
from services.runtime.streams import Stream
from tests.generators.agents.talks import tasks

PLACE = re.compile(r"\{[a-z_]+\}")
OF_ONE = frozenset({"how much a unit holds", "within the limit or over it"})
"""Cues that a sentence need not hold word by word."""


def test_every_reason_has_at_least_six_forms() -> None:
    forms = report_forms()
    assert set(forms.reasons) == set(forms.refusals) == set(get_args(Reason))
    assert all(len(set(options)) >= 6 for options in forms.reasons.values())


def test_every_form_of_an_answer_holds_one_value_and_words_of_its_cue() -> None:
    for cue, options in report_forms().answers.items():
        assert len(set(options)) >= 3
        for form in options:
            places = PLACE.findall(form)
            assert places.count("{value}") == 1
            words = set(re.findall(r"[a-z]+", form.lower()))
            content = [word for word in cue.split() if len(word) > 2]
            assert cue in OF_ONE or cue == "default" or words.intersection(content)


def test_no_sentence_asks_anything() -> None:
    forms = report_forms()
    groups = [*forms.reasons.values(), *forms.refusals.values(), *forms.answers.values(), *forms.deeds.values()]
    said = [form for options in groups for form in options]
    said += [*forms.openings, *forms.closings, forms.again, forms.failed]
    assert not [form for form in said if "?" in form or "please" in form.lower()]


def test_every_tool_whose_deed_is_told_can_be_told_without_values() -> None:
    assert all(not PLACE.search(options[-1]) for options in report_forms().deeds.values())
    known = {*installed_catalogue().tools, "default"}
    assert set(report_forms().deeds) <= known
    assert set(report_forms().payments) <= known


def test_cues_of_real_tasks_have_sentences_of_their_own() -> None:
    cues = {answer.cue for task in tasks() for answer in task.expectation.answers if answer.kind != "reason"}
    assert len(cues) > 10
    assert cues <= set(report_forms().answers)


def test_deeds_state_no_values_beside_answers_of_their_kind() -> None:
    task = next(t for t in tasks() if any(a.kind == "money_cents" for a in t.expectation.answers))
    told = {answer.name: answer.value for answer in task.expectation.answers}
    deed = Deed("prepare_order", {"final_total": 99.99, "items": [{"name": "Zebra Bar"}]})
    for number in range(12):
        report = write_report(task, told, [deed], Stream(1, number))
        assert "99.99" not in report
        assert "Zebra" not in report
    free = next(t for t in tasks() if not t.expectation.answers)
    assert "Zebra Bar" in write_report(free, {}, [deed], Stream(1, 1))


def test_reported_answers_are_typed_values() -> None:
    task = next(t for t in tasks() if any(a.kind == "money_cents" for a in t.expectation.answers))
    answer = next(a for a in task.expectation.answers if a.kind == "money_cents")
    assert isinstance(answer.value, int)
    told = reported_answers(task, {answer.name: answer.value})
    assert told == [{"what": answer.cue, "value": answer.value / 100}]


@pytest.mark.parametrize("answers", ["text", "tool"])
def test_the_prompt_is_short_and_says_what_a_decline_must_tell(answers: str) -> None:
    prompt = system_prompt("2026-06-23T18:50:00", answers, installed_catalogue())  # type: ignore[arg-type]
    assert len(prompt.encode()) < 20_000
    assert prompt.rstrip().endswith("It is Tuesday, 2026-06-23, 18:50.")
    lines = {line.split("`")[1]: line for line in prompt.splitlines() if re.match(r"- `[a-z_]+`: ", line)}
    declined = 0
    for task in tasks():
        for use in task.intents:
            own = [a for a in task.expectation.answers if a.name.startswith(use.prefix)]
            reason = next((str(a.value) for a in own if a.kind == "reason"), "")
            for answer in own:
                if reason and answer.kind != "reason":
                    declined += 1
                    assert all(word in lines[reason] for word in answer.cue.split()), (answer.cue, reason)
    assert declined > 10
