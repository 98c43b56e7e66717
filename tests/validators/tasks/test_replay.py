"""Replays of altered plans: what they share with the gold changes nothing, and created ids follow."""

from __future__ import annotations

import pytest

from schemas.base import Json
from schemas.plan import Call, Confirm
from services.runtime.streams import Stream
from tests.validators.tasks.altering import call
from tests.validators.tasks_support import context_of, context_where, contexts, made, position
from validators.contract.normal import same_end
from validators.tasks.altered import with_arguments
from validators.tasks.context import TaskContext
from validators.tasks.equivalents import variants
from validators.tasks.plan_mutants import plan_mutants
from validators.tasks.replay import Act, Outcome, dig, replay, run_foreign, run_writes
from validators.tasks.wrong_course import second_order

BOTH = ("BALANCE", "PURCHASE")


def everything(outcome: Outcome) -> tuple[object, ...]:
    return (
        outcome.delta,
        outcome.answers,
        outcome.asks,
        outcome.errors,
        outcome.results,
        outcome.end_hash,
        outcome.footprints,
        outcome.created,
    )


def unshared(acts: list[Act]) -> list[Act]:
    """The same acts as other objects, so that nothing of the gold is taken over."""
    return [Act(*act) for act in acts]


def test_sharing_with_the_gold_changes_nothing() -> None:
    """Prefix snapshots and stopping at convergence give what a replay of every step gives."""
    compared = 0
    for context in contexts(0) + contexts(1):
        plans = [list(variant.acts) for variant in variants(context)]
        plans += [list(mutant.deviation.acts) for mutant in plan_mutants(context, Stream("test"))]
        plans += [[*context.acts[:n], *context.acts[n + 1 :]] for n in range(len(context.acts))]
        for acts in plans:
            assert everything(replay(context, acts)) == everything(replay(context, unshared(acts)))
            compared += 1
    assert compared > 200


def test_sharing_saves_calls() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    _ = context.gold
    calls = context.calls
    replay(context, [*context.acts, Act(call("get_wallet"))])
    assert context.calls == calls + 1
    replay(context, [Act(call("get_cart")), *context.acts])
    assert context.calls == calls + 2
    replay(context, unshared(list(context.acts)))
    assert context.calls == calls + 2 + sum(isinstance(a.step, Call) for a in context.acts)


def test_the_gold_is_what_replaying_it_gives() -> None:
    for context in contexts(1):
        assert everything(replay(context, unshared(list(context.acts)))) == everything(context.gold)


def test_a_foreign_plan_without_its_reads_ends_where_it_ends_with_them() -> None:
    tasks = made(0).tasks
    for context in contexts(0):
        for peer in tasks[:5]:
            own = TaskContext(context.user, peer)
            whole = replay(context, [Act(step) for step in peer.plan.steps])
            foreign = run_foreign(context, peer.plan)
            assert foreign.delta == whole.delta
            assert foreign.answers == own.gold.answers


def test_the_writes_alone_leave_what_the_gold_leaves() -> None:
    for context in contexts(0):
        outcome = run_writes(context, context.task.plan)
        assert outcome.end_hash == context.gold.end_hash, context.task.task_id
        assert len(outcome.results) <= len(context.acts)


def test_calls_of_other_tasks_are_not_counted_as_own() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    _ = context.gold
    calls = context.calls
    run_foreign(context, context.task.plan)
    assert context.calls == calls
    assert context.foreign_calls > 0


# --- created ids ---------------------------------------------------------------------------------------------------


def detour(context: TaskContext) -> list[Act]:
    """The gold with an order prepared for nothing at first, so that every created id is another one."""
    at = position(context.task.plan, "prepare_order")
    return [*context.acts[:at], Act(context.acts[at].step), context.acts[at - 1], *context.acts[at:]]


def test_created_ids_follow() -> None:
    """A second order gets another id, and its checkout pays that one."""
    context = context_of("buy-best/fulfil", ())
    outcome = replay(context, detour(context))
    assert not outcome.errors
    paid = [after for _, after in outcome.delta["transactions"].values() if after and after["status"] == "completed"]
    gold = [after for _, after in context.gold.delta["transactions"].values() if after]
    assert len(paid) == len(gold) == 1
    assert paid[0]["id"] != gold[0]["id"]


