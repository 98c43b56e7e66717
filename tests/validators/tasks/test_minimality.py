"""Plans with idle steps are caught, whether the contract shares the belief that they are needed or not."""

from __future__ import annotations

from dataclasses import replace

from schemas.base import Json
from schemas.contract import Change, Equal
from schemas.goal import Const, FieldIs, Write
from schemas.plan import Ask, Call, Confirm
from schemas.provenance import Policy, Result
from schemas.task import Consent, Patch
from services.runtime.tools import Context
from tests.validators.tasks.altering import call, contracted, deciding_on, inserted
from tests.validators.tasks_support import altered, context_of, contexts, position
from validators.tasks.context import TaskContext, UserContext
from validators.tasks.equivalents import check_equivalents
from validators.tasks.execution import check_contract, check_replay
from validators.tasks.minimality import check_drop_one
from validators.tasks.replay import run_foreign

BOTH = ("BALANCE", "PURCHASE")


def idle(context: TaskContext) -> str:
    verdict = check_drop_one(context)
    assert verdict.check == "task.drop_one"
    return verdict.reason


def sound_otherwise(context: TaskContext) -> TaskContext:
    """The faulty task, after making sure that replay and contract find nothing."""
    replay, contract = check_replay(context), check_contract(context)
    assert replay.passed, replay.reason
    assert contract.passed, contract.reason
    return context


def test_every_step_of_real_tasks_is_needed() -> None:
    writes = 0
    for user in range(3):
        for context in contexts(user):
            verdict = check_drop_one(context)
            assert verdict.passed, verdict.reason
            counts = verdict.counts
            assert counts["writes/total"] == counts["writes/needed"]
            assert counts["reads/total"] == counts["reads/needed"]
            writes += counts["writes/total"]
    assert writes > 60


def test_a_useless_read_is_caught() -> None:
    context = sound_otherwise(inserted(context_of("buy-best/fulfil", BOTH), 0, call("get_user_profile")))
    assert idle(context) == (
        "step 0 (get_user_profile) is not needed: no argument, decision, question or answer depends on it"
    )
    counts = check_drop_one(context).counts
    assert counts["reads/total"] == counts["reads/needed"] + 1


def test_a_duplicate_read_is_caught_even_when_it_is_used() -> None:
    real = context_of("buy-best/fulfil", BOTH)
    at = position(real.task.plan, "prepare_order")
    first = position(real.task.plan, "browse_items")
    again = sound_otherwise(deciding_on(inserted(real, at, real.task.plan.steps[first]), at))
    assert idle(again) == f"step {at} (browse_items) repeats step {first}, and nothing it reads has changed since"


def test_a_read_may_be_repeated_after_a_change() -> None:
    real = context_of("buy-best/fulfil", ())
    at = position(real.task.plan, "add_to_cart")
    before, after = call("get_cart"), call("get_cart")
    changed = inserted(inserted(real, at + 1, after), at, before)
    assert "repeats" not in idle(deciding_on(deciding_on(changed, at), at + 2))


def test_an_idempotent_repeat_is_caught() -> None:
    real = context_of("buy-best/fulfil", ("PURCHASE",))
    at = position(real.task.plan, "set_purchase_permission")
    context = sound_otherwise(inserted(real, at + 1, real.task.plan.steps[at]))
    assert "(set_purchase_permission) is not needed: without it the plan passes as well" in idle(context)


def test_a_toggle_is_caught() -> None:
    """On, off, on: each of the first two could be left out."""
    real = context_of("buy-best/fulfil", ("PURCHASE",))
    at = position(real.task.plan, "set_purchase_permission")
    off = call("set_purchase_permission", "user", "PURCHASE", allow=False)
    context = sound_otherwise(inserted(real, at + 1, off, real.task.plan.steps[at]))
    assert f"step {at} (set_purchase_permission) is not needed" in idle(context)


def test_a_compensating_pair_is_caught() -> None:
    """Put in and taken out again: leaving out the first fails at the second, and passes all the same."""
    real = context_of("buy-best/fulfil", ())
    at = position(real.task.plan, "add_to_cart")
    add = real.task.plan.steps[at]
    assert isinstance(add, Call)
    env = real.open()
    line = env.call("add_to_cart", add.arguments)["cart_item_id"]
    nodes = [*real.task.plan.nodes, Result(step=at, path=["cart_item_id"])]
    traced = altered(real, plan=real.task.plan.model_copy(update={"nodes": nodes}))
    back = call("remove_from_cart", cart_item_id=line)
    shifted = inserted(traced, at, add, back)
    nodes = [*shifted.task.plan.nodes[:-1], Result(step=at, path=["cart_item_id"])]
    steps = list(shifted.task.plan.steps)
    steps[at + 1] = steps[at + 1].model_copy(update={"origins": {"cart_item_id": len(nodes) - 1}})
    plan = shifted.task.plan.model_copy(update={"nodes": nodes, "steps": steps})
    context = sound_otherwise(altered(shifted, plan=plan))
    assert f"step {at} (add_to_cart) is not needed" in idle(context)


