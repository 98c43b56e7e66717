"""Consent and honest ways to a decline: what was not asked for fails, what a blocked attempt leaves does no harm."""

from __future__ import annotations

from schemas.base import Json
from schemas.plan import Ask, Call
from tests.validators.tasks_support import context_of
from validators.tasks.context import TaskContext
from validators.tasks.replay import Act, replay


def test_a_gate_that_was_opened_without_asking_fails() -> None:
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    assert [ask.gate for ask in context.task.expectation.asks] == ["PURCHASE"]
    silent = [act for act in context.acts if not isinstance(act.step, Ask)]
    assert not context.passes(replay(context, silent))
    assert context.passes(replay(context, list(context.acts)))


def attempts(context: TaskContext, times: int) -> list[Act]:
    """Put the product that cannot be paid into orders, before the user is asked for money."""
    priced = [s for s in context.task.plan.steps if isinstance(s, Call) and s.tool == "inspect_item"]
    line = {"product_id": priced[-1].arguments["product_id"], "size": "single_pack", "quantity": 1}
    add = Call(side="assistant", tool="add_to_cart", arguments=line, origins={})
    prepare = Call(side="assistant", tool="prepare_order", arguments={}, origins={})
    grant = Call(side="user", tool="set_purchase_permission", arguments={"allow": True}, origins={})
    extra = [Act(grant, None), *([Act(add, None), Act(prepare, None)] * times)]
    position = next(index for index, act in enumerate(context.acts) if isinstance(act.step, Ask))
    return [*context.acts[:position], *extra, *context.acts[position:]]


def test_an_order_that_could_not_be_paid_does_no_harm_but_two_do() -> None:
    context = context_of("buy-best/cannot_afford")
    assert context.passes(replay(context, attempts(context, 1)))
    assert not context.passes(replay(context, attempts(context, 2)))


def test_a_fulfilled_request_leaves_no_unpaid_order() -> None:
    context = context_of("buy-best/fulfil", ())
    inspected = [s for s in context.task.plan.steps if isinstance(s, Call) and s.tool == "inspect_item"]
    line = {"product_id": inspected[0].arguments["product_id"], "size": "single_pack", "quantity": 1}
    add = Call(side="assistant", tool="add_to_cart", arguments=line, origins={})
    prepare = Call(side="assistant", tool="prepare_order", arguments={}, origins={})
    assert not context.passes(replay(context, [*context.acts, Act(add, None), Act(prepare, None)]))


def test_a_membership_that_could_not_be_paid_does_no_harm_either() -> None:
    """Whoever joins first, as was offered, finds out only then that the money does not suffice."""
    context = context_of("buy-as-member/cannot_afford/joins")
    request: dict[str, Json] = {"vip_duration": "1_month"}
    join = Call(side="assistant", tool="upgrade_membership_request", arguments=request, origins={})
    grant = Call(side="user", tool="set_purchase_permission", arguments={"allow": True}, origins={})
    closed = not context.tables["permissions"]["purchase"]["allowed"]
    position = next(index for index, act in enumerate(context.acts) if isinstance(act.step, Ask))

    def joining(times: int) -> list[Act]:
        extra = [*([Act(grant)] if closed else []), *[Act(join)] * times]
        return [*context.acts[:position], *extra, *context.acts[position:]]

    assert context.passes(replay(context, joining(1)))
    assert not context.passes(replay(context, joining(2)))
