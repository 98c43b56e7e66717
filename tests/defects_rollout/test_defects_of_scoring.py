"""Known defects of published evaluations, each with a test that it is not repeated here.

D numbers are defects of PAUSE's reference; fault numbers are those of other published benchmarks.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from typing import Any

import pytest

from schemas.base import Json, canonical
from schemas.contract import Answer
from schemas.trajectory import Did, EndReason, Event, Said, Trajectory
from services.runtime.policy import platform_policy
from tests.defects_rollout.staging import first_context, held, oracle_talks, scored
from tests.generators.dialogue.players import Says, called, said
from tests.nonempty import nonempty
from tests.validators.scoring.talks import gold_talk, report_of
from validators.scoring.overlap import Calls
from validators.scoring.pause_compat import overlap, state_check, target_achievement, task_completion
from validators.scoring.pause_compat_adapter import gold_calls, made_calls, targets_met
from validators.scoring.score import score
from validators.tasks.context import TaskContext

BUYS = first_context(lambda context: context.task.template == "buy-best/fulfil")
ANSWERS = first_context(lambda context: context.task.template.startswith("price-check/fulfil"))
REFUSED = first_context(lambda context: bool(context.task.expectation.asks))


def with_events(trajectory: Trajectory, events: Iterable[Event]) -> Trajectory:
    """The trajectory with other events."""
    return trajectory.changed({"events": list(events)})


def beside(trajectory: Trajectory, *calls: tuple[str, dict[str, Json] | None]) -> Trajectory:
    """The trajectory with calls of the assistant before its last message."""
    events = trajectory.events
    at = max(number for number, event in enumerate(events) if isinstance(event, Said) and event.by == "assistant")
    made: list[Event] = [
        Did(
            turn=events[at].turn,
            side="assistant",
            call_id=f"more_{number}",
            tool=tool,
            arguments_text="{" if arguments is None else canonical(arguments).decode(),
            arguments=arguments,
            result={},
            state_hash="",
        )
        for number, (tool, arguments) in enumerate(calls)
    ]
    return with_events(trajectory, [*events[:at], *made, *events[at:]])


def reporting(context: TaskContext, text: str) -> Trajectory:
    """The gold with another report."""
    return gold_talk(context, text)


# D40, D41: reruns met the world that others had left, and gold was whatever a model had done first.


def test_defect_D41_the_gold_is_the_tasks_whichever_attempt_came_before() -> None:
    bad, good = held(BUYS, Says([said("I cannot do that.")])), held(BUYS)
    fresh = scored(BUYS, good)
    assert not scored(BUYS, bad).passed
    assert scored(BUYS, good) == fresh
    assert (fresh.passed, fresh.overlap.f1) == (True, 1.0)
    gold = [step for step in BUYS.task.plan.steps if getattr(step, "side", "") == "assistant"]
    assert scored(BUYS, bad).overlap.gold == fresh.overlap.gold == len(gold)


def test_defect_D40_scoring_leaves_task_world_and_record_as_they_are() -> None:
    trajectory = held(BUYS)
    before = (canonical(BUYS.task), f"{BUYS.start.hash:032x}", canonical(trajectory))
    for _ in range(2):
        scored(BUYS, trajectory)
    assert (canonical(BUYS.task), f"{BUYS.start.hash:032x}", canonical(trajectory)) == before
    assert before[1] == BUYS.task.start_hash


# D42: a policy was kept when any judge said so, and a judge that crashed took the whole evaluation along.


def kinds_of_talks(context: TaskContext) -> list[Trajectory]:
    """Conversations that are right, and that lack one thing each."""
    gold = gold_talk(context)
    return [
        gold,
        gold_talk(context, "I had a look around."),
        gold_talk(context, keep=lambda step: step.step != "ask"),
        gold_talk(context, keep=lambda step: getattr(step, "side", "") != "assistant"),
        beside(gold, ("add_note", {"note": "Something that nobody asked for."})),
        held(context, Says([said("Sorry, no.")])),
    ]


def test_defect_D42_passing_needs_contract_and_answers_and_consent() -> None:
    found: set[tuple[bool, bool, bool]] = set()
    for context in (BUYS, ANSWERS, REFUSED):
        for trajectory in kinds_of_talks(context):
            one = scored(context, trajectory)
            assert one.passed == (one.contract and one.answers and one.consent) == (not one.reason)
            assert one.passed == (not [error for error in one.found if error.decisive])
            found.add((one.contract, one.answers, one.consent))
    assert {(True, True, True), (False, True, True), (True, False, True)} <= found
    assert any(not consent for _, _, consent in found)


NONSENSE: list[tuple[str, dict[str, Json] | None]] = [
    ("nothing_of_this_name", {}),
    ("browse_items", None),
    ("browse_items", {"page": "one"}),
    ("browse_items", {"page": [1], "more": {"a": None}}),
    ("top_up_wallet", {"amount": 1}),
    ("", {}),
]


def test_defect_D42_no_record_breaks_the_evaluation() -> None:
    one = scored(BUYS, beside(gold_talk(BUYS), *NONSENSE))
    assert (one.passed, one.errors) == (True, len(NONSENSE))
    empty = scored(BUYS, with_events(gold_talk(BUYS), []))
    assert not empty.passed
    assert empty.calls == 0


# D43: judge and assistant followed two different policies.


def test_defect_D43_the_policy_told_is_the_one_that_is_enforced() -> None:
    prompt = held(BUYS).assistant.prompt
    catalogue = BUYS.catalogue
    assert platform_policy(catalogue) in prompt
    rules = [policy.text for service in catalogue.services.values() for policy in service.policies]
    rules += [gate.gate.policy for gate in catalogue.gates.values() if gate.gate.policy]
    assert [rule for rule in nonempty(rules) if rule not in prompt] == []


# D44: what no gold model had reached was deleted from the task.


def test_defect_D44_a_failure_takes_nothing_off_the_targets() -> None:
    for context in (BUYS, ANSWERS, REFUSED):
        targets = {scored(context, trajectory).targets for trajectory in kinds_of_talks(context)}
        assert len(targets) == 1
        assert targets.pop() > 0


# D45: the check of the end-state was true whatever had happened.


def test_defect_D45_the_end_state_is_compared() -> None:
    gold = gold_talk(BUYS)
    more = beside(gold, ("add_to_cart", {"product_id": product(BUYS), "size": "single_pack", "quantity": 1}))
    less = gold_talk(BUYS, keep=lambda step: getattr(step, "tool", "") != "authorize_checkout")
    assert [scored(BUYS, talk).contract for talk in (gold, more, less)] == [True, False, False]
    assert all(state_check(gold.model_dump(), talk.model_dump()) for talk in (gold, more, less))


def product(context: TaskContext) -> str:
    return next(iter(context.start.tables["assortment"]))


def test_defect_D45_what_a_record_says_of_its_end_is_not_believed() -> None:
    gold, idle = gold_talk(BUYS), held(BUYS, Says([said("All done.")]))
    forged = idle.changed({"end": "done", "end_hash": gold.end_hash})
    assert not scored(BUYS, forged).contract
    lies = [
        event.changed({"result": {"ok": True}, "diff": {}, "state_hash": "0"}) if isinstance(event, Did) else event
        for event in gold.events
    ]
    assert scored(BUYS, with_events(gold, lies)) == scored(BUYS, gold)


# D46, fault 39: arguments had to be the same letter by letter, and others matched calls without any.

CALLS = Calls(BUYS)
EQUAL: list[tuple[tuple[str, dict[str, Json]], tuple[str, dict[str, Json]], bool]] = [
    (("browse_items", {"page": 1}), ("browse_items", {"page": 1.0}), True),
    (("browse_items", {"page": 1}), ("browse_items", {"page": 2}), False),
    (("prepare_order", {}), ("prepare_order", {"voucher_id": None}), True),
    (("prepare_order", {}), ("prepare_order", {"voucher_id": "vch_1"}), False),
    (
        ("add_to_cart", {"product_id": "p", "size": "pack_5", "quantity": 2}),
        ("add_to_cart", {"quantity": 2, "size": "pack_5", "product_id": "p"}),
        True,
    ),
    # Fault 39: a call without arguments is no call with some.
    (("browse_items", {"page": 1}), ("browse_items", {}), False),
    (("add_to_cart", {"product_id": "p", "size": "pack_5", "quantity": 2}), ("add_to_cart", {}), False),
    # D47: the source of a prefixed tool is part of the call.
    (("fitbit-get_activity_plan", {}), ("fitbit-get_activity_plan", {}), True),
    (("fitbit-get_activity_plan", {}), ("oura-get_activity_plan", {}), False),
]


@pytest.mark.parametrize(("one", "other", "equal"), EQUAL)
def test_defect_D46_D47_fault_39_calls_are_compared_as_the_tool_understands_them(
    one: tuple[str, dict[str, Json]], other: tuple[str, dict[str, Json]], equal: bool
) -> None:
    assert (CALLS.key(*one) == CALLS.key(*other)) is equal


def test_defect_D46_a_number_written_otherwise_and_a_broken_call_cost_what_they_are() -> None:
    gold = gold_talk(BUYS)
    floats = with_events(gold, map(as_float, gold.events))
    assert scored(BUYS, floats).overlap.f1 == 1
    assert overlap(gold_calls(BUYS.task), made_calls(floats)).f1 < 1
    one = scored(BUYS, beside(gold, ("browse_items", None))).overlap
    assert (one.recall, one.made) == (1, one.gold + 1)


def as_float(event: Event) -> Event:
    """The call with page numbers as a model may write them."""
    if not isinstance(event, Did) or event.arguments is None or "page" not in event.arguments:
        return event
    page: Any = event.arguments["page"]
    return event.changed({"arguments": {"page": float(page)}, "arguments_text": f'{{"page": {page}.0}}'})


def test_fault_39_empty_calls_reach_nothing() -> None:
    turns = [called(*((step.tool, {}) for step in gold_steps(BUYS) if step.arguments)), said("Done.")]
    one = scored(BUYS, held(BUYS, Says(turns)))
    assert (one.overlap.shared, one.contract, one.passed) == (0, False, False)


def gold_steps(context: TaskContext) -> list[Any]:
    return nonempty([step for step in context.task.plan.steps if getattr(step, "side", "") == "assistant"])


# D48: nothing in the repository computed the published table, and one model judged all others.


def test_defect_D48_the_table_follows_from_scores_by_stated_formulas() -> None:
    talks = [(BUYS, gold_talk(BUYS)), (ANSWERS, gold_talk(ANSWERS)), (ANSWERS, gold_talk(ANSWERS, "I looked."))]
    met = [targets_met(scored(context, trajectory)) for context, trajectory in talks]
    # Of the third task none of its two answers is told: TC = 2/3, TA = (1 + 1 + 0) / 3.
    assert [len(one) for one in met[1:]] == [2, 2]
    assert task_completion(met) == pytest.approx(2 / 3)
    assert target_achievement(met) == pytest.approx(2 / 3)


# D51, faults 31 and 32: what was missing, broken off or empty counted as a pass.


@pytest.mark.parametrize("end", ["user_fault", "infrastructure_error"])
def test_fault_31_a_conversation_that_was_broken_off_has_no_score(end: EndReason) -> None:
    assert score(BUYS, gold_talk(BUYS).changed({"end": end})) is None


@pytest.mark.parametrize("end", ["budget", "agent_error", "user_stopped"])
def test_fault_31_an_end_of_the_assistants_making_is_scored_by_what_is_so(end: EndReason) -> None:
    idle = held(BUYS, Says([said("All done.")])).changed({"end": end})
    assert not scored(BUYS, idle).passed
    assert scored(BUYS, gold_talk(BUYS).changed({"end": end})).passed


@pytest.mark.parametrize("text", ["", "Done.", "Yes.", "true", '{"passed": true}', "All targets achieved. PASS."])
def test_defect_D51_fault_32_saying_nothing_or_that_all_is_well_is_no_answer(text: str) -> None:
    one = scored(ANSWERS, reporting(ANSWERS, text))
    assert not one.passed
    assert set(one.told.values()) == {"missing"}


def test_fault_32_contradicting_oneself_is_no_answer() -> None:
    right = report_of(ANSWERS)
    verdicts = {"within_limit": "over_limit", "over_limit": "within_limit"}
    wrong = report_of(ANSWERS, verdict=verdicts[str(answer_of(ANSWERS, "verdict").value)], difference=12_345)
    assert scored(ANSWERS, reporting(ANSWERS, right)).passed
    assert not scored(ANSWERS, reporting(ANSWERS, wrong)).passed
    assert not scored(ANSWERS, reporting(ANSWERS, f"{right} {wrong}")).passed


def answer_of(context: TaskContext, name: str) -> Answer:
    return next(answer for answer in context.task.expectation.answers if answer.name.endswith(name))


def test_fault_31_a_trajectory_of_another_task_is_refused() -> None:
    with pytest.raises(ValueError, match="not"):
        score(ANSWERS, gold_talk(BUYS))


# Fault 33: everything was done, and an extra read or other words made it nothing.


def test_fault_33_extra_reads_and_other_words_change_nothing() -> None:
    for context, trajectory in oracle_talks():
        reads = [("get_wallet", {}), ("get_cart", {}), ("get_transactions", {}), ("get_user_profile", {})]
        one = scored(context, beside(trajectory, *reads))
        assert one.passed, (context.task.task_id, one.reason)
        assert scored(context, gold_talk(context)).passed, context.task.task_id


def test_fault_33_a_write_that_nobody_asked_for_is_not_overlooked() -> None:
    for context, trajectory in oracle_talks():
        more = ("add_to_cart", {"product_id": product(context), "size": "single_pack", "quantity": 1})
        assert not scored(context, beside(trajectory, more)).passed, context.task.task_id


# Fault 34: tasks were lost where no key for the judge was set.


def test_fault_34_scoring_needs_no_network_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [scored(context, trajectory) for context, trajectory in oracle_talks()]

    def refuse(*_: object) -> None:
        raise AssertionError("scoring opened a connection")

    for name in list(os.environ):
        if name.upper().endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    assert [scored(context, trajectory) for context, trajectory in oracle_talks()] == wanted


# Fault 40: any 4 in any message passed where four was the answer.

COUNTED = first_context(lambda context: [answer.kind for answer in context.task.expectation.answers] == ["count"])


@pytest.mark.parametrize(
    "text",
    [
        "{n}",
        "I looked at {n} pages of the store.",
        "Here is what I found out in {n} steps: nothing.",
        "It took {n} minutes. All done.",
        "Between 1 and {n}.",
        "Maybe {n}, maybe {m}.",
    ],
)
def test_fault_40_a_number_that_stands_somewhere_is_no_answer(text: str) -> None:
    (answer,) = COUNTED.task.expectation.answers
    value: Any = answer.value
    assert not scored(COUNTED, reporting(COUNTED, text.format(n=value, m=value + 1))).passed
    assert scored(COUNTED, gold_talk(COUNTED)).passed


def test_fault_40_what_was_said_on_the_way_is_no_answer_when_the_report_says_otherwise() -> None:
    (answer,) = COUNTED.task.expectation.answers
    value: Any = answer.value
    right, wrong = report_of(COUNTED), report_of(COUNTED, **{answer.name: value + 1})
    events = [
        *gold_talk(COUNTED).events[:-2],
        Said(turn=90, by="assistant", text=right),
        Said(turn=91, by="user", text="Go on."),
        Said(turn=92, by="assistant", text=wrong),
        Said(turn=93, by="user", text="Thanks."),
    ]
    assert not scored(COUNTED, with_events(gold_talk(COUNTED), events)).passed
