"""Orders: those that a conversation left, and those that a contract expects. Here the tables of the store are named."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, cast

from schemas.contract import Equal, Ref
from services.runtime.records import to_data
from services.shopping.records import SIZES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schemas.base import Json
    from schemas.contract import Change, Contract, Rule
    from services.runtime.state import Delta
    from validators.tasks.context import TaskContext

KIND = "order"


class Line(NamedTuple):
    """One line of an order or a cart."""

    product_id: str
    size: str
    quantity: int


class Order(NamedTuple):
    """One order."""

    status: str
    """`pending`, `completed` or `cancelled`."""
    lines: tuple[Line, ...]
    voucher_id: str | None
    created: bool
    """Whether the order came into being in the conversation; else it was there, and its status changed."""

    @property
    def products(self) -> frozenset[str]:
        """The products it holds."""
        return frozenset(line.product_id for line in self.lines)


def line_of(row: Mapping[str, Json]) -> Line:
    """Return the line that a record holds."""
    return Line(str(row["product_id"]), str(row["size"]), cast("int", row["quantity"]))


def units_of(orders: Iterable[Order]) -> dict[str, int]:
    """Return the single units that orders hold, per product, whatever the packs."""
    units = Counter[str]()
    for order in orders:
        for line in order.lines:
            units[line.product_id] += line.quantity * SIZES[line.size]
    return dict(units)


def orders_left(context: TaskContext, delta: Delta) -> list[Order]:
    """Return the orders of a conversation: those that were made, and those whose status is another one now."""
    orders: list[Order] = []
    made = [after for _, after in delta.get("order_lines", {}).values() if after is not None]
    for key, (before, after) in delta.get("transactions", {}).items():
        if after is None or after["kind"] != KIND or (before is not None and before["status"] == after["status"]):
            continue
        rows = [row for row in made if row["transaction_id"] == key] or _lines_at_start(context, key)
        voucher = cast("str | None", after["voucher_id"])
        orders.append(Order(str(after["status"]), tuple(map(line_of, rows)), voucher, before is None))
    return orders


def _lines_at_start(context: TaskContext, transaction_id: str) -> list[dict[str, Json]]:
    lines = context.start.tables["order_lines"].values()
    return [row for row in map(to_data, lines) if row["transaction_id"] == transaction_id]


def orders_expected(context: TaskContext, contract: Contract) -> list[Order]:
    """Return the orders that a contract wants completed. Raise ValueError where it leaves open what they hold."""
    return [
        _created(contract, change) if change.op == "create" else _paid(context, change)
        for change in contract.changes
        if change.table == "transactions" and _is_expected(context, change)
    ]


def _is_expected(context: TaskContext, change: Change) -> bool:
    status = change.fields.get("status")
    if change.op == "delete" or not isinstance(status, Equal) or status.value != "completed":
        return False
    if change.op == "create":
        return _value(change.fields["kind"]) == KIND
    return to_data(context.start.tables["transactions"][change.id])["kind"] == KIND


def _created(contract: Contract, order: Change) -> Order:
    lines = [
        line_of({name: _value(rule) for name, rule in change.fields.items() if name != "transaction_id"})
        for change in contract.changes
        if change.table == "order_lines" and change.op == "create" and _belongs(change, order)
    ]
    return Order("completed", tuple(lines), cast("str | None", _value(order.fields["voucher_id"])), True)


def _belongs(line: Change, order: Change) -> bool:
    rule = line.fields["transaction_id"]
    return isinstance(rule, Ref) and rule.var == order.var


def _paid(context: TaskContext, order: Change) -> Order:
    record = to_data(context.start.tables["transactions"][order.id])
    voucher = order.fields.get("voucher_id")
    voucher_id = record["voucher_id"] if voucher is None else _value(voucher)
    lines = tuple(map(line_of, _lines_at_start(context, order.id)))
    return Order("completed", lines, cast("str | None", voucher_id), False)


def _value(rule: Rule) -> Json:
    if not isinstance(rule, Equal):
        raise ValueError(f"the contract does not say what an order holds: its rule is {rule.rule!r}")
    return rule.value
