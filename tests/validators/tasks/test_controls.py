"""Tasks that someone passes without doing them are caught."""

from __future__ import annotations

from schemas.contract import Answer, Contract, Expectation
from schemas.plan import Tell
from tests.validators.tasks.altering import expecting, nothing_expected
from tests.validators.tasks_support import altered, context_of, contexts, find, kindred, made, user_context
from validators.contract.values import InvalidContract
from validators.tasks.context import TaskContext
from validators.tasks.controls import MAX_BLIND, OTHERS, SMALL, check_other_gold, check_trivial_agents

AGENTS = ("do_nothing", "refuse_all", "blind_decline", "read_only", "guess_small")


def test_every_trivial_agent_fails_every_real_task() -> None:
    for user in range(3):
        for context in contexts(user):
            verdict = check_trivial_agents(context)
            assert verdict.passed, verdict.reason
            assert verdict.check == "task.trivial_agents"
            for agent in AGENTS:
                assert verdict.counts[f"{agent}/of"] > 0
                assert verdict.counts[f"{agent}/passed"] == 0
            refused = {use.form for use in context.task.intents} == {"consent_refused"}
            assert verdict.counts["ask_and_refuse/of"] == (0 if refused else 1)
            assert verdict.counts["ask_and_refuse/passed"] == 0
            assert verdict.counts["refuse_all/of"] == 6
            assert verdict.counts["blind_decline/of"] <= MAX_BLIND


def counting(number: int) -> TaskContext:
    """A question whose answer is a number."""
    context = context_of("spending-question/fulfil/orders")
    (answer,) = context.task.expectation.answers
    assert answer.kind == "count"
    return expecting(context, answers=[answer.model_copy(update={"value": number})])


def test_a_number_that_anyone_would_guess_is_no_question() -> None:
    for number in SMALL:
        verdict = check_trivial_agents(counting(number))
        assert verdict.counts["guess_small/passed"] == 1
        assert "guess_small passes" in verdict.reason
    assert check_trivial_agents(counting(max(SMALL) + 1)).passed


def test_a_small_round_amount_is_no_question_either() -> None:
    context = context_of("spending-question/fulfil/total")
    (answer,) = context.task.expectation.answers
    assert answer.kind == "money_cents"
    assert not check_trivial_agents(expecting(context, answers=[answer.model_copy(update={"value": 200})])).passed
    assert check_trivial_agents(context).passed


def test_a_refusal_that_no_question_could_have_led_to_is_caught() -> None:
    """What must be declined for lack of money is stated as a refused consent that needs no question of its own."""
    context = context_of("buy-best/cannot_afford")
    reason = Answer(name="reason", kind="reason", value="consent_refused")
    verdict = check_trivial_agents(expecting(context, answers=[reason]))
    assert verdict.counts["ask_and_refuse/passed"] == 1
    assert "ask_and_refuse passes" in verdict.reason
    right = check_trivial_agents(context_of("buy-best/consent_refused"))
    assert right.passed and right.counts["ask_and_refuse/of"] == 0


def only_reason(context: TaskContext) -> TaskContext:
    """The task as if a decline needed no evidence."""
    answers = [answer for answer in context.task.expectation.answers if answer.kind == "reason"]
    return expecting(context, answers=answers)


def test_a_decline_without_evidence_is_passed_by_refusing_everything() -> None:
    for template in ("buy-best/none_satisfies", "buy-best/out_of_stock", "spending-question/not_recorded"):
        verdict = check_trivial_agents(only_reason(context_of(template)))
        assert not verdict.passed
        assert "refuse_all passes" in verdict.reason
        assert verdict.counts["refuse_all/passed"] == 1
        assert verdict.counts["do_nothing/passed"] == 0


def test_a_refused_consent_needs_the_question() -> None:
    context = context_of("buy-best/consent_refused")
    assert check_trivial_agents(context).passed
    verdict = check_trivial_agents(expecting(context, asks=[]))
    assert verdict.counts["refuse_all/passed"] == 1


def test_evidence_that_the_user_told_is_no_evidence() -> None:
    """A nearest total that equals the limit can be told without looking."""
    context = context_of("buy-best/none_satisfies")
    limit = context.slots["max_total"]
    reason, *_ = context.task.expectation.answers
    told = Answer(name="nearest_total", kind="money_cents", value=limit)
    verdict = check_trivial_agents(expecting(context, answers=[reason, told]))
    assert not verdict.passed
    assert "blind_decline passes" in verdict.reason
    assert verdict.counts["refuse_all/passed"] == 0


