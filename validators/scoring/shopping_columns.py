"""Columns of shopping for our own table: what PAUSE's columns are meant to say, without their holes.

Only tasks in which an order is to be completed have columns. Who did not buy anything that was expected gets nothing,
so that no column is earned by leaving things alone. An end-state that meets the contract has 1 in every column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

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
_MONEY, _MEMBERSHIP, _CART = ("wallet", "ledger"), ("membership",), ("cart",)
"""Tables that are judged apart."""
_NO_CONTRACT, _NOTHING_ASKED = Contract(), Expectation(any_of=[])
"""What parts of contracts are made of; their rules were validated with the whole."""


class _Wanted:
    """A contract of a task, taken apart once for all end-states that are held against it."""

    def __init__(self, context: TaskContext, contract: Contract) -> None:
        self.orders = orders_expected(context, contract)
        self.may_wait = _may_wait(contract)
        self._judges: dict[tuple[str, ...], Judge] = (
            {tables: _judge_of(context, contract, tables) for tables in (_MONEY, _MEMBERSHIP, _CART)}
            if self.orders
            else {}
        )

    def holds(self, delta: Delta, tables: tuple[str, ...]) -> bool:
        """Return whether what changed in some tables is what the contract says of these."""
        changed = {table: records for table, records in delta.items() if table in tables}
        return self._judges[tables].judge(changed, {}, (), lambda _: True).passed


_wanted: WeakKeyDictionary[TaskContext, list[_Wanted]] = WeakKeyDictionary()


def columns(context: TaskContext, end: State) -> dict[str, float]:
    """Return the columns of an end-state, by the contract that it comes closest to; none where no order is expected.

    `end` is the state that executing the conversation from the task's start left.
    """
    wanted = _wanted.get(context)
    if wanted is None:
        contracts = [_Wanted(context, contract) for contract in context.task.expectation.any_of]
        wanted = _wanted[context] = [one for one in contracts if one.orders]
    if not wanted:
        return {}
    delta = end.delta()
    left = orders_left(context, delta)
    return max((_columns(one, left, delta) for one in wanted), key=lambda row: row["score"])


def _columns(wanted: _Wanted, left: Sequence[Order], delta: Delta) -> dict[str, float]:
    paid = [order for order in left if order.status == "completed"]
    expected, bought = units_of(wanted.orders), units_of(paid)
    fitting = [order for order in paid if order.products & expected.keys()]
    if not fitting:
        return dict.fromkeys(COLUMNS, 0.0)
    waiting = sum(order.status == "pending" for order in left)
    parts: dict[str, float] = {
        "product": len(expected.keys() & bought.keys()) / len(expected.keys() | bought.keys()),
        "quantity": float(all(bought.get(product) == units for product, units in expected.items())),
        "voucher": float(_vouchers(paid) == _vouchers(wanted.orders)),
        "balance": float(wanted.holds(delta, _MONEY)),
        "membership": float(wanted.holds(delta, _MEMBERSHIP)),
        "single_order": float(len(fitting) == len(wanted.orders)),
        "cart": float(wanted.holds(delta, _CART)),
        "no_extra_order": float(len(fitting) == len(paid) and waiting <= wanted.may_wait),
    }
    values = parts.values()
    return {"score": sum(values) / len(parts), "ok": float(all(value == 1 for value in values)), **parts}


def _vouchers(orders: Sequence[Order]) -> list[str]:
    return sorted(order.voucher_id for order in orders if order.voucher_id is not None)


def _judge_of(context: TaskContext, contract: Contract, tables: Collection[str]) -> Judge:
    """Return the judge of what a contract says of some tables."""
    part = _NO_CONTRACT.changed(
        {
            "changes": [change for change in contract.changes if change.table in tables],
            "totals": [total for total in contract.totals if total.table in tables],
            "allowed": [allowed for allowed in contract.allowed if allowed.change.table in tables],
        }
    )
    return Judge(_NOTHING_ASKED.changed({"any_of": [part]}), context.catalogue.tables, context.now, {})


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
