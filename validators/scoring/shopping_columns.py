"""Columns of shopping for our own table: what PAUSE's columns are meant to say, without their holes.

Only tasks in which an order is to be completed have columns. Who did not buy anything that was expected gets nothing,
so that no column is earned by leaving things alone. An end-state that meets the contract has 1 in every column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.contract import Contract, Equal, Expectation
from validators.contract.judge import Judge
from validators.scoring.shopping_orders import KIND, Order, orders_expected, orders_left, units_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from services.runtime.state import Delta, State
    from validators.tasks.context import TaskContext

PARTS = ("product", "quantity", "voucher", "balance", "membership", "single_order", "cart", "no_extra_order")
COLUMNS = ("score", "ok", *PARTS)
"""`score` is the mean of the others, `ok` whether each of them is 1.

`product`: products bought and expected, over products bought or expected. `quantity`: as many units of each expected
product, in whatever packs. `voucher`: just the expected vouchers were used. `balance`: paid and topped up what the
contract says. `membership`: as the contract says. `single_order`: what belongs together was bought together. `cart`: as
it was, but for what the contract says. `no_extra_order`: no other order, paid or left to be paid."""


def columns(context: TaskContext, end: State) -> dict[str, float]:
    """Return the columns of an end-state, by the contract that it comes closest to; none where no order is expected.

    `end` is the state that executing the conversation from the task's start left.
    """
    delta = end.delta()
    left = orders_left(context, delta)
    found = [
        _columns(context, contract, expected, left, delta)
        for contract in context.task.expectation.any_of
        if (expected := orders_expected(context, contract))
    ]
    return max(found, key=lambda row: row["score"]) if found else {}


def _columns(
    context: TaskContext, contract: Contract, expected: Sequence[Order], left: Sequence[Order], delta: Delta
) -> dict[str, float]:
    paid = [order for order in left if order.status == "completed"]
    wanted, bought = units_of(expected), units_of(paid)
    fitting = [order for order in paid if order.products & wanted.keys()]
    if not fitting:
        return dict.fromkeys(COLUMNS, 0.0)
    waiting = sum(order.status == "pending" for order in left)
    parts: dict[str, float] = {
        "product": len(wanted.keys() & bought.keys()) / len(wanted.keys() | bought.keys()),
        "quantity": float(all(bought.get(product) == units for product, units in wanted.items())),
        "voucher": float(_vouchers(paid) == _vouchers(expected)),
        "balance": float(_holds(context, contract, delta, ("wallet", "ledger"))),
        "membership": float(_holds(context, contract, delta, ("membership",))),
        "single_order": float(len(fitting) == len(expected)),
        "cart": float(_holds(context, contract, delta, ("cart",))),
        "no_extra_order": float(len(fitting) == len(paid) and waiting <= _may_wait(contract)),
    }
    values = parts.values()
    return {"score": sum(values) / len(parts), "ok": float(all(value == 1 for value in values)), **parts}


def _vouchers(orders: Sequence[Order]) -> list[str]:
    return sorted(order.voucher_id for order in orders if order.voucher_id is not None)


def _holds(context: TaskContext, contract: Contract, delta: Delta, tables: Collection[str]) -> bool:
    """Return whether what changed in some tables is what the contract says of these."""
    part = Contract(
        changes=[change for change in contract.changes if change.table in tables],
        totals=[total for total in contract.totals if total.table in tables],
        allowed=[allowed for allowed in contract.allowed if allowed.change.table in tables],
    )
    judge = Judge(Expectation(any_of=[part]), context.catalogue.tables, context.now, {})
    changed = {table: records for table, records in delta.items() if table in tables}
    return judge.judge(changed, {}, (), lambda _: True).passed


def _may_wait(contract: Contract) -> int:
    """Return how many orders the contract allows to be left pending."""
    pending = {"kind": KIND, "status": "pending"}
    return sum(
        allowed.at_most
        for allowed in contract.allowed
        if allowed.change.op == "create"
        and allowed.change.table == "transactions"
        and all(allowed.change.fields[name] == Equal(value=value) for name, value in pending.items())
    )
