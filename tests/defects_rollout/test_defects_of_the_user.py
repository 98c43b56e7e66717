"""Known defects of published simulations of users, each with a test that it is not repeated here.

D numbers are defects of PAUSE's reference; fault numbers are those of other published benchmarks.
"""

from __future__ import annotations

import re

import pytest

from generators.dialogue.parts import AssistantTurn
from language import find
from schemas.plan import Call as GoldCall
from schemas.plan import Question
from schemas.trajectory import Budget, Confirmed, Did, Said, Trajectory
from tests import environments
from tests.defects_rollout.staging import (
    calls_of,
    first_context,
    held,
    oracle_talks,
    said_by,
    scored,
    some_contexts,
)
from tests.generators.dialogue.players import Says, called, said
from tests.nonempty import nonempty
from tests.validators.tasks_support import altered
from validators.tasks.context import TaskContext

ID = re.compile(r"\b(?:p|tx|line|cart|vch|note|prov|food)_[0-9a-z]{4,}")
"""Ids of records, as tools show them."""
STRANGE = (
    "How old are you?",
    "What is your passport number?",
    "Which airport do you fly from, and on what date?",
    "Who is the second passenger, and what is their date of birth?",
    "What did your doctor tell you last week?",
    "How much do you earn a month?",
)
"""Questions about what no task says anything of."""


def user_messages(trajectory: Trajectory) -> list[Said]:
    """What the user said in answer, the request aside."""
    return [e for e in trajectory.events if isinstance(e, Said) and e.by == "user"][1:]


def facts_in(text: str) -> list[object]:
    """The amounts, numbers, dates and percentages that a text states."""
    return [mention.value for kind in ("money_cents", "count", "date", "percent") for mention in find(kind, text)]


def numbers(text: str) -> set[int]:
    """The whole numbers that a text is written with."""
    return {int(found) for found in re.findall(r"\d+", text)}


def numbers_known(context: TaskContext) -> set[int]:
    """The numbers with which the user can write what they know: amounts also in currency units."""
    script, found = context.task.script, numbers(context.task.instruction)
    found |= numbers(script.change.message) if script.change else set()
    for slot in context.told:
        if slot.told != "by_part":
            found |= numbers(str(slot.value))
            found |= numbers(f"{slot.value / 100:.2f}") if isinstance(slot.value, int) else set()
    return found


# D38: the user was given the products to buy and the results of the solver.


def nothing_right(context: TaskContext) -> TaskContext:
    """The task with plan and expectation of nothing: a gold that says nothing about what is right."""
    task = context.task
    empty = task.expectation.model_copy(update={"answers": [], "asks": [], "any_of": []})
    plan = task.plan.model_copy(update={"steps": [], "nodes": [], "decisions": []})
    return altered(context, plan=plan, expectation=empty, end_hash="0" * 32, goals=[], tools=[], gates=[])


def turns_of(trajectory: Trajectory) -> list[AssistantTurn]:
    """The assistant's turns, to be taken again."""
    turns: list[AssistantTurn] = []
    for event in trajectory.events:
        if isinstance(event, Did) and event.side == "assistant":
            turns.append(called((event.tool, event.arguments_text)))
        elif isinstance(event, Said) and event.by == "assistant":
            turns.append(said(event.text))
    return turns


def test_defect_D38_the_user_answers_the_same_whatever_the_gold_says() -> None:
    for context, trajectory in oracle_talks():
        again = held(context, Says(turns_of(trajectory)), known=nothing_right(context).task)
        assert said_by(again, "user") == said_by(trajectory, "user")
        assert again.end_hash == trajectory.end_hash


def test_defect_D38_the_user_never_names_what_only_tools_show() -> None:
    for context, trajectory in oracle_talks():
        heard = context.task.instruction
        for event in trajectory.events:
            if isinstance(event, Said) and event.by == "assistant":
                heard += event.text
            elif isinstance(event, Said) and event.by == "user":
                assert set(ID.findall(event.text)) <= set(ID.findall(heard)), trajectory.trajectory_id


def test_defect_D38_the_user_tells_no_answer_that_the_assistant_is_to_find() -> None:
    answers = 0
    for context, _ in oracle_talks():
        asks = [f"What is the {answer.cue}?" for answer in context.task.expectation.answers if answer.kind != "reason"]
        for question in asks:
            trajectory = held(context, Says([said(question)]), budget=Budget(turns=1))
            texts = " ".join(message.text for message in user_messages(trajectory))
            assert numbers(texts) <= numbers_known(context), texts
            answers += 1
    assert answers > 10


# Fault 26: a persona contradicted the records, and the user made up an age.


@pytest.mark.parametrize("index", range(5))
def test_fault_26_who_the_user_is_stands_in_the_records_that_tools_show(index: int) -> None:
    persona = environments.person(index)
    (record,) = environments.environment(index).tables["profile"]
    assert (record["name"], record["age"], record["gender"]) == (
        f"{persona.name.given} {persona.name.family}",
        persona.age,
        persona.gender,
    )


# Fault 27: the user added a passenger that the task does not have.


@pytest.mark.parametrize("question", STRANGE)
def test_fault_27_the_user_makes_nothing_up(question: str) -> None:
    for context in some_contexts():
        trajectory = held(context, Says([said(question)]), budget=Budget(turns=1))
        (message,) = user_messages(trajectory)
        assert numbers(message.text) <= numbers_known(context), message.text
        assert message.told or not facts_in(message.text)
        assert calls_of(trajectory, "user") == []


