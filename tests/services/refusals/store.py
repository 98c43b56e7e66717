"""Refusals of the account, payments, the store and notes."""

from __future__ import annotations

from collections.abc import Callable

from schemas.base import Json
from services.runtime.environment import Environment
from tests.services import sample
from tests.services.refusals import Case, made
from tests.services.sample import line, product_id, transaction, voucher

PENDING = {"transactions": [transaction("tx")], "order_lines": [line("tx", 1)]}
OLD = transaction("tx", created_at="2025-06-09T11:59:59")
DONE = transaction("tx", status="completed", settled_at="2025-06-10T11:01:00")
USED_UP = {
    "transactions": [transaction("tx", voucher_id="v", saving_cents=21, total_cents=189)],
    "order_lines": [line("tx", 1)],
    "vouchers": [voucher("v", expires_on="2025-06-09")],
}


def with_cart(*, size: str = "single_pack", quantity: int = 1, **tables: list[sample.Row]) -> Callable[[], Environment]:
    """Return a maker of environments whose cart holds product 1."""

    def start() -> Environment:
        line = {"id": "cart_1", "product_id": product_id(1), "size": size, "quantity": quantity, "added_at": sample.NOW}
        return sample.environment(sample.NOW, cart=[line], **tables)

    return start


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