def test_a_grant_of_what_is_granted_is_caught() -> None:
    """It changes nothing, so that only leaving it out shows that it is idle."""
    real = context_of("buy-best/fulfil", ())
    grant = call("set_purchase_permission", "user", "PURCHASE", allow=True)
    context = sound_otherwise(inserted(real, 0, Ask(gate="PURCHASE", granted=True), grant))
    assert "step 1 (set_purchase_permission) is not needed" in idle(context)


def needless_grant(gate: str, granted: bool = True) -> TaskContext:
    """A clean-up that first asks for the purchase permission, and a contract that wants it given."""
    real = context_of("clean-up-cart/fulfil")
    closed = real.tables["permissions"]["purchase"]["allowed"] is False
    if not closed:
        shut = Patch(table="permissions", id="purchase", record={"id": "purchase", "allowed": False})
        real = altered(real, setup=[*real.task.setup, shut])
        real = altered(real, start_hash=f"{real.start.hash:032x}")
    change = Change(op="update", table="permissions", id="purchase", fields={"allowed": Equal(value=True)})
    believing = contracted(real, lambda contract: {"changes": [*contract.changes, change]})
    steps = [call("set_purchase_permission", "user", gate, allow=True)]
    script = real.task.script.model_copy(update={"consents": [Consent(gate="PURCHASE", granted=True)]})
    return inserted(believing, 0, *([Ask(gate="PURCHASE", granted=True)] if granted else []), *steps, script=script)


def test_a_needless_grant_that_the_contract_expects_is_caught() -> None:
    """Both derivations share the belief: only that no later call is blocked without the grant shows it."""
    context = sound_otherwise(needless_grant("PURCHASE"))
    assert idle(context) == (
        "step 1 (set_purchase_permission) opens PURCHASE, yet without it no later call returns PERMISSION_DENIED"
    )


def test_a_needless_grant_is_caught_although_the_plan_does_not_call_it_one() -> None:
    context = sound_otherwise(needless_grant("", granted=False))
    assert "opens PURCHASE, yet without it no later call returns PERMISSION_DENIED" in idle(context)


def test_a_grant_for_its_own_sake_is_no_remedy() -> None:
    """A goal that writes the permission wants it given."""
    context = needless_grant("", granted=False)
    write = Write(
        op="update",
        table="permissions",
        id=Const(value="purchase"),
        fields={"allowed": FieldIs(value=Const(value=True))},
    )
    goal = context.parts[0].goal.model_copy(update={"writes": [*context.parts[0].goal.writes, write]})
    assert "PURCHASE" not in idle(altered(context, goals=[goal]))


def test_a_needless_question_is_caught() -> None:
    real = context_of("buy-best/fulfil", BOTH)
    context = sound_otherwise(inserted(real, 0, Ask(gate="BALANCE", granted=True)))
    assert idle(context) == "step 0 asks about BALANCE, and nothing follows"


def test_a_refused_question_that_nobody_expects_is_caught() -> None:
    real = context_of("buy-best/consent_refused")
    question = next(step for step in real.task.plan.steps if isinstance(step, Ask))
    context = sound_otherwise(inserted(real, 0, question))
    assert "step 0 (ask) is not needed" in idle(context)


def test_a_confirmation_that_no_call_needs_is_caught() -> None:
    real = context_of("buy-best/fulfil", ())
    confirm = Confirm(tool="get_cart", arguments={})
    assert "step 0 (yes to get_cart) is not needed" in idle(sound_otherwise(inserted(real, 0, confirm)))


def test_a_constant_is_no_need() -> None:
    """An argument that policy fixes needs no read."""
    real = context_of("spending-question/fulfil")
    nodes = [*real.task.plan.nodes, Policy(name="nothing", value=0)]
    plan = real.task.plan
    (tell,) = [n for n, step in enumerate(plan.steps) if step.step == "tell"]
    steps = list(plan.steps)
    steps[tell] = steps[tell].model_copy(update={"origins": {"spent": len(nodes) - 1}})
    context = altered(real, plan=plan.model_copy(update={"nodes": nodes, "steps": steps}))
    assert "(get_transactions) is not needed" in idle(context)


def test_an_unlock_is_an_act() -> None:
    """A read that makes a tool available is needed although nothing it returns is."""
    real = context_of("buy-best/fulfil", ())

    def unlocking(c: Context) -> dict[str, Json]:
        c.unlock("orders")
        return {}

    tools = real.catalogue.tools
    changed = {
        "get_user_profile": replace(tools["get_user_profile"], fn=unlocking),
        "prepare_order": replace(tools["prepare_order"], behind="orders"),
    }
    user = UserContext(real.user.record, real.user.world)
    user.catalogue = replace(user.catalogue, tools={**tools, **changed})
    context = sound_otherwise(inserted(TaskContext(user, real.task), 0, call("get_user_profile")))
    before, after = check_drop_one(real), check_drop_one(context)
    assert after.passed, after.reason
    assert after.counts["writes/needed"] == before.counts["writes/needed"] + 1
    assert check_equivalents(context).passed
    assert run_foreign(context, context.task.plan).delta == context.gold.delta
    twice = sound_otherwise(inserted(context, 0, call("get_user_profile")))
    assert "step 1 (get_user_profile) is not needed" in idle(twice)