def test_fault_27_the_user_wants_nothing_beside_the_request() -> None:
    offers = (
        "Shall I also order a second one for a friend?",
        "Do you want me to add anything else to it?",
        "Would you like a membership as well, while we are at it?",
    )
    for context in some_contexts():
        for offer in offers:
            trajectory = held(context, Says([said(offer)]), budget=Budget(turns=1))
            (message,) = user_messages(trajectory)
            assert not facts_in(message.text)
            assert calls_of(trajectory, "user") == []
            assert not [event for event in trajectory.events if isinstance(event, Confirmed)]


def test_fault_27_a_fact_is_told_as_the_task_holds_it() -> None:
    told = 0
    for context, trajectory in oracle_talks():
        slots = {slot.name: slot for slot in context.told}
        for message in user_messages(trajectory):
            assert message.told.keys() <= slots.keys()
            assert all(slots[name].told in ("upfront", "on_request") for name in message.told)
            told += len(message.told)
    assert told > 0
    assert any(isinstance(step, Question) for context in some_contexts() for step in context.task.plan.steps)


# Fault 28: an impossible request without a way out made the user go on, and book twice.

LOOPS = (
    ("I could not do that. Shall I try again?",),
    ("Would you like something else instead?",),
    ("One moment, I am looking into it.",),
    ("What exactly do you need?",),
    ("How old are you?", "What is your passport number?"),
    ("Could you tell me more?", "Shall I go ahead?", "One moment.", "Do you want another one?"),
    ("Please pay now.", "May I have your permission for purchases?"),
    ("Done.",),
)


@pytest.mark.parametrize("lines", LOOPS)
def test_fault_28_every_conversation_comes_to_an_end_of_the_users(lines: tuple[str, ...]) -> None:
    for context in some_contexts():
        turns = [said(lines[number % len(lines)]) for number in range(200)]
        trajectory = held(context, Says(turns), budget=Budget(turns=150))
        assert trajectory.end in ("user_stopped", "done"), (context.task.task_id, trajectory.end)
        paid = [c for c in calls_of(trajectory, "user") if c.tool == "authorize_checkout" and "error" not in c.result]
        gold = [s for s in context.task.plan.steps if isinstance(s, GoldCall) and s.tool == "authorize_checkout"]
        assert len(paid) <= len(gold)


def test_fault_28_a_request_that_was_met_is_not_met_twice() -> None:
    again = ("Shall I order the same once more?", "Do you want me to prepare another order?", "Shall I repeat it?")
    for context, trajectory in oracle_talks():
        paid = [c for c in calls_of(trajectory, "user") if c.tool == "authorize_checkout" and "error" not in c.result]
        if not paid:
            continue
        turns = turns_of(trajectory)
        more = held(context, Says([*turns[:-1], *map(said, again), turns[-1]]))
        assert [c.tool for c in calls_of(more, "user")] == [c.tool for c in calls_of(trajectory, "user")]
        assert more.end_hash == trajectory.end_hash


# Fault 29: the user said stop with their yes, before the write that it was for.


def test_fault_29_the_user_does_not_leave_with_an_act_that_something_is_to_follow() -> None:
    acted = 0
    for context, trajectory in oracle_talks():
        last = trajectory.events[-1]
        assert isinstance(last, Said) and last.by == "user"
        once = {consent.gate for consent in context.task.script.consents if consent.once}
        with_it = [e for e in trajectory.events if isinstance(e, Did) and e.side == "user" and e.turn == last.turn]
        assert len(with_it) <= len(once)
        acted += len(calls_of(trajectory, "user")) - len(with_it)
    assert acted > 10


def test_fault_29_after_a_yes_the_call_is_made_before_the_end() -> None:
    context = first_context(lambda c: any(step.step == "confirm" for step in c.task.plan.steps))
    trajectory = held(context)
    events = trajectory.events
    (at,) = [number for number, event in enumerate(events) if isinstance(event, Confirmed)]
    after = [event for event in events[at:] if isinstance(event, Did) and event.side == "assistant"]
    assert after[0].tool == events[at].tool  # type: ignore[union-attr]
    assert "error" not in after[0].result
    assert trajectory.end == "done"


def test_fault_29_a_user_who_paid_waits_for_the_report() -> None:
    context = first_context(lambda c: c.task.template == "buy-best/fulfil")
    trajectory = held(context)
    paid = [n for n, e in enumerate(trajectory.events) if isinstance(e, Did) and e.tool == "authorize_checkout"]
    after = [e.by for e in trajectory.events[paid[-1] :] if isinstance(e, Said)]
    assert after == ["user", "assistant", "user"]


# Fault 30: up to a third of failed runs were faults of the simulated user.


def test_fault_30_with_a_perfect_assistant_nothing_fails() -> None:
    talks = nonempty(oracle_talks())
    failed = {t.trajectory_id: s.reason for c, t in talks if not (s := scored(c, t)).passed}
    assert failed == {}
    assert {trajectory.end for _, trajectory in talks} == {"done"}
    forms = {use.form for context, _ in talks for use in context.task.intents}
    assert {"fulfil", "consent_refused", "none_satisfies", "out_of_stock"} <= forms


def test_fault_30_the_perfect_assistant_does_what_the_gold_does() -> None:
    for context, trajectory in oracle_talks():
        gold = [step.tool for step in context.task.plan.steps if isinstance(step, GoldCall)]
        made = [event.tool for event in trajectory.events if isinstance(event, Did)]
        assert sorted(made) == sorted(gold)
        assert trajectory.end_hash == context.task.end_hash
