"""Buying by hand at the start of a task, for tests of columns."""

from __future__ import annotations

from functools import cache
from typing import cast

from schemas.base import Json
from services.runtime.environment import Environment
from services.runtime.records import from_data
from tests.validators import tasks_support
from validators.scoring.shopping_orders import Line, orders_expected
from validators.tasks.context import TaskContext

COUPON = {
    "id": "vch_test",
    "description": "10 % off",
    "brand": None,
    "members_only": False,
    "expires_on": "2099-12-31",
    "min_spend_cents": 0,
    "percent_off": 10,
    "used_in": None,
}


@cache
def context() -> TaskContext:
    """A task to buy some units of one product, in one line of the gold, with nothing beside the money to ask for."""

    def one_line(found: TaskContext) -> bool:
        lines = wanted(found)
        return len(lines) == 1 and lines[0].size == "single_pack" and lines[0].quantity >= 5

    return tasks_support.context_where(
        "buy-best/fulfil", lambda found: found.task.gates == ["BALANCE"] and not found.task.setup and one_line(found)
    )


def wanted(found: TaskContext) -> tuple[Line, ...]:
    """The lines of the order that the contract expects."""
    return orders_expected(found, found.task.expectation.any_of[0])[0].lines


def opened(found: TaskContext) -> Environment:
    """The start of the task, with a voucher that is good for everything."""
    record = from_data(found.catalogue.tables["vouchers"].record, COUPON)
    return found.open(found.start.with_changes([("vouchers", "vch_test", record)]))


def others(found: TaskContext, count: int) -> tuple[Line, ...]:
    """Single packs of products that nobody wants."""
    held = {line.product_id for line in wanted(found)}
    return tuple([Line(key, "single_pack", 1) for key in found.start.tables["assortment"] if key not in held][:count])


def done(env: Environment, tool: str, side: str = "assistant", **arguments: Json) -> dict[str, Json]:
    """Make a call that must succeed."""
    result = env.call(tool, arguments, "user" if side == "user" else "assistant")
    assert "error" not in result, result
    return result


def fill(env: Environment, *lines: Line) -> None:
    """Put lines into the cart."""
    for line in lines:
        done(env, "add_to_cart", product_id=line.product_id, size=line.size, quantity=line.quantity)


def pay(env: Environment, transaction_id: Json, price: Json) -> None:
    """Add just what is missing, and pay."""
    missing = round(100 * cast("float", price)) - round(100 * cast("float", done(env, "get_wallet")["balance"]))
    if missing > 0:
        done(env, "top_up_wallet", "user", amount=missing / 100)
    done(env, "authorize_checkout", "user", transaction_id=transaction_id)


def prepare(env: Environment, *lines: Line, voucher: str | None = None) -> dict[str, Json]:
    """Prepare an order of these lines, the consent given."""
    fill(env, *lines)
    return done(env, "prepare_order", voucher_id=voucher)


def buy(env: Environment, *lines: Line, voucher: str | None = None) -> None:
    """Prepare an order and pay it."""
    order = prepare(env, *lines, voucher=voucher)
    pay(env, order["transaction_id"], order["final_total"])
