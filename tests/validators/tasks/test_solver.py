"""The check that the hand-written solver arrives at what a task expects."""

from __future__ import annotations

import pytest

from generators.tasks.quota import installed_intents
from schemas.base import Json
from schemas.contract import Change, Contract, Equal, Expectation, Rule, Total
from tests.validators.tasks_support import altered, context_of, contexts
from validators.tasks.context import TaskContext
from validators.tasks.solver import check_solver, installed_solvers


def expecting(context: TaskContext, **changes: object) -> TaskContext:
    return altered(context, expectation=context.task.expectation.model_copy(update=changes))


def contract_of(context: TaskContext) -> Contract:
    return context.task.expectation.any_of[0]


def with_field(context: TaskContext, table: str, field: str, rule: Rule) -> TaskContext:
    """The task, with another rule for a field of the first expected change in a table."""
    changes = list(contract_of(context).changes)
    at = next(i for i, change in enumerate(changes) if change.table == table)
    changes[at] = changes[at].model_copy(update={"fields": {**changes[at].fields, field: rule}})
    return expecting(context, any_of=[contract_of(context).model_copy(update={"changes": changes})])


def test_real_tasks_pass() -> None:
    tasks = [context for user in range(6) for context in contexts(user, 2)]
    assert len({context.task.template for context in tasks}) > 12
    assert [context.task.task_id for context in tasks if not check_solver(context).passed] == []


def test_every_intent_of_the_entry_points_has_a_solver() -> None:
    assert sorted(installed_solvers()) == [intent.name for intent in installed_intents()]


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("order_lines", "quantity", 99),
        ("order_lines", "product_id", "p_000000_001"),
        ("order_lines", "unit_price_cents", 1),
        ("assortment", "stock", 0),
        ("transactions", "total_cents", 12_345),
    ],
)
def test_another_value_at_the_end_is_caught(table: str, field: str, value: Json) -> None:
    verdict = check_solver(with_field(context_of("buy-best/fulfil"), table, field, Equal(value=value)))
    assert not verdict.passed
    assert f"no expected change is create in {table}" in verdict.reason or table == "assortment"


def test_a_change_more_or_less_is_caught() -> None:
    context = context_of("clean-up-cart/fulfil")
    changes = contract_of(context).changes
    more = Change(op="update", table="permissions", id="purchase", fields={"allowed": Equal(value=True)})
    for others in (changes[1:], [*changes, more]):
        verdict = check_solver(expecting(context, any_of=[Contract(changes=others)]))
        assert "changes are expected" in verdict.reason


def test_a_needless_grant_in_plan_and_expectation_is_caught() -> None:
    context = context_of("buy-best/fulfil", ())
    grant = Change(op="update", table="permissions", id="purchase", fields={"allowed": Equal(value=True)})
    contract = contract_of(context)
    changed = contract.model_copy(update={"changes": [*contract.changes, grant]})
    assert not check_solver(expecting(context, any_of=[changed])).passed


def test_another_sum_in_the_ledger_is_caught() -> None:
    context = context_of("buy-best/fulfil")
    contract = contract_of(context)
    totals = [
        Total.model_validate({**total.model_dump(), "value": total.value - 1 if total.value else 1})
        for total in contract.totals
    ]
    verdict = check_solver(expecting(context, any_of=[contract.model_copy(update={"totals": totals})]))
    assert verdict.reason == "the totals differ"


def test_an_answer_that_counts_cancelled_orders_is_caught() -> None:
    context = context_of("spending-question/fulfil/orders")
    answer = context.task.expectation.answers[0]
    assert isinstance(answer.value, int)
    wrong = answer.model_copy(update={"value": answer.value + 1})
    assert "the answers are" in check_solver(expecting(context, answers=[wrong])).reason


def test_another_reason_and_a_missing_ask_are_caught() -> None:
    context = context_of("buy-best/consent_refused")
    reason = context.task.expectation.answers[0].model_copy(update={"value": "none_satisfies"})
    assert "the reasons are" in check_solver(expecting(context, answers=[reason])).reason
    assert "the asks are" in check_solver(expecting(context, asks=[])).reason


def test_a_decline_where_the_user_consents_is_caught() -> None:
    context = context_of("buy-best/cannot_afford")
    script = context.task.script
    granted = [consent.model_copy(update={"granted": True}) for consent in script.consents]
    assert not check_solver(altered(context, script=script.model_copy(update={"consents": granted}))).passed


def test_a_limit_that_the_expectation_does_not_keep_is_caught() -> None:
    context = context_of("buy-best/fulfil")
    use = context.task.intents[0]
    slots = [slot.model_copy(update={"value": 1}) if slot.name == "quantity" else slot for slot in use.slots]
    assert not check_solver(altered(context, intents=[use.model_copy(update={"slots": slots})])).passed


def test_an_expectation_that_accepts_nothing_fails() -> None:
    verdict = check_solver(altered(context_of("clean-up-cart/fulfil"), expectation=Expectation(any_of=[])))
    assert verdict.reason == "the expectation accepts no end"


def test_unknown_intents_fail_closed_and_every_part_is_solved() -> None:
    context = context_of("clean-up-cart/fulfil")
    use = context.task.intents[0]
    unknown = check_solver(altered(context, intents=[use.model_copy(update={"intent": "juggle"})]))
    assert unknown.reason == "intent 'juggle' has no solver"
    twice = altered(context, intents=[use, use], goals=[*context.task.goals, *context.task.goals])
    assert check_solver(twice).passed
    other = use.model_copy(update={"intent": "juggle"})
    assert not check_solver(altered(context, intents=[use, other], goals=twice.task.goals)).passed
