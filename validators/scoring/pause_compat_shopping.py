"""PAUSE's points for shopping as its reference computes them, holes included.

Kept on purpose, so that figures can be compared; `shopping_columns` closes them:

- products count in any order, also one that was never paid; products beside them cost nothing;
- lines are compared as they stand: two lines of 2 are not one of 4, a pack of five is not five single packs;
- any completed order gives the voucher point, also one that holds nothing of what was wanted;
- more orders, what is left in the cart and the membership do not count.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from validators.scoring.pause_compat import mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validators.scoring.shopping_orders import Line

BALANCE_LIMIT = 500
"""Most cents that may be left: PAUSE's users start with at most this and top up what is missing."""


class Order(NamedTuple):
    """One order."""

    status: str
    """`pending`, `completed` or `cancelled`."""
    lines: tuple[Line, ...]
    vouchers: frozenset[str] = frozenset()


class ShoppingState(NamedTuple):
    """What is there at the end. No formula reads `cart` and `vip`."""

    orders: tuple[Order, ...]
    balance: int
    """In cents."""
    cart: tuple[Line, ...] = ()
    vip: bool = False


class Target(NamedTuple):
    """What is expected: one order."""

    lines: tuple[Line, ...]
    vouchers: frozenset[str] = frozenset()
    balance_limit: int = BALANCE_LIMIT


class Points(NamedTuple):
    """The points of one trajectory."""

    products: int
    """Expected products found."""
    expected: int
    """Expected products."""
    quantity: int
    voucher: int
    balance: int

    @property
    def most(self) -> int:
        """The most points there are: one per product, and three."""
        return self.expected + 3

    @property
    def score(self) -> float:
        """Share of the points."""
        return (self.products + self.quantity + self.voucher + self.balance) / self.most

    @property
    def ok(self) -> bool:
        """Whether all points were made."""
        return self.score == 1


class ShoppingTable(NamedTuple):
    """PAUSE's columns of one model: means over its tasks."""

    score: float
    pid: float
    qty_size: float
    voucher: float
    balance: float
    ok: float


def shopping_points(state: ShoppingState, target: Target) -> Points:
    """Return the points of an end-state. Raise ValueError when nothing is expected."""
    expected = {line.product_id for line in target.lines}
    if not expected:
        raise ValueError("the target holds no product, and points are given for products")
    completed = [order for order in state.orders if order.status == "completed"]
    products = len(expected & {line.product_id for order in state.orders for line in order.lines})
    quantity = Counter(target.lines) <= Counter(line for order in completed for line in order.lines)
    voucher = any(order.vouchers == target.vouchers for order in completed)
    balance = products == len(expected) and quantity and state.balance <= target.balance_limit
    return Points(products, len(expected), int(quantity), int(voucher), int(balance))


def shopping_table(points: Sequence[Points]) -> ShoppingTable:
    """Return the columns. Raise ValueError when there are no tasks."""
    return ShoppingTable(
        score=mean([p.score for p in points]),
        pid=mean([p.products / p.expected for p in points]),
        qty_size=mean([p.quantity for p in points]),
        voucher=mean([p.voucher for p in points]),
        balance=mean([p.balance for p in points]),
        ok=mean([p.ok for p in points]),
    )
