"""The wish of a user: yes to what the request brings about, no to anything else, and never a trace of the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.plan import Call, Confirm
from tests.nonempty import nonempty
from tests.validators.tasks_support import context_of, context_where, contexts, position, talkative_contexts
from validators.scoring.wish import WishOf

if TYPE_CHECKING:
    from services.runtime.environment import Environment
    from validators.tasks.context import TaskContext

BUY = ("buy-best/fulfil", ("PURCHASE",))


def play(context: TaskContext, env: Environment, until: int) -> None:
    """Carry out the first steps of the gold plan."""
    for step in context.task.plan.steps[:until]:
        if isinstance(step, Call):
            env.call(step.tool, step.arguments, step.side)
        elif isinstance(step, Confirm):
            env.confirm(step.tool, step.arguments)


def bought() -> tuple[TaskContext, Environment, str]:
    """An environment in which the gold order waits to be paid, and its transaction."""
    context = context_of(*BUY)
    env = context.open()
    place = position(context.task.plan, "authorize_checkout")
    play(context, env, place)
    step = context.task.plan.steps[place]
    assert isinstance(step, Call)
    return context, env, str(step.arguments["transaction_id"])


def test_the_wish_of_every_task_holds_each_payment_and_confirmed_call_of_its_gold() -> None:
    asked = 0
    for context in nonempty([*contexts(0, 2), *contexts(1, 2), *talkative_contexts(2)]):
        env = context.open()
        wish = WishOf(context, env)
        for step in context.task.plan.steps:
            if isinstance(step, Confirm):
                env.confirm(step.tool, step.arguments)
            if not isinstance(step, Call):
                continue
            if step.tool == "authorize_checkout" or context.catalogue.tools[step.tool].confirm:
                asked += 1
                assert wish.accepts(step.tool, step.arguments, step.side), (context.task.template, step)
            env.call(step.tool, step.arguments, step.side)
        assert wish.fulfilled(), context.task.template
    assert asked > 20


def test_a_question_leaves_no_trace() -> None:
    context, env, transaction = bought()
    before, touched = env.snapshot(), env.footprint
    assert WishOf(context, env).accepts("authorize_checkout", {"transaction_id": transaction}, "user")
    assert env.snapshot() == before
    assert env.footprint == touched


def test_the_payment_of_an_order_of_something_else_is_accepted() -> None:
    """Which product is right is for the assistant to find out: a no would tell it."""
    context = context_of(*BUY)
    env = context.open()
    plan = context.task.plan
    added = plan.steps[position(plan, "add_to_cart")]
    assert isinstance(added, Call)
    play(context, env, position(plan, "add_to_cart"))
    others = [key for key in env.state_.base.tables["assortment"] if key != added.arguments["product_id"]]
    wrong = next(
        key for key in others if "error" not in env.call("add_to_cart", {**added.arguments, "product_id": key})
    )
    assert wrong
    env.call("set_purchase_permission", {"allow": True}, "user")
    order = env.call("prepare_order", {})
    env.call("top_up_wallet", {"amount": 500}, "user")
    assert WishOf(context, env).accepts("authorize_checkout", {"transaction_id": order["transaction_id"]}, "user")
    env.call("authorize_checkout", {"transaction_id": order["transaction_id"]}, "user")
    assert not WishOf(context, env).fulfilled()


def test_a_second_order_is_not_wanted() -> None:
    context, env, transaction = bought()
    wish = WishOf(context, env)
    env.call("authorize_checkout", {"transaction_id": transaction}, "user")
    assert wish.fulfilled()
    added = context.task.plan.steps[position(context.task.plan, "add_to_cart")]
    assert isinstance(added, Call)
    env.call("add_to_cart", added.arguments)
    order = env.call("prepare_order", {})
    env.call("top_up_wallet", {"amount": 500}, "user")
    assert not wish.accepts("authorize_checkout", {"transaction_id": order["transaction_id"]}, "user")


def test_a_membership_that_nobody_asked_for_is_not_wanted() -> None:
    context = context_of(*BUY)
    env = context.open()
    env.call("set_purchase_permission", {"allow": True}, "user")
    order = env.call("upgrade_membership_request", {"vip_duration": "1_month"})
    env.call("top_up_wallet", {"amount": 500}, "user")
    assert not WishOf(context, env).accepts("authorize_checkout", {"transaction_id": order["transaction_id"]}, "user")


def test_a_call_that_fails_is_not_wanted_unless_a_gate_stops_the_user() -> None:
    context, env, transaction = bought()
    wish = WishOf(context, env)
    assert not wish.accepts("authorize_checkout", {"transaction_id": "tx_none"}, "user")
    assert not wish.accepts("no_such_tool", {}, "assistant")
    poor = context_where("buy-best/fulfil", lambda c: "BALANCE" in c.task.gates)
    there = poor.open()
    place = position(poor.task.plan, "authorize_checkout")
    play(poor, there, position(poor.task.plan, "top_up_wallet"))
    step = poor.task.plan.steps[place]
    assert isinstance(step, Call)
    arguments = step.arguments
    blocked = there.call("authorize_checkout", arguments, "user")
    assert "gate" in str(blocked)
    assert WishOf(poor, there).accepts("authorize_checkout", arguments, "user")
    assert wish.accepts("authorize_checkout", {"transaction_id": transaction}, "user")


def test_deleting_a_note_that_was_not_named_is_not_wanted() -> None:
    context = context_of("delete-note/fulfil")
    env = context.open()
    place = next(i for i, s in enumerate(context.task.plan.steps) if isinstance(s, Call) and s.tool == "delete_note")
    play(context, env, place)
    step = context.task.plan.steps[place]
    assert isinstance(step, Call)
    wish = WishOf(context, env)
    assert wish.accepts("delete_note", step.arguments, "assistant")
    wanted = {change.id for contract in context.task.expectation.any_of for change in contract.changes}
    other = next(key for key in env.state_.base.tables["notes"] if key not in wanted)
    assert not wish.accepts("delete_note", {"note_id": other}, "assistant")
