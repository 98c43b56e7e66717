"""Our columns of shopping on executed ends, beside PAUSE's points for the same ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.runtime.environment import Environment
from services.runtime.state import State
from tests.nonempty import nonempty
from tests.validators.scoring.shop import (
    buy,
    context,
    done,
    fill,
    opened,
    others,
    pay,
    prepare,
    wanted,
)
from tests.validators.tasks_support import context_of, contexts
from validators.scoring.pause_compat_adapter import shopping_state, shopping_target
from validators.scoring.pause_compat_shopping import Points, shopping_points
from validators.scoring.shopping_columns import COLUMNS, PARTS, columns
from validators.scoring.shopping_orders import Line
from validators.tasks.context import TaskContext

TASK = context()
(WANTED,) = wanted(TASK)
EXTRA = others(TASK, 10)


def of(size: str, quantity: int) -> Line:
    return Line(WANTED.product_id, size, quantity)


def exact(env: Environment) -> None:
    buy(env, WANTED)


def two_lines(env: Environment) -> None:
    buy(env, of("single_pack", 2), of("single_pack", WANTED.quantity - 2))


def packs(env: Environment) -> None:
    buy(env, of("pack_5", 1), of("single_pack", WANTED.quantity - 5))


def extra_products(env: Environment) -> None:
    buy(env, WANTED, *EXTRA)


def second_order(env: Environment) -> None:
    buy(env, WANTED)
    buy(env, EXTRA[0])


def left_pending(env: Environment) -> None:
    buy(env, WANTED)
    prepare(env, EXTRA[0])


def only_pending(env: Environment) -> None:
    prepare(env, WANTED)


def leftover_cart(env: Environment) -> None:
    buy(env, WANTED)
    fill(env, EXTRA[0])


def joined(env: Environment) -> None:
    order = done(env, "upgrade_membership_request", vip_duration="1_month")
    pay(env, order["transaction_id"], 20)
    buy(env, WANTED)


def other_quantity(env: Environment) -> None:
    buy(env, of("single_pack", WANTED.quantity - 1))


def something_else(env: Environment) -> None:
    buy(env, EXTRA[0])


def needless_voucher(env: Environment) -> None:
    buy(env, WANTED, voucher="vch_test")


def too_much_money(env: Environment) -> None:
    buy(env, WANTED)
    done(env, "top_up_wallet", "user", amount=0.01)


def split(env: Environment) -> None:
    buy(env, of("single_pack", 2))
    buy(env, of("single_pack", WANTED.quantity - 2))


HALF, NO_MONEY = {"product": 1 / 2}, {"balance": 0.0}
ENDS: dict[Callable[[Environment], None], tuple[dict[str, float] | None, Points]] = {
    # What is done -> our columns that are not 1 (None where all are 0), and PAUSE's points of 1 product and 3 more.
    exact: ({}, Points(1, 1, 1, 1, 1)),
    two_lines: ({}, Points(1, 1, 0, 1, 0)),
    packs: (NO_MONEY, Points(1, 1, 0, 1, 0)),
    extra_products: ({"product": 1 / 11, **NO_MONEY}, Points(1, 1, 1, 1, 1)),
    second_order: ({**HALF, **NO_MONEY, "no_extra_order": 0.0}, Points(1, 1, 1, 1, 1)),
    left_pending: ({"no_extra_order": 0.0}, Points(1, 1, 1, 1, 1)),
    only_pending: (None, Points(1, 1, 0, 0, 0)),
    leftover_cart: ({"cart": 0.0}, Points(1, 1, 1, 1, 1)),
    joined: ({"membership": 0.0, **NO_MONEY}, Points(1, 1, 1, 1, 1)),
    other_quantity: ({"quantity": 0.0, **NO_MONEY}, Points(1, 1, 0, 1, 0)),
    something_else: (None, Points(0, 1, 0, 1, 0)),
    needless_voucher: ({"voucher": 0.0, **NO_MONEY}, Points(1, 1, 1, 0, 1)),
    too_much_money: (NO_MONEY, Points(1, 1, 1, 1, 1)),
    split: ({"single_order": 0.0}, Points(1, 1, 0, 1, 0)),
}


@pytest.mark.parametrize("act", ENDS, ids=lambda act: act.__name__)
def test_columns_and_points(act: Callable[[Environment], None]) -> None:
    less, points = ENDS[act]
    env = opened(TASK)
    act(env)
    target = shopping_target(TASK)
    assert target is not None
    assert shopping_points(shopping_state(TASK, env.state_), target) == points
    found = columns(TASK, env.state_)
    assert tuple(found) == COLUMNS
    if less is None:
        assert set(found.values()) == {0.0}
        return
    parts = {name: less.get(name, 1.0) for name in PARTS}
    assert {name: found[name] for name in PARTS} == parts
    assert found["score"] == pytest.approx(sum(parts.values()) / len(parts))
    assert found["ok"] == float(not less)


def with_columns() -> list[TaskContext]:
    return nonempty([c for user in range(4) for c in contexts(user) if columns(c, c.gold.state)])


def test_the_gold_has_everything_and_doing_nothing_has_nothing() -> None:
    for found in with_columns():
        assert set(columns(found, found.gold.state).values()) == {1.0}, found.task.task_id
        assert set(columns(found, State(found.start)).values()) == {0.0}


def test_the_gold_has_all_of_pauses_points_too() -> None:
    targets = nonempty([(c, target) for c in with_columns() if (target := shopping_target(c)) is not None])
    for found, target in targets:
        assert shopping_points(shopping_state(found, found.gold.state), target).ok, found.task.task_id
        assert shopping_points(shopping_state(found, State(found.start)), target).products == 0


@pytest.mark.parametrize("template", ["buy-best/out_of_stock", "order-status/fulfil"])
def test_a_task_that_buys_nothing_has_no_columns(template: str) -> None:
    found = context_of(template)
    assert columns(found, found.gold.state) == {}
    assert shopping_target(found) is None


def test_an_order_that_was_there_is_expected_to_be_paid_and_no_other() -> None:
    found = context_of("finish-pending/fulfil")
    assert columns(found, found.gold.state)["ok"] == 1
    assert shopping_target(found) is None
    env = found.open()
    env.restore(found.gold.snapshots[-1])
    prepare(env, others(found, 1)[0])
    assert columns(found, env.state_)["no_extra_order"] == 0


def test_who_was_to_join_and_did_not_lacks_the_membership() -> None:
    found = context_of("buy-as-member/fulfil/joins")
    assert columns(found, found.gold.state)["membership"] == 1
    env = opened(found)
    done(env, "set_purchase_permission", "user", allow=True)
    buy(env, *wanted(found))
    left = columns(found, env.state_)
    assert (left["membership"], left["product"], left["ok"]) == (0, 1, 0)
