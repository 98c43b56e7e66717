"""Golds that do not do what they say are caught by their execution."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas.certificate import Verdict
from schemas.contract import Answer
from schemas.plan import Ask, Call, Tell
from schemas.task import Consent, Patch
from tests.validators.tasks.altering import call, contracted, edited, expecting, inserted, rerecorded
from tests.validators.tasks_support import altered, context_of, contexts, position, replanned
from validators.tasks.context import TaskContext
from validators.tasks.execution import alike, check_contract, check_replay, tables_read

BOTH = ("BALANCE", "PURCHASE")


def replays(context: TaskContext) -> str:
    """Why the gold does not replay; empty when it does."""
    verdict = check_replay(context)
    assert verdict.check == "task.replay"
    assert verdict.passed is not bool(verdict.reason)
    return verdict.reason


def test_real_tasks_pass() -> None:
    for user in range(2):
        for context in contexts(user):
            verdict = check_replay(context)
            assert verdict.passed, verdict.reason
            assert verdict.counts == {"calls": sum(isinstance(s, Call) for s in context.task.plan.steps)}
            assert check_contract(context) == Verdict(check="task.contract", passed=True)


def test_a_call_that_fails_is_caught() -> None:
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    remedy = position(context.task.plan, "set_purchase_permission")
    steps = [step for number, step in enumerate(context.task.plan.steps) if number != remedy]
    assert "returns PERMISSION_DENIED" in replays(rerecorded(context, steps))


def test_a_result_that_is_not_what_was_recorded_is_caught() -> None:
    context = context_of("buy-best/fulfil")
    at = position(context.task.plan, "browse_items")

    def renamed(step: Call) -> Call:
        assert isinstance(step.result, dict)
        return step.model_copy(update={"result": {**step.result, "page": 2}})

    broken = replanned(context, lambda steps: [renamed(s) if n == at else s for n, s in enumerate(steps)])
    assert f"step {at} (browse_items) does not return the recorded result" in replays(broken)


@pytest.mark.parametrize("field", ["environment_hash", "start_hash", "end_hash"])
def test_a_wrong_hash_is_caught(field: str) -> None:
    assert f"{field} is {'0' * 32}" in replays(altered(context_of("buy-best/fulfil"), **{field: "0" * 32}))


def test_one_number_has_one_form() -> None:
    assert alike({"a": [25.0, {"b": 1}]}, {"a": [25, {"b": 1.0}]})
    assert not alike({"a": 1}, {"a": True})
    assert not alike([1, 2], [2, 1])
    assert not alike({"a": 1}, {"a": 1, "b": None})


# --- the start -----------------------------------------------------------------------------------------------------


def setup_with(context: TaskContext, table: str, key: str, **fields: object) -> TaskContext:
    record = {**context.tables[table].get(key, {}), **fields, "id": key}
    kept = [patch for patch in context.task.setup if (patch.table, patch.id) != (table, key)]
    patch = Patch.model_validate({"table": table, "id": key, "record": record})
    return altered(context, setup=[*kept, patch])


def test_a_setup_that_breaks_an_invariant_is_caught() -> None:
    context = context_of("buy-best/fulfil")
    balance = context.tables["wallet"]["wallet"]["balance_cents"]
    assert isinstance(balance, int)
    reason = replays(setup_with(context, "wallet", "wallet", balance_cents=balance + 1))
    assert "after setup the invariant balance_is_ledger does not hold" in reason


def test_a_setup_that_refers_to_nothing_is_caught() -> None:
    context = context_of("buy-best/fulfil")
    line = {"product_id": "p_000000_999", "size": "single_pack", "quantity": 1, "added_at": context.now}
    reason = replays(setup_with(context, "cart", "cart_x", **line))
    assert "cart/cart_x.product_id refers to 'p_000000_999', which assortment does not hold" in reason


def test_a_setup_that_takes_away_what_is_referred_to_is_caught() -> None:
    context = context_of("spending-question")
    lines = context.tables["order_lines"].values()
    key = str(next(line["transaction_id"] for line in lines))
    reason = replays(altered(context, setup=[Patch(table="transactions", id=key, record=None)]))
    assert f"the setup takes away transactions/{key}, to which a record of" in reason


def test_a_setup_that_observes_the_future_is_caught() -> None:
    context = context_of("clean-up-cart")
    key, line = next(iter(context.tables["cart"].items()))
    reason = replays(setup_with(context, "cart", key, **{**line, "added_at": "2999-01-01T00:00:00"}))
    assert f"the setup of cart/{key} puts added_at at 2999-01-01T00:00:00, after now" in reason


def test_a_plan_may_lie_in_the_future() -> None:
    context = context_of("buy-best/fulfil")
    key = next(iter(context.tables["vouchers"]))
    assert "after now" not in replays(setup_with(context, "vouchers", key, expires_on="2999-01-01"))


def test_an_invariant_is_looked_at_when_a_table_it_reads_was_set_up() -> None:
    context = context_of("buy-best/fulfil")
    invariants = context.catalogue.invariants
    assert tables_read(invariants["balance_is_ledger"]) == {"wallet", "ledger"}
    assert all(tables_read(invariant) for invariant in invariants.values())


# --- the user ------------------------------------------------------------------------------------------------------


def script_with(context: TaskContext, gate: str, granted: bool) -> TaskContext:
    script = context.task.script
    consents = [Consent(gate=c.gate, granted=granted) if c.gate == gate else c for c in script.consents]
    return altered(context, script=script.model_copy(update={"consents": consents}))


def test_a_question_the_script_answers_otherwise_is_caught() -> None:
    refused = script_with(context_of("buy-best/fulfil", BOTH), "PURCHASE", False)
    assert "the user answers False for PURCHASE, not True" in replays(refused)
    granted = script_with(context_of("buy-best/consent_refused"), "PURCHASE", True)
    assert "the user answers True for PURCHASE, not False" in replays(granted)


def test_a_question_the_script_knows_no_answer_to_is_caught() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    script = context.task.script.model_copy(update={"consents": []})
    assert "the user answers None for PURCHASE" in replays(altered(context, script=script))


def test_an_act_for_a_gate_without_a_yes_is_caught() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    silent = rerecorded(context, [step for step in context.task.plan.steps if not isinstance(step, Ask)])
    assert "the user acts for PURCHASE without having said yes to it" in replays(silent)


def test_the_amount_policy_agrees_with_the_consents() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    script = context.task.script.model_copy(update={"top_up": "refuse"})
    assert "the script says True for BALANCE and 'refuse' for its amount" in replays(altered(context, script=script))


# --- the report ----------------------------------------------------------------------------------------------------


def retold(context: TaskContext, change: Callable[[Tell], Tell | None]) -> TaskContext:
    def steps(old: list[object]) -> list[object]:
        new = [change(step) if isinstance(step, Tell) else step for step in old]
        return [step for step in new if step is not None]

    return replanned(context, steps)


def test_an_answer_that_is_not_told_is_caught() -> None:
    context = context_of("spending-question/fulfil")
    (answer,) = context.task.expectation.answers
    assert f"the answer {answer.name!r} is not told" in replays(retold(context, lambda _: None))


def test_an_answer_that_is_told_otherwise_is_caught() -> None:
    context = context_of("spending-question/fulfil")
    (answer,) = context.task.expectation.answers

    def more(step: Tell) -> Tell:
        return step.model_copy(update={"answers": {answer.name: -1}})

    assert f"the answer {answer.name!r} is told as -1" in replays(retold(context, more))


def test_an_answer_that_nobody_asked_for_is_caught() -> None:
    context = context_of("spending-question/fulfil")
    more = retold(context, lambda step: step.model_copy(update={"answers": {**step.answers, "reason": "policy"}}))
    assert "the answer 'reason' is told and not expected" in replays(more)


def test_names_are_told_in_any_order() -> None:
    context = context_of("clean-up-cart/none_satisfies")
    answers = [
        Answer(name=a.name, kind=a.kind, value=a.value[::-1]) if isinstance(a.value, list) else a
        for a in context.task.expectation.answers
    ]
    assert not replays(expecting(context, answers=answers))


# --- the contract --------------------------------------------------------------------------------------------------


def judged(context: TaskContext) -> str:
    verdict = check_contract(context)
    assert verdict.check == "task.contract"
    return verdict.reason


def test_a_wrong_quantity_is_caught() -> None:
    """The plan buys one more than the request says; everything else is as executed."""
    context = context_of("buy-best/fulfil", ())
    at = position(context.task.plan, "add_to_cart")

    def more(step: Call) -> Call:
        quantity = step.arguments["quantity"]
        assert isinstance(quantity, int)
        return step.model_copy(update={"arguments": {**step.arguments, "quantity": quantity + 1}})

    broken = edited(context, at, more)
    assert judged(broken)


def test_a_needless_top_up_is_caught() -> None:
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    broken = inserted(context, 0, Ask(gate="BALANCE", granted=True), call("top_up_wallet", "user", "BALANCE", amount=1))
    assert not replays(broken)
    assert judged(broken)


def test_a_contract_that_expects_another_end_is_caught() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    assert judged(contracted(context, lambda c: {"changes": c.changes[:-1]})) == (
        "something changed beside what was required"
    )


def test_an_answer_that_the_contract_does_not_expect_is_caught() -> None:
    context = context_of("spending-question/fulfil")
    (answer,) = context.task.expectation.answers
    wrong = answer.model_copy(update={"value": -1})
    assert judged(expecting(context, answers=[wrong])) == f"the answer {answer.name!r} is not -1"