def test_a_day_of_the_period_is_no_evidence() -> None:
    context = context_of("spending-question/not_recorded")
    reason, _ = context.task.expectation.answers
    told = Answer(name="first_date", kind="date", value=context.slots["period_last"])
    assert check_trivial_agents(expecting(context, answers=[reason, told])).counts["blind_decline/passed"] == 1


def test_an_empty_goal_cannot_be_judged() -> None:
    """Nothing passes it, and the check fails closed."""
    context = altered(context_of("buy-best/fulfil"), expectation=nothing_expected())
    try:
        check_trivial_agents(context)
    except InvalidContract as error:
        assert "doing nothing would pass" in str(error)
    else:
        raise AssertionError("an expectation that demands nothing was judged")


# --- golds of other tasks ------------------------------------------------------------------------------------------


def test_golds_of_other_tasks_fail_every_real_task() -> None:
    tried = 0
    for user in range(3):
        for context in contexts(user):
            verdict = check_other_gold(context)
            assert verdict.passed, verdict.reason
            assert verdict.check == "task.other_gold"
            assert verdict.counts["passed"] == 0
            assert verdict.counts["of"] <= OTHERS
            tried += verdict.counts["of"]
    assert tried > 80


def test_a_contract_that_takes_another_tasks_end_is_caught() -> None:
    user, (task, peer, *_) = kindred("buy-best/fulfil", 1, ())
    assert peer.expectation != task.expectation
    both = Expectation(any_of=[*task.expectation.any_of, *peer.expectation.any_of])
    loose = task.model_copy(update={"expectation": both, "setup": peer.setup})
    verdict = check_other_gold(TaskContext(user_context(user), loose, [peer]))
    assert verdict.counts == {"of": 1, "passed": 1}
    assert verdict.reason == f"the gold of {peer.task_id} passes"


def test_a_task_that_expects_the_same_is_no_control() -> None:
    user, task = find("spending-question/fulfil")
    twin = task.model_copy(update={"task_id": "u000000-t99999"})
    verdict = check_other_gold(TaskContext(user_context(user), task, [twin]))
    assert verdict.passed
    assert verdict.counts == {"of": 0, "passed": 0}
    assert "no other task of the user could be tried" in verdict.evidence
    assert check_other_gold(context_of("spending-question/fulfil")).evidence == ""


def test_a_gold_that_solves_this_task_too_is_no_control() -> None:
    """The same decline with a grant that may stay: the other's gold is a solution of both."""
    user, task = find("buy-best/none_satisfies")
    more = Expectation(
        any_of=[*task.expectation.any_of, Contract(relations=task.expectation.any_of[0].relations)],
        answers=task.expectation.answers,
    )
    twin = task.model_copy(update={"task_id": "u000000-t99999", "expectation": more})
    verdict = check_other_gold(TaskContext(user_context(user), task, [twin]))
    assert verdict.passed
    assert verdict.counts == {"of": 0, "passed": 0}


def test_what_another_gold_tells_decides_too() -> None:
    """A question whose answer is not looked at is passed by the gold of any other question."""
    user, task = find("spending-question/fulfil")
    told = Answer(name="spent", kind="money_cents", value=123_456)
    other = task.model_copy(
        update={
            "task_id": "u000000-t99999",
            "expectation": Expectation(any_of=[Contract()], answers=[told]),
            "plan": task.plan.model_copy(
                update={
                    "steps": [
                        *(step for step in task.plan.steps if not isinstance(step, Tell)),
                        Tell(answers={"spent": 123_456}, origins={}),
                    ]
                }
            ),
        }
    )
    context = TaskContext(user_context(user), task, [other])
    assert check_other_gold(context).counts == {"of": 1, "passed": 0}


def test_the_likest_tasks_are_tried_first() -> None:
    user, (task, *kin) = kindred("buy-best/fulfil", OTHERS)
    peers = [peer for peer in made(user, 2).tasks if peer is not task]
    assert len(peers) > len(kin) >= OTHERS
    alone = TaskContext(user_context(user), task, kin)
    among = TaskContext(user_context(user), task, peers)
    verdict = check_other_gold(alone)
    assert verdict.counts["of"] == OTHERS
    assert verdict == check_other_gold(among)
    assert alone.foreign_calls == among.foreign_calls > 0
