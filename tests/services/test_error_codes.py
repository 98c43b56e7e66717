"""Every error code that a tool declares is reached by a case here, and no case returns another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from schemas.base import Json
from services.runtime.catalogue import installed_catalogue
from services.runtime.environment import Environment
from services.runtime.tools import UNIVERSAL_ERRORS, Tool
from tests.services import sample
from tests.services.sample import buy, code_of, line, product_id, refused, transaction, voucher

CATALOGUE = installed_catalogue()
PENDING = {"transactions": [transaction("tx")], "order_lines": [line("tx", 1)]}
OLD = transaction("tx", created_at="2025-06-09T11:59:59")
DONE = transaction("tx", status="completed", settled_at="2025-06-10T11:01:00")
USED_UP = {
    "transactions": [transaction("tx", voucher_id="v", saving_cents=21, total_cents=189)],
    "order_lines": [line("tx", 1)],
    "vouchers": [voucher("v", expires_on="2025-06-09")],
}


class Case(NamedTuple):
    """One call that must be refused with `code`."""

    tool: str
    code: str
    arguments: dict[str, Json]
    start: Callable[[], Environment] = sample.environment


def with_cart(*, size: str = "single_pack", quantity: int = 1, **tables: list[sample.Row]) -> Callable[[], Environment]:
    """Return a maker of environments whose cart holds product 1."""

    def start() -> Environment:
        line = {"id": "cart_1", "product_id": product_id(1), "size": size, "quantity": quantity, "added_at": sample.NOW}
        return sample.environment(sample.NOW, cart=[line], **tables)

    return start


def made(**tables: list[sample.Row]) -> Callable[[], Environment]:
    """Return a maker of environments with these tables."""
    return lambda: sample.environment(sample.NOW, **tables)


NO_PERMISSION = sample.permissions()
NOTES_OPEN = sample.permissions(user_notes=True)
MAY: dict[str, Json] = {"start_date": "2025-05-01", "end_date": "2025-05-31"}
ADD: dict[str, Json] = {"product_id": product_id(1), "size": "single_pack", "quantity": 1}
CASES = [
    Case("get_user_profile", "PROFILE_NOT_FOUND", {}, made(profile=[])),
    Case("update_profile", "PROFILE_NOT_FOUND", {"health_risks": []}, made(profile=[])),
    Case("update_profile", "NOTHING_TO_UPDATE", {}),
    Case("update_profile", "NOTHING_TO_UPDATE", {"basic_info": {}, "preferences": {}, "daily_goal": {}}),
    Case("get_wallet", "WALLET_NOT_FOUND", {}, made(wallet=[])),
    Case(
        "upgrade_membership_request", "PERMISSION_DENIED", {"vip_duration": "1_year"}, made(permissions=NO_PERMISSION)
    ),
    Case("top_up_wallet", "WALLET_NOT_FOUND", {"amount": 1}, made(wallet=[])),
    *(
        Case("top_up_wallet", "INVALID_AMOUNT", {"amount": amount})
        for amount in (0, -5, 0.001, 12.345, 10_000.01, 1e15)
    ),
    Case("authorize_checkout", "TRANSACTION_NOT_FOUND", {"transaction_id": "tx"}),
    Case("authorize_checkout", "TRANSACTION_NOT_PENDING", {"transaction_id": "tx"}, made(transactions=[DONE])),
    Case(
        "authorize_checkout",
        "TRANSACTION_NOT_PENDING",
        {"transaction_id": "tx"},
        made(transactions=[transaction("tx", status="cancelled")]),
    ),
    Case("authorize_checkout", "TRANSACTION_EXPIRED", {"transaction_id": "tx"}, made(transactions=[OLD])),
    Case("authorize_checkout", "TOTAL_CHANGED", {"transaction_id": "tx"}, made(transactions=[transaction("tx")])),
    Case("authorize_checkout", "OUT_OF_STOCK", {"transaction_id": "tx"}, made(**PENDING, assortment=[])),
    Case("authorize_checkout", "VOUCHER_NOT_USABLE", {"transaction_id": "tx"}, made(**USED_UP)),
    Case(
        "authorize_checkout",
        "INSUFFICIENT_BALANCE",
        {"transaction_id": "tx"},
        made(**PENDING, wallet=sample.wallet(209)),
    ),
    Case("authorize_checkout", "WALLET_NOT_FOUND", {"transaction_id": "tx"}, made(**PENDING, wallet=[])),
    *(Case("browse_items", "PAGE_OUT_OF_RANGE", {"page": page}) for page in (0, -1, 3, 2**52)),
    Case("inspect_item", "INVALID_PRODUCT_ID", {"product_id": "p"}),
    Case("inspect_item", "INVALID_PRODUCT_ID", {"product_id": product_id(17)}),
    Case("add_to_cart", "INVALID_PRODUCT_ID", {**ADD, "product_id": product_id(17)}),
    Case("add_to_cart", "INVALID_SIZE", {**ADD, "size": "pack_6"}),
    Case("add_to_cart", "OUT_OF_STOCK", {**ADD, "quantity": 41}),
    Case("add_to_cart", "OUT_OF_STOCK", {**ADD, "size": "pack_5", "quantity": 9}),
    Case("add_to_cart", "OUT_OF_STOCK", {**ADD, "quantity": 40}, with_cart()),
    Case("remove_from_cart", "CART_ITEM_NOT_FOUND", {"cart_item_id": "cart_1"}),
    Case("prepare_order", "PERMISSION_DENIED", {}, with_cart(permissions=NO_PERMISSION)),
    Case("prepare_order", "CART_EMPTY", {}),
    Case("prepare_order", "OUT_OF_STOCK", {}, with_cart(quantity=41)),
    Case("prepare_order", "VOUCHER_NOT_FOUND", {"voucher_id": "v"}, with_cart()),
    Case("list_notes", "PERMISSION_DENIED", MAY, made(permissions=NO_PERMISSION)),
    *(
        Case("list_notes", "INVALID_DATE", {**MAY, name: day}, made(permissions=NOTES_OPEN))
        for name, day in (("start_date", "2025-02-30"), ("end_date", "20250531"), ("end_date", "today"))
    ),
    Case("list_notes", "INVALID_RANGE", {**MAY, "end_date": "2025-04-30"}, made(permissions=NOTES_OPEN)),
    Case("add_note", "PERMISSION_DENIED", {"note": "Milk"}, made(permissions=NO_PERMISSION)),
    Case("add_note", "NOTE_EMPTY", {"note": " "}, made(permissions=NOTES_OPEN)),
    Case("delete_note", "PERMISSION_DENIED", {"note_id": "note_1"}, made(permissions=NO_PERMISSION)),
    Case("delete_note", "NOTE_NOT_FOUND", {"note_id": "note_1"}, made(permissions=NOTES_OPEN)),
    Case("prepare_order", "VOUCHER_NOT_USABLE", {"voucher_id": "v"}, with_cart(vouchers=[voucher("v", used_in="tx")])),
]


def run(case: Case) -> str:
    """Make the call of a case and return the code."""
    env = case.start()
    if CATALOGUE.tools[case.tool].confirm:
        env.confirm(case.tool, case.arguments)
    return refused(env, case.tool, CATALOGUE.tools[case.tool].side, **case.arguments)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tool}-{case.code}")
def test_a_case_is_refused_with_its_code(case: Case) -> None:
    assert run(case) == case.code


@pytest.mark.parametrize("tool", CATALOGUE.tools.values(), ids=CATALOGUE.tools)
def test_every_declared_code_is_reached_and_no_other(tool: Tool) -> None:
    reached = {run(case) for case in CASES if case.tool == tool.name}
    assert reached == set(CATALOGUE.errors_of(tool)) - set(UNIVERSAL_ERRORS)


@pytest.mark.parametrize("tool", CATALOGUE.tools.values(), ids=CATALOGUE.tools)
def test_universal_codes_of_every_tool(tool: Tool) -> None:
    env = sample.environment()
    other = "user" if tool.side == "assistant" else "assistant"
    assert refused(env, tool.name, other, **tool.example) == "WRONG_SIDE"
    assert refused(env, tool.name, tool.side, **tool.example, no_such_argument=1) == "INVALID_ARGUMENTS"
    code = code_of(env.call(tool.name, tool.example, tool.side))
    assert (code == "CONFIRMATION_REQUIRED") is tool.confirm
    assert not tool.behind  # TOOL_NOT_AVAILABLE and INTERNAL_ERROR are reached with the toy service


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"used_in": "tx_old"}, "used"),
        ({"expires_on": "2025-06-09"}, "expired"),
        ({"members_only": True}, "vip_required"),
        ({"brand": sample.BRANDS[0]}, "nothing_eligible"),
        ({"min_spend_cents": 211}, "min_amount_not_met"),
        ({"brand": sample.BRANDS[1], "min_spend_cents": 211}, "min_amount_not_met"),
    ],
)
def test_a_voucher_is_refused_with_the_reason(fields: dict[str, Json], reason: str) -> None:
    env = with_cart(vouchers=[voucher("v", **fields)])()
    error = env.call("prepare_order", {"voucher_id": "v"})["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["reason"]) == ("VOUCHER_NOT_USABLE", reason)
    # The cart is as it was, and the order can be made without the voucher.
    assert env.call("prepare_order")["final_total"] == 2.1


def test_out_of_stock_tells_what_is_left() -> None:
    env = sample.environment()
    error = env.call("add_to_cart", {**ADD, "quantity": 41})["error"]
    assert isinstance(error, dict)
    assert (error["product_id"], error["units_left"]) == (product_id(1), 40)


def test_a_gate_names_itself_and_what_is_missing() -> None:
    env = sample.environment(permissions=NO_PERMISSION, wallet=sample.wallet(150))
    error = env.call("prepare_order")["error"]
    assert isinstance(error, dict)
    assert (error["gate"], error["permission"]) == ("PURCHASE", "allow_purchase")
    assert env.closed_gates() == ["NOTES", "PURCHASE"]
    sample.done(env, "set_purchase_permission", "user", allow=True)
    order = buy(env, (1, "single_pack", 1))
    error = env.call("authorize_checkout", {"transaction_id": order}, "user")["error"]
    assert isinstance(error, dict)
    assert (error["gate"], error["balance"], error["total"]) == ("BALANCE", 1.5, 2.1)


def test_total_changed_tells_both_totals() -> None:
    env = sample.environment(transactions=[transaction("tx")], order_lines=[line("tx", 1), line("tx", 2)])
    error = env.call("authorize_checkout", {"transaction_id": "tx"}, "user")["error"]
    assert isinstance(error, dict)
    assert (error["prepared_total"], error["total"]) == (2.1, 3.86)