def test_a_recorded_id_stands_when_its_step_is_left_out() -> None:
    context = context_of("buy-best/fulfil", ())
    at = position(context.task.plan, "prepare_order")
    outcome = replay(context, [*context.acts[:at], *context.acts[at + 1 :]])
    assert [fault.code for fault in outcome.errors] == ["TRANSACTION_NOT_FOUND"]


def test_an_id_from_nowhere_does_not_follow() -> None:
    """A hard-coded id keeps naming what it named."""
    context = context_of("buy-best/fulfil", ())
    pay = position(context.task.plan, "authorize_checkout")
    step = context.acts[pay].step
    assert isinstance(step, Call)
    hard_coded = Act(with_arguments(step, dict(step.arguments)), pay)
    acts = detour(context)
    outcome = replay(context, [hard_coded if act is context.acts[pay] else act for act in acts])
    completed = [a for _, a in outcome.delta["transactions"].values() if a and a["status"] == "completed"]
    assert [record["id"] for record in completed] == [step.arguments["transaction_id"]]


def test_everything_twice_is_two_orders() -> None:
    """Where stock and money are enough for both."""

    def again(context: TaskContext) -> Outcome:
        (twice,) = second_order(context, Stream("test"))
        return replay(context, twice.acts)

    outcome = again(context_where("buy-best/fulfil", lambda context: not again(context).errors))
    orders = [after for _, after in outcome.delta["transactions"].values() if after]
    assert [order["status"] for order in orders] == ["completed"] * 2
    assert len({str(order["id"]) for order in orders}) == 2


def test_ends_with_other_ids_are_the_same_end() -> None:
    context = context_of("buy-best/fulfil", ())
    (undone,) = [variant for variant in variants(context) if variant.operator == "add_then_undo"]
    outcome = replay(context, undone.acts)
    tables = context.catalogue.tables
    assert same_end(outcome.delta, context.gold.delta, tables, context.now)


# --- steps ---------------------------------------------------------------------------------------------------------


def test_replays_go_on_after_an_error_unless_told_to_stop() -> None:
    context = context_of("buy-best/fulfil", ())
    wrong = Act(call("get_wallet", unknown=1))
    on = replay(context, [wrong, *context.acts])
    assert [(fault.at, fault.code) for fault in on.errors] == [(0, "INVALID_ARGUMENTS")]
    assert on.error(0) == "INVALID_ARGUMENTS"
    assert on.error(1) == ""
    assert context.passes(on)
    stopped = replay(context, [wrong, *context.acts], stop_at_error=True)
    assert len(stopped.results) == 1
    assert not context.passes(stopped)


def test_a_patched_start_is_a_start_of_its_own() -> None:
    """What a patch does not touch is taken from the gold; what it does touch is executed."""
    context = context_of("buy-best/fulfil", ())
    wallet = context.start.tables["wallet"]["wallet"]
    closed = type(context.start.tables["permissions"]["purchase"])(id="purchase", allowed=False)  # type: ignore[call-arg]
    outcome = replay(context, context.acts, patch={("permissions", "purchase"): closed})
    assert outcome.error(position(context.task.plan, "prepare_order")) == "PERMISSION_DENIED"
    rich = replay(context, context.acts, patch={("wallet", "wallet"): wallet})
    assert everything(rich) == everything(context.gold)


def test_confirmations_are_carried_out() -> None:
    context = context_of("spending-question")
    arguments: dict[str, Json] = {"daily_goal": {"steps": 1234}}
    update = Act(with_arguments(call("update_profile"), arguments))
    assert replay(context, [update]).errors[0].code == "CONFIRMATION_REQUIRED"
    confirmed = replay(context, [Act(Confirm(tool="update_profile", arguments=arguments)), update])
    assert not confirmed.errors
    assert confirmed.delta["profile"]["profile"][1] is not None


@pytest.mark.parametrize(
    ("path", "value"), [([], {"a": [{"b": 7}]}), (["a", 0, "b"], 7), (["a", "0", "b"], 7), (["a"], [{"b": 7}])]
)
def test_digging(path: list[str | int], value: Json) -> None:
    assert dig({"a": [{"b": 7}]}, path) == value


def test_digging_for_nothing() -> None:
    for path in (["x"], ["a", 3], ["a", "b"]):
        with pytest.raises((KeyError, IndexError, TypeError, ValueError)):
            dig({"a": [1]}, path)
