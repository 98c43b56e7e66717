"""PAUSE's points for shopping against values worked out by hand, with the holes that its reference has."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from validators.scoring.pause_compat_shopping import (
    Order,
    Points,
    ShoppingState,
    Target,
    shopping_points,
    shopping_table,
)
from validators.scoring.shopping_orders import Line

ONE, FIVE = "single_pack", "pack_5"
BAR, SOUP, TEA = Line("bar", FIVE, 1), Line("soup", ONE, 3), Line("tea", ONE, 4)
NONE: frozenset[str] = frozenset()


def paid(*lines: Line, voucher: str = "") -> Order:
    return Order("completed", lines, frozenset({voucher}) if voucher else NONE)


def waiting(*lines: Line) -> Order:
    return Order("pending", lines)


def state(*orders: Order, balance: int = 0, cart: tuple[Line, ...] = (), vip: bool = False) -> ShoppingState:
    return ShoppingState(orders, balance, cart, vip)


class Case(NamedTuple):
    """An end-state, what was expected, and the points: products, quantity, voucher, balance, and the score."""

    state: ShoppingState
    target: Target
    points: tuple[int, int, int, int]
    score: float


TWO = Target((BAR, SOUP))
"""Two products, no voucher: at most 2 + 3 = 5 points."""
COUPON = Target((TEA,), frozenset({"v"}))
"""One product with a voucher: at most 1 + 3 = 4 points."""
EXTRA = tuple(Line(f"extra_{number}", ONE, 1) for number in range(10))

CASES: dict[str, Case] = {
    # 2 + 1 + 1 + 1 = 5 of 5.
    "as expected": Case(state(paid(BAR, SOUP)), TWO, (2, 1, 1, 1), 1.0),
    # 1 + 1 + 1 + 1 = 4 of 4.
    "with its voucher": Case(state(paid(TEA, voucher="v")), COUPON, (1, 1, 1, 1), 1.0),
    # No order: 0 of 5; the balance is not tested.
    "nothing done": Case(state(), TWO, (0, 0, 0, 0), 0.0),
    # 1 product of 2, lines incomplete, no voucher as expected, balance untested: 1 + 0 + 1 + 0 = 2 of 5.
    "one of two": Case(state(paid(BAR)), TWO, (1, 0, 1, 0), 2 / 5),
    # 2 + 0 + 1 + 0 = 3 of 5: soup 2 instead of 3.
    "wrong quantity": Case(state(paid(BAR, Line("soup", ONE, 2))), TWO, (2, 0, 1, 0), 3 / 5),
    # 2 + 0 + 1 + 0 = 3 of 5: five single packs are not a pack of five.
    "wrong pack": Case(state(paid(Line("bar", ONE, 5), SOUP)), TWO, (2, 0, 1, 0), 3 / 5),
    # 1 + 1 + 0 + 1 = 3 of 4: none used where one was expected.
    "voucher forgotten": Case(state(paid(TEA)), COUPON, (1, 1, 0, 1), 3 / 4),
    # 1 + 1 + 0 + 1 = 3 of 4.
    "another voucher": Case(state(paid(TEA, voucher="w")), COUPON, (1, 1, 0, 1), 3 / 4),
    # 2 + 1 + 0 + 1 = 4 of 5: one used where none was expected.
    "needless voucher": Case(state(paid(BAR, SOUP, voucher="v")), TWO, (2, 1, 0, 1), 4 / 5),
    # 2 + 1 + 1 + 0 = 4 of 5: 5.01 is more than 5.00.
    "topped up too much": Case(state(paid(BAR, SOUP), balance=501), TWO, (2, 1, 1, 0), 4 / 5),
    # 5.00 is still right: 5 of 5.
    "balance at the limit": Case(state(paid(BAR, SOUP), balance=500), TWO, (2, 1, 1, 1), 1.0),
    # Another limit: 2 + 1 + 1 + 1 = 5 of 5.
    "another limit": Case(state(paid(BAR, SOUP), balance=700), TWO._replace(balance_limit=700), (2, 1, 1, 1), 1.0),
    # Two orders together hold the lines: 2 + 1 + 1 + 1 = 5 of 5.
    "spread over two orders": Case(state(paid(BAR), paid(SOUP)), TWO, (2, 1, 1, 1), 1.0),
    # The same line is expected twice and bought once: 1 + 0 + 1 + 0 = 2 of 4.
    "multiplicity": Case(state(paid(TEA)), Target((TEA, TEA)), (1, 0, 1, 0), 2 / 4),
    # HOLE: ten extra products cost nothing: 5 of 5.
    "ten extra products": Case(state(paid(BAR, SOUP, *EXTRA)), TWO, (2, 1, 1, 1), 1.0),
    # HOLE: a second order costs nothing: 5 of 5.
    "second order": Case(state(paid(BAR, SOUP), paid(*EXTRA)), TWO, (2, 1, 1, 1), 1.0),
    # HOLE: an order that was never paid earns its products: 2 + 0 + 0 + 0 = 2 of 5.
    "pending order": Case(state(waiting(BAR, SOUP)), TWO, (2, 0, 0, 0), 2 / 5),
    # HOLE: a cancelled one as well: 2 of 5.
    "cancelled order": Case(state(Order("cancelled", (BAR, SOUP))), TWO, (2, 0, 0, 0), 2 / 5),
    # HOLE: two lines of 2 are not one of 4, though as much is bought: 1 + 0 + 1 + 0 = 2 of 4.
    "two lines of 2": Case(state(paid(Line("tea", ONE, 2), Line("tea", ONE, 2))), Target((TEA,)), (1, 0, 1, 0), 2 / 4),
    # HOLE: what is left in the cart costs nothing: 5 of 5.
    "leftover cart": Case(state(paid(BAR, SOUP), cart=EXTRA), TWO, (2, 1, 1, 1), 1.0),
    # HOLE: a membership that nobody asked for costs nothing: 5 of 5.
    "wrong membership": Case(state(paid(BAR, SOUP), vip=True), TWO, (2, 1, 1, 1), 1.0),
    # HOLE: something else bought, without a voucher, where none was expected: 0 + 0 + 1 + 0 = 1 of 5.
    "voucher point for something else": Case(state(paid(*EXTRA)), TWO, (0, 0, 1, 0), 1 / 5),
    # HOLE: the voucher on another order counts: 1 + 1 + 1 + 1 = 4 of 4.
    "voucher on another order": Case(state(paid(TEA), paid(*EXTRA, voucher="v")), COUPON, (1, 1, 1, 1), 1.0),
    # HOLE: far too much is left, and is looked at only where the rest is right: 1 + 0 + 1 + 0 = 2 of 5, as above.
    "balance untested": Case(state(paid(BAR), balance=99_999), TWO, (1, 0, 1, 0), 2 / 5),
    # HOLE: paid are only other lines of the products, the right ones wait: 2 + 0 + 1 + 0 = 3 of 5.
    "right lines wait": Case(state(waiting(BAR, SOUP), paid(Line("bar", ONE, 1))), TWO, (2, 0, 1, 0), 3 / 5),
}


@pytest.mark.parametrize("name", CASES)
def test_points(name: str) -> None:
    case = CASES[name]
    points = shopping_points(case.state, case.target)
    assert (points.products, points.quantity, points.voucher, points.balance) == case.points
    assert points.score == pytest.approx(case.score)
    assert points.ok == (case.score == 1.0)
    assert points.most == len({line.product_id for line in case.target.lines}) + 3


def test_columns_are_means_over_tasks() -> None:
    # Scores: 5/5, 2/5, 3/4 and 0/5: mean = (1 + 0.4 + 0.75 + 0) / 4 = 0.5375. PID: (2/2 + 1/2 + 1/1 + 0/2) / 4 = 0.625.
    # Qty_Size: (1 + 0 + 1 + 0) / 4; Voucher: (1 + 1 + 0 + 0) / 4; Balance: (1 + 0 + 1 + 0) / 4; ok: 1/4.
    names = ("as expected", "one of two", "voucher forgotten", "nothing done")
    table = shopping_table([shopping_points(CASES[name].state, CASES[name].target) for name in names])
    assert table == pytest.approx((0.5375, 0.625, 0.5, 0.5, 0.5, 0.25))


def test_points_are_weighted_by_task_and_not_by_product() -> None:
    # 9 of 10 products + 0 + 1 + 0 of 13 points, and 4 of 4: (10/13 + 1) / 2 = 23/26; PID (0.9 + 1) / 2 = 0.95.
    table = shopping_table([Points(9, 10, 0, 1, 0), Points(1, 1, 1, 1, 1)])
    assert (table.score, table.pid) == pytest.approx((23 / 26, 0.95))


def test_no_points_where_nothing_is_expected() -> None:
    with pytest.raises(ValueError, match="no product"):
        shopping_points(state(), Target(()))
    with pytest.raises(ValueError, match="no task"):
        shopping_table([])
