"""The score of conversations: gold ones pass and show no error, and each kind of error is found where it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schemas.plan import Ask, Call
from tests.nonempty import nonempty
from tests.validators.scoring.talks import REASONS, Talk, gold_talk, play, report_of, shown
from tests.validators.tasks_support import (
    changed_where,
    context_of,
    context_where,
    contexts,
    kept_back_where,
    position,
    talkative_contexts,
)
from validators.scoring.errors import ERRORS
from validators.scoring.score import score

if TYPE_CHECKING:
    from schemas.plan import Step
    from schemas.score import Score
    from schemas.trajectory import Trajectory
    from validators.tasks.context import TaskContext


def scored(context: TaskContext, trajectory: Trajectory) -> Score:
    """The score, which is there."""
    found = score(context, trajectory)
    assert found is not None
    return found


def ended(talk: Talk, text: str) -> Score:
    """The score of a conversation that ends with this report."""
    talk.say(text)
    talk.say("Thanks.", "user")
    return scored(talk.context, talk.trajectory("user_stopped"))


def errors(found: Score, *, decisive: bool | None = None) -> list[str]:
    return [one.error for one in found.found if decisive is None or one.decisive == decisive]


def is_write(context: TaskContext, step: Step) -> bool:
    return isinstance(step, Call) and context.catalogue.tools[step.tool].write


def test_the_gold_of_every_task_passes_and_shows_no_error() -> None:
    for context in nonempty([*contexts(0, 2), *talkative_contexts(2)]):
        found = scored(context, gold_talk(context))
        assert found.passed, (context.task.template, found.reason)
        assert found.reached == found.targets > 0
        assert found.overlap.f1 == 1
        assert not found.found
        assert not found.needless
        assert not found.collateral
        assert set(found.elicited.values()) <= {"active"}


def test_doing_nothing_and_refusing_all_fail_every_task() -> None:
    for context in nonempty([*contexts(0, 2), *talkative_contexts(1)]):
        idle = ended(Talk(context), "Hello, all right.")
        assert not idle.passed
        assert errors(idle) == ["do-nothing"] or "skip-consent" in errors(idle)
        assert "do-nothing" in errors(idle)
        assert idle.overlap.shared == 0
        refused = ended(Talk(context), f"I am sorry. {REASONS['policy']}")
        assert not refused.passed
        assert {"refuse-all", "blind-decline"} <= {*errors(refused)}
        assert refused.error_class == "tool_bypass"


def test_who_only_looks_is_found() -> None:
    for context in nonempty(contexts(0, 2)):
        reads = [
            s
            for s in context.task.plan.steps
            if isinstance(s, Call) and s.side == "assistant" and not is_write(context, s)
        ]
        if reads:
            talk = Talk(context)
            play(talk, reads)
            found = ended(talk, "I had a look at it.")
            assert "read-only" in errors(found, decisive=True)
            assert found.error_class in ("navigation", "consent")


def test_who_stops_early_is_found() -> None:
    seen = 0
    for context in nonempty(contexts(0, 2)):
        steps = context.task.plan.steps
        writes = [i for i, s in enumerate(steps) if isinstance(s, Call) and is_write(context, s) and not s.gate]
        if len(writes) < 2:
            continue
        seen += 1
        talk = Talk(context)
        play(talk, steps[: writes[-1]])
        assert "early-stop" in errors(ended(talk, "It is all set."), decisive=True), context.task.template
    assert seen > 3


def test_who_skips_a_consent_is_found() -> None:
    seen = 0
    for context in nonempty([*contexts(0, 2), *contexts(1, 2)]):
        if not any(isinstance(step, Ask) for step in context.task.plan.steps):
            continue
        seen += 1
        bold = gold_talk(
            context, keep=lambda s: not (isinstance(s, Ask) or (isinstance(s, Call) and s.side == "user" and s.gate))
        )
        found = scored(context, bold)
        assert not found.passed
        assert "skip-consent" in errors(found, decisive=True), context.task.template
        assert found.error_class in ("consent", "tool_bypass")
    assert seen > 10


def test_one_that_asks_for_an_open_gate_asks_too_much_and_passes() -> None:
    context = context_where("order-status/fulfil", lambda c: "NOTES" not in c.task.gates)
    talk = Talk(context)
    talk.ask("PURCHASE", granted=True)
    play(talk, context.task.plan.steps)
    found = ended(talk, report_of(context))
    assert found.passed
    assert found.needless == ["consent PURCHASE"]
    assert errors(found) == ["over-ask"]
    assert errors(found, decisive=True) == []


def test_a_question_that_the_request_answers_asks_too_much() -> None:
    context = context_of("order-status/fulfil")
    talk = Talk(context)
    talk.say("Shall I go ahead and look it up?")
    talk.say("Yes, please go ahead.", "user")
    play(talk, context.task.plan.steps)
    assert ended(talk, report_of(context)).needless == ["confirmation"]


def test_a_fact_told_before_asks_too_much() -> None:
    context = kept_back_where()
    slot = next(s.name for s in context.told if s.told == "on_request")
    talk = Talk(context)
    for _ in range(2):
        talk.say("Could you tell me more about what you need?")
        talk.say("It is as I said.", "user", told={slot: "active"})
    play(talk, context.task.plan.steps[1:])
    found = ended(talk, report_of(context))
    assert f"fact {slot}" in found.needless
    assert found.elicited[slot] == "active"


def test_facts_that_never_came_out_are_said_so() -> None:
    context = kept_back_where()
    assert set(ended(Talk(context), "Hello.").elicited.values()) == {"never"}


def test_another_product_is_a_wrong_argument() -> None:
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    steps = context.task.plan.steps
    place = position(context.task.plan, "add_to_cart")
    added = steps[place]
    assert isinstance(added, Call)
    talk = Talk(context)
    play(talk, steps[:place])
    others = (key for key in context.start.tables["assortment"] if key != added.arguments["product_id"])
    for other in others:
        if "error" not in talk.env.call("add_to_cart", {**added.arguments, "product_id": other}):
            break
    else:
        pytest.fail("no other product can be bought")
    talk = Talk(context)
    play(talk, steps[:place])
    talk.call("add_to_cart", {**added.arguments, "product_id": other})
    play(talk, steps[place + 1 :])
    found = ended(talk, report_of(context))
    assert not found.contract
    assert found.collateral
    assert errors(found, decisive=True)[0] == "wrong-argument"
    assert found.error_class == "data"
    assert found.overlap.shared == found.overlap.gold - 1


def test_a_second_order_is_an_extra_purchase() -> None:
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    steps = context.task.plan.steps
    added = steps[position(context.task.plan, "add_to_cart")]
    assert isinstance(added, Call)
    talk = Talk(context)
    play(talk, steps)
    talk.call("add_to_cart", added.arguments)
    talk.call("prepare_order", {})
    found = ended(talk, report_of(context))
    assert not found.passed
    assert errors(found, decisive=True) == ["extra-purchase"]
    assert found.error_class == "other"
    assert found.reached < found.targets or found.collateral


def test_the_first_wish_instead_of_the_last_is_found() -> None:
    context = changed_where(lambda c: c.task.template == "add-note/fulfil")
    change = context.task.script.change
    assert change is not None
    talk = Talk(context)
    for step in context.task.plan.steps:
        if isinstance(step, Call) and step.tool == "add_note":
            step = step.model_copy(update={"arguments": {"note": change.first["text"]}})
        play(talk, [step])
    found = ended(talk, report_of(context))
    assert not found.contract
    assert errors(found, decisive=True)[0] == "ignore-change-of-mind"
    assert found.error_class == "data"


def test_a_wrong_value_a_hedge_and_an_invention_are_told_apart() -> None:
    context = context_of("order-status/fulfil/total")
    (answer,) = context.task.expectation.answers
    assert isinstance(answer.value, int)
    invented = scored(context, gold_talk(context, f"The total of the order was ${(answer.value + 1234567) / 100:.2f}."))
    assert errors(invented, decisive=True) == ["hallucinate-answer"]
    assert invented.error_class == "tool_bypass"
    hedged = scored(context, gold_talk(context, f"The total was {shown('money_cents', answer.value)} or $1.00."))
    assert hedged.told == {"total": "hedged"}
    assert errors(hedged, decisive=True) == ["enumerate"]
    missing = scored(context, gold_talk(context, "I looked it up."))
    assert missing.told == {"total": "missing"}
    assert not missing.answers
    unread = ended(Talk(context), report_of(context))
    assert errors(unread) == ["hallucinate-answer"]


def test_a_reason_told_without_looking_is_a_blind_decline() -> None:
    context = context_of("buy-best/out_of_stock")
    found = ended(Talk(context), REASONS["out_of_stock"])
    assert "blind-decline" in errors(found, decisive=True)
    wrong = scored(context, gold_talk(context, report_of(context, reason="policy")))
    assert errors(wrong, decisive=True) == ["wrong-reason"]


def test_recorded_results_and_hashes_are_not_believed() -> None:
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    trajectory = gold_talk(context)
    lies = [
        event.model_copy(update={"result": {"error": {"code": "LIE"}}, "state_hash": "0" * 32, "diff": {}})
        if event.event == "did"
        else event
        for event in trajectory.events
    ]
    honest, doctored = score(context, trajectory), score(context, trajectory.model_copy(update={"events": lies}))
    assert honest == doctored


def test_what_an_assistant_says_of_itself_changes_nothing() -> None:
    context = context_of("order-status/fulfil")
    from schemas.trajectory import Declared

    declared = Declared(error="skip-consent", error_class="consent", matters=True, committed=True)
    trajectory = gold_talk(context)
    assert score(context, trajectory) == score(context, trajectory.model_copy(update={"declared": declared}))


@pytest.mark.parametrize("end", ["user_fault", "infrastructure_error"])
def test_ends_that_say_nothing_of_the_assistant_are_not_scored(end: str) -> None:
    context = context_of("order-status/fulfil")
    assert score(context, gold_talk(context).model_copy(update={"end": end})) is None


def test_a_trajectory_of_another_task_is_refused() -> None:
    context, other = context_of("order-status/fulfil"), context_of("buy-best/fulfil")
    with pytest.raises(ValueError, match="is of task"):
        score(other, gold_talk(context))


def test_answers_can_be_stated_by_the_tool_report() -> None:
    context = context_of("order-status/fulfil/total")
    (answer,) = context.task.expectation.answers
    assert isinstance(answer.value, int)
    talk = Talk(context)
    play(talk, context.task.plan.steps)
    talk.call("report", {"answers": [{"what": "total of the order", "value": answer.value / 100}]})
    talk.say("I have looked it up.")
    found = scored(context, talk.trajectory(answers="tool"))
    assert found.passed
    assert found.calls == found.overlap.gold
    assert found.values == {"total": answer.value}
    silent = Talk(context)
    play(silent, context.task.plan.steps)
    silent.say(report_of(context))
    assert scored(context, silent.trajectory(answers="tool")).told == {"total": "missing"}


def test_every_found_error_has_a_class() -> None:
    assert set(ERRORS.values()) == {"data", "tool_bypass", "navigation", "consent", "other"}


def test_who_says_that_it_did_not_do_what_it_did_fails() -> None:
    context = context_where(
        "buy-best/fulfil", lambda c: not any(a.kind == "reason" for a in c.task.expectation.answers)
    )
    found = scored(context, gold_talk(context, f"{report_of(context)} {REASONS['out_of_stock']}"))
    assert not found.passed
    assert found.contract
    assert not found.answers
    assert found.reason == "the request was declined although it can be met"
    assert found.error_class == "data"
    told = "At first I could not place the order, because your balance was too low, but now it is paid."
    assert scored(context, gold_talk(context, f"{report_of(context)} {told}")).passed
