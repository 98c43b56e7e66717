"""Contracts that refuse what a good assistant may do are caught by equivalent plans."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from schemas.contract import Contract, Total
from schemas.plan import Ask, Call
from schemas.task import Patch
from tests.nonempty import nonempty
from tests.validators.tasks.altering import contracted
from tests.validators.tasks_support import (
    altered,
    changed_where,
    context_of,
    contexts,
    is_plain,
    position,
    replanned,
)
from validators.tasks.context import TaskContext
from validators.tasks.equivalents import MAX_SWAPS, UNKNOWN_ARGUMENT, Variant, check_equivalents, variants
from validators.tasks.execution import check_contract
from validators.tasks.replay import replay
from validators.tasks.told import superseded

BOTH = ("BALANCE", "PURCHASE")


def kinds(context: TaskContext) -> Counter[str]:
    return Counter(variant.operator for variant in variants(context))


def of(context: TaskContext, operator: str) -> list[Variant]:
    return [variant for variant in variants(context) if variant.operator == operator]


def test_every_equivalent_of_real_tasks_is_accepted() -> None:
    tried: Counter[str] = Counter()
    for user in range(3):
        for context in contexts(user):
            verdict = check_equivalents(context)
            assert verdict.passed, verdict.reason
            assert verdict.check == "task.equivalents"
            for operator, number in kinds(context).items():
                assert verdict.counts[f"{operator}/total"] == verdict.counts[f"{operator}/accepted"] == number
            tried += kinds(context)
    # Only after a change of mind, which is rare.
    tried.pop("asked_first", None)
    assert set(tried) == {"swap", "extra_reads", "blocked_attempt", "split", "add_then_undo", "retry", "asked_again"}
    assert min(tried.values()) > 8


def test_one_blocked_attempt_per_gate() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    tools = {}
    for variant in of(context, "blocked_attempt"):
        ((at, code),) = variant.fails.items()
        step = variant.acts[at].step
        assert isinstance(step, Call)
        assert step.gate == ""
        tools[step.tool] = code
    assert tools == {"prepare_order": "PERMISSION_DENIED", "authorize_checkout": "INSUFFICIENT_BALANCE"}
    assert not of(context_of("buy-best/fulfil", ()), "blocked_attempt")


def test_three_is_one_and_two() -> None:
    bought = [one for user in range(4) for one in contexts(user) if one.task.template == "buy-best/fulfil"]
    for context, variant in nonempty([(one, variant) for one in bought for variant in of(one, "split")]):
        parts = [act.step for act in variant.acts if isinstance(act.step, Call) and act.step.tool == "add_to_cart"]
        gold = [act.step for act in context.acts if isinstance(act.step, Call) and act.step.tool == "add_to_cart"]
        assert amount(parts) == amount(gold)
        assert len(parts) == len(gold) + 1


def amount(steps: list[Call]) -> Counter[str]:
    total: Counter[str] = Counter()
    for step in steps:
        quantity = step.arguments["quantity"]
        assert isinstance(quantity, int)
        total[str(step.arguments["size"])] += quantity
    return total


def test_swaps_respect_provenance_and_records() -> None:
    """A call never moves before the one whose result it takes, nor before one that touches the same records."""
    context = context_of("buy-best/fulfil", BOTH)
    swaps = of(context, "swap")
    assert 0 < len(swaps) <= MAX_SWAPS
    needs = context.graph.needs
    for variant in swaps:
        order = [act.gold for act in variant.acts]
        (place,) = [
            n for n, (one, other) in enumerate(pairwise(order)) if one is not None and other is not None and one > other
        ]
        later, earlier = order[place], order[place + 1]
        assert later is not None
        assert earlier is not None
        assert earlier not in needs[later]


def test_swaps_that_write_come_first() -> None:
    context = context_of("clean-up-cart/fulfil")
    for candidate in (c for user in range(6) for c in contexts(user, 2) if is_plain(c.task)):
        removals = [s for s in candidate.task.plan.steps if isinstance(s, Call) and s.tool == "remove_from_cart"]
        if len(removals) > 1:
            context = candidate
            break
    else:
        pytest.skip("no user cleans up two lines")
    first = of(context, "swap")[0]
    moved = [act.step.tool for n, act in enumerate(first.acts) if act.gold != n and isinstance(act.step, Call)]
    assert "remove_from_cart" in moved


def test_a_wrong_call_comes_first_and_then_the_right_one() -> None:
    for context in contexts(0):
        (retry,) = of(context, "retry")
        ((at, code),) = retry.fails.items()
        wrong, right = retry.acts[at].step, retry.acts[at + 1].step
        assert code == "INVALID_ARGUMENTS"
        assert isinstance(wrong, Call)
        assert isinstance(right, Call)
        assert UNKNOWN_ARGUMENT in wrong.arguments
        assert wrong.tool == right.tool


def test_extra_reads_read_something_else_too() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    (extra,) = of(context, "extra_reads")
    beside = [act.step for act in extra.acts if act.gold is None]
    repeated, unrelated = beside
    assert isinstance(repeated, Call)
    assert isinstance(unrelated, Call)
    assert repeated.tool in context.task.tools
    assert unrelated.tool not in context.task.tools
    assert not context.catalogue.tools[unrelated.tool].write
    assert not replay(context, extra.acts).errors


# --- contracts that are too strict ---------------------------------------------------------------------------------


def refused(context: TaskContext) -> str:
    assert check_contract(context).passed
    verdict = check_equivalents(context)
    assert not verdict.passed
    return verdict.reason


def _splits(context: TaskContext) -> bool:
    """Whether the task is a purchase with a line of more than one pack, behind no gate."""
    lines = [step for step in context.task.plan.steps if isinstance(step, Call) and step.tool == "add_to_cart"]
    return not context.task.gates and any(step.arguments["quantity"] != 1 for step in lines)


def test_a_contract_that_counts_lines_is_caught() -> None:
    """It holds for the gold, and not for an order whose quantity was put in the cart in two parts."""
    context = next(context for user in range(12) for context in contexts(user) if _splits(context))
    lines = len(context.gold.delta["order_lines"])

    def counting(contract: Contract) -> dict[str, object]:
        return {"totals": [*contract.totals, Total(table="order_lines", value=lines)]}

    reason = refused(contracted(context, counting))
    assert "split is rejected: the count over new records in 'order_lines' is not eq" in reason


def test_a_remedy_for_an_open_gate_is_caught() -> None:
    """The call that the plan opens a gate for goes through without."""
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    given = Patch(table="permissions", id="purchase", record={"id": "purchase", "allowed": True})
    setup = [*(patch for patch in context.task.setup if patch.table != "permissions"), given]

    def without_the_grant(contract: Contract) -> dict[str, object]:
        return {"changes": [change for change in contract.changes if change.table != "permissions"]}

    reason = refused(contracted(altered(context, setup=setup), without_the_grant))
    assert "blocked_attempt does not go as it should: errors [" in reason


def test_a_gold_that_hits_an_error_is_no_plan_to_vary() -> None:
    context = context_of("buy-best/fulfil", ())
    at = position(context.task.plan, "prepare_order")
    broken = replanned(context, lambda steps: steps[:at] + steps[at + 1 :])
    verdict = check_equivalents(broken)
    assert not verdict.passed


def test_a_plan_without_calls_has_no_equivalents() -> None:
    context = context_of("spending-question/fulfil")
    told = replanned(context, lambda steps: [step for step in steps if not isinstance(step, Call)])
    (variant,) = variants(told)
    assert variant.operator == "extra_reads"


# --- changes of mind -----------------------------------------------------------------------------------------------


def test_asking_before_anything_is_done_leaves_nothing_to_take_back() -> None:
    context = changed_where(lambda context: bool(superseded(context)))
    (variant,) = of(context, "asked_first")
    change = context.task.script.change
    assert change is not None
    left_out = {*superseded(context), *superseded(context).values()}
    assert left_out.isdisjoint(act.gold for act in variant.acts)
    assert len(variant.acts) == len(context.acts) - len(left_out)
    asked = next(place for place, act in enumerate(variant.acts) if isinstance(act.step, Ask))
    writes = [
        place
        for place, act in enumerate(variant.acts)
        if isinstance(act.step, Call) and context.catalogue.tools[act.step.tool].write and not act.step.gate
    ]
    assert asked < min(writes)
    assert check_equivalents(context).counts["asked_first/accepted"] == 1


def test_where_nothing_was_taken_back_nobody_has_to_ask_first() -> None:
    assert not of(changed_where(lambda context: not superseded(context)), "asked_first")
    assert not of(context_of("buy-best/fulfil", BOTH), "asked_first")


def test_asking_twice_is_no_mistake() -> None:
    (variant,) = of(context_of("buy-best/fulfil", BOTH), "asked_again")
    gates = [act.step.gate for act in variant.acts if isinstance(act.step, Ask)]
    assert Counter(gates).most_common(1)[0][1] == 2
