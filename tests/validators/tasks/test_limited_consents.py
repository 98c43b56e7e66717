"""Consents with a limit: an amount agreed to up to a sum, a permission that is given for one request only."""

from __future__ import annotations

from schemas.plan import Ask, Call
from schemas.task import Consent, Task, UserScript
from tests.validators.tasks_support import altered, context_where, replanned
from validators.tasks.context import TaskContext
from validators.tasks.execution import check_contract, check_replay
from validators.tasks.minimality import check_drop_one
from validators.tasks.schema import check_schema
from validators.tasks.second_engine import check_second_engine
from validators.tasks.solver import check_solver

CHECKS = (check_schema, check_contract, check_second_engine, check_solver, check_drop_one)


def consent_of(task: Task, gate: str) -> Consent:
    return next(consent for consent in task.script.consents if consent.gate == gate)


def with_consent(context: TaskContext, gate: str, **changes: object) -> TaskContext:
    consents = [c.model_copy(update=changes) if c.gate == gate else c for c in context.task.script.consents]
    script: UserScript = context.task.script.model_copy(update={"consents": consents})
    return altered(context, script=script)


def given_once() -> TaskContext:
    return context_where(
        "buy-best/fulfil", lambda c: any(x.once and x.gate == "PURCHASE" for x in c.task.script.consents), plain=False
    )


def granted_up_to() -> TaskContext:
    def limited(context: TaskContext) -> bool:
        asked = any(
            isinstance(step, Ask) and step.granted and step.gate == "BALANCE" for step in context.task.plan.steps
        )
        return asked and consent_of(context.task, "BALANCE").up_to_cents is not None

    return context_where("", limited, plain=False)


def refused_above() -> TaskContext:
    def limited(context: TaskContext) -> bool:
        consents = context.task.script.consents
        return any(c.gate == "BALANCE" and not c.granted and c.up_to_cents is not None for c in consents)

    return context_where("", limited, plain=False)


def test_a_consent_given_once_is_taken_back_and_leaves_nothing() -> None:
    context = given_once()
    acts = [s for s in context.task.plan.steps if isinstance(s, Call) and s.side == "user" and s.gate == "PURCHASE"]
    assert [step.arguments for step in acts] == [{"allow": True}, {"allow": False}]
    tables = {change.table for contract in context.task.expectation.any_of for change in contract.changes}
    assert "permissions" not in tables
    assert [ask.gate for ask in context.task.expectation.asks] == ["PURCHASE"]
    assert [v.reason for v in (check(context) for check in CHECKS) if not v.passed] == []


def test_keeping_a_consent_that_was_given_once_is_rejected() -> None:
    context = given_once()
    back = {"allow": False}
    kept = replanned(context, lambda steps: [s for s in steps if not (isinstance(s, Call) and s.arguments == back)])
    assert not kept.passes(kept.gold)


def test_a_consent_that_stays_where_it_was_given_once_is_caught() -> None:
    context = with_consent(given_once(), "PURCHASE", once=False)
    assert "second engine" in check_second_engine(context).reason


def test_what_cannot_be_taken_back_is_not_given_once() -> None:
    assert "cannot be taken back" in check_schema(with_consent(granted_up_to(), "BALANCE", once=True)).reason


def test_only_an_amount_has_a_limit() -> None:
    assert "it is for no amount" in check_schema(with_consent(given_once(), "PURCHASE", up_to_cents=500)).reason


def asked_cents(context: TaskContext) -> int:
    ask = next(s for s in context.task.plan.steps if isinstance(s, Ask) and s.gate == "BALANCE")
    (amount,) = ask.values.values()
    assert isinstance(amount, int | float)
    return round(amount * 100)


def test_the_user_agrees_up_to_the_limit_and_refuses_above() -> None:
    granted, refused = granted_up_to(), refused_above()
    assert asked_cents(granted) <= (consent_of(granted.task, "BALANCE").up_to_cents or 0)
    assert asked_cents(refused) > (consent_of(refused.task, "BALANCE").up_to_cents or 0)


def test_an_answer_against_the_limit_is_caught() -> None:
    granted, refused = granted_up_to(), refused_above()
    below = with_consent(granted, "BALANCE", up_to_cents=asked_cents(granted) - 1)
    above = with_consent(refused, "BALANCE", up_to_cents=asked_cents(refused))
    assert "agrees to" in check_replay(below).reason
    assert "refuses" in check_replay(above).reason


def asked_twice() -> TaskContext:
    """A task whose user is asked for two amounts, and grants both."""

    def twice(context: TaskContext) -> bool:
        asks = [s for s in context.task.plan.steps if isinstance(s, Ask) and s.gate == "BALANCE" and s.granted]
        return len(asks) == 2

    return context_where("", twice, plain=False)


def test_a_limit_is_one_for_all_amounts_together() -> None:
    """Who asks for both amounts at once gets the same answer as who asks one by one."""
    context = asked_twice()
    asks = [s for s in context.task.plan.steps if isinstance(s, Ask) and s.gate == "BALANCE"]
    cents = [round(value * 100) for step in asks for value in step.values.values() if isinstance(value, int | float)]
    limit = consent_of(context.task, "BALANCE").up_to_cents
    assert limit is None or sum(cents) <= limit
    assert check_replay(with_consent(context, "BALANCE", up_to_cents=sum(cents))).passed
    below = with_consent(context, "BALANCE", up_to_cents=sum(cents) - 1)
    assert max(cents) <= sum(cents) - 1 and f"agrees to {sum(cents)} cents" in check_replay(below).reason


def test_a_limit_is_an_amount() -> None:
    refused = with_consent(refused_above(), "BALANCE", up_to_cents=-5)
    assert "no amount anyone agrees to" in check_schema(refused).reason
