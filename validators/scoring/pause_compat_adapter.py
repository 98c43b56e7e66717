"""Our tasks, trajectories and end-states as the plain data that PAUSE's formulas take.

Calls of the tool `report`, by which answers may be stated, are left out: PAUSE has no such tool.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from schemas.plan import Call as GoldCall
from schemas.trajectory import Did, Said
from services.runtime.records import to_data
from validators.scoring.outcome import REPORT
from validators.scoring.pause_compat import Call, Step
from validators.scoring.pause_compat_shopping import BALANCE_LIMIT, Order, ShoppingState, Target
from validators.scoring.shopping_orders import line_of, orders_expected, orders_left
from validators.tasks.replay import run_writes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemas.score import ErrorClass, Score
    from schemas.task import Task
    from schemas.trajectory import Trajectory
    from services.runtime.state import State
    from validators.scoring.shopping_orders import Order as OurOrder
    from validators.tasks.context import TaskContext


def gold_calls(task: Task) -> list[Call]:
    """Return the assistant's calls of the gold plan."""
    return [
        Call(step.tool, json.dumps(step.arguments))
        for step in task.plan.steps
        if isinstance(step, GoldCall) and step.side == "assistant"
    ]


def made_calls(trajectory: Trajectory) -> list[Call]:
    """Return the assistant's calls, those that failed included."""
    return [
        Call(event.tool, event.arguments_text)
        for event in trajectory.events
        if isinstance(event, Did) and event.side == "assistant" and event.tool != REPORT
    ]


def steps_of(trajectory: Trajectory) -> Iterator[Step]:
    """Yield what each side did. Our conversations begin without a greeting of the assistant.

    A text of the assistant that calls follow in the same turn stands beside them and is no text of its own.
    """
    calling: set[int] = set()
    steps: list[Step] = []
    for event in reversed(trajectory.events):
        if isinstance(event, Did):
            if event.side == "assistant":
                calling.add(event.turn)
            if event.tool != REPORT:
                steps.append(Step(event.side, tools=(event.tool,)))
        elif isinstance(event, Said) and event.by != "platform":
            beside = event.by == "assistant" and event.turn in calling
            if not beside:
                steps.append(Step(event.by, event.text))
    yield from reversed(steps)


def targets_met(score: Score) -> list[bool]:
    """Return one truth per target of a scored trajectory: required changes, answers and questions."""
    return [number < score.reached for number in range(score.targets)]


def failures(trajectories: Iterable[Trajectory]) -> list[tuple[str, ErrorClass]]:
    """Return (assistant, class of the error) of each trajectory that failed for an error of a known class."""
    return [
        (trajectory.assistant.name, trajectory.score.error_class)
        for trajectory in trajectories
        if trajectory.score is not None and not trajectory.score.passed and trajectory.score.error_class is not None
    ]


def shopping_state(context: TaskContext, end: State) -> ShoppingState:
    """Return what PAUSE looks at in an executed end-state: of the orders, those made in the conversation.

    Its users have no orders before it.
    """
    membership = end.get("membership", "membership")
    expires_on = None if membership is None else to_data(membership)["expires_on"]
    return ShoppingState(
        orders=tuple(_order(order) for order in orders_left(context, end.delta()) if order.created),
        balance=_balance(end),
        cart=tuple(line_of(to_data(line)) for line in end.all("cart")),
        vip=isinstance(expires_on, str) and expires_on >= context.now[:10],
    )


_targets: WeakKeyDictionary[TaskContext, Target | None] = WeakKeyDictionary()


def shopping_target(context: TaskContext) -> Target | None:
    """Return what PAUSE would expect of a task, worked out once; None where it has no such tasks."""
    if context not in _targets:
        _targets[context] = _target(context)
    return _targets[context]


def _target(context: TaskContext) -> Target | None:
    """Return what PAUSE would expect of a task: the order of its first contract.

    None where the first contract has no order made, or several: PAUSE has no such tasks. Its users start with almost
    nothing, so that only what was topped up without need can be left; where the gold leaves more than its limit, that
    is the limit.
    """
    orders = orders_expected(context, context.task.expectation.any_of[0])
    if len(orders) != 1 or not orders[0].created:
        return None
    order, end = _order(orders[0]), run_writes(context, context.task.plan).state
    return Target(order.lines, order.vouchers, max(BALANCE_LIMIT, _balance(end)))


def _order(order: OurOrder) -> Order:
    vouchers = frozenset[str]() if order.voucher_id is None else frozenset({order.voucher_id})
    return Order(order.status, order.lines, vouchers)


def _balance(state: State) -> int:
    wallet = state.get("wallet", "wallet")
    return 0 if wallet is None else cast("int", to_data(wallet)["balance_cents"])
