"""Known defects of a published environment of this kind, each with a test that it is not repeated here."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, cast

import pytest

from schemas.base import Json
from services.runtime.catalogue import installed_catalogue
from services.runtime.environment import Environment
from services.runtime.tools import Tool
from tests.services import sample
from tests.services.sample import BRANDS, buy, code_of, done, line, product_id, refused, transaction, voucher

TOOLS = installed_catalogue().tools


def cart_of(env: Environment, *items: tuple[int, str, int]) -> None:
    for number, size, quantity in items:
        done(env, "add_to_cart", product_id=product_id(number), size=size, quantity=quantity)


# D16: voucher expiry was never enforced.


@pytest.mark.parametrize(("expires_on", "usable"), [("2025-06-11", True), ("2025-06-10", True), ("2025-06-09", False)])
def test_defect_D16_expired_voucher_is_refused(expires_on: str, usable: bool) -> None:
    env = sample.environment(vouchers=[voucher("v", expires_on=expires_on)])
    cart_of(env, (1, "single_pack", 1))
    assert code_of(env.call("prepare_order", {"voucher_id": "v"})) == ("" if usable else "VOUCHER_NOT_USABLE")


def test_defect_D16_voucher_that_expired_after_preparation_is_refused_at_checkout() -> None:
    for expires_on, code in (("2025-06-10", ""), ("2025-06-09", "VOUCHER_NOT_USABLE")):
        env = sample.environment(
            vouchers=[voucher("v", expires_on=expires_on)],
            transactions=[transaction("tx", voucher_id="v", saving_cents=21, total_cents=189)],
            order_lines=[line("tx", 1)],
        )
        assert code_of(env.call("authorize_checkout", {"transaction_id": "tx"}, "user")) == code


# D17: voucher ids collided, and a 10 % voucher was labelled as 9 %.


def test_defect_D17_two_vouchers_cannot_share_an_id() -> None:
    with pytest.raises(ValueError, match="'vouchers' holds id 'v' twice"):
        sample.environment(vouchers=[voucher("v"), voucher("v", percent_off=20)])


@pytest.mark.parametrize(("percent", "saving"), [(10, 0.21), (15, 0.32), (5, 0.11), (100, 2.1)])
def test_defect_D17_percent_shown_is_percent_taken_off(percent: int, saving: float) -> None:
    env = sample.environment(vouchers=[voucher("v", percent_off=percent)])
    vouchers: Any = env.call("get_wallet")["vouchers"]
    assert vouchers[0]["percent_off"] == percent
    cart_of(env, (1, "single_pack", 1))
    order: Any = env.call("prepare_order", {"voucher_id": "v"})
    assert (order["subtotal"], order["saving"], order["final_total"]) == (2.1, saving, round(2.1 - saving, 2))


def test_defect_D17_checkout_uses_up_that_voucher_alone() -> None:
    env = sample.environment(vouchers=[voucher("v1"), voucher("v2")])
    order = buy(env, (1, "single_pack", 1), voucher_id="v2")
    done(env, "authorize_checkout", "user", transaction_id=order)
    vouchers: Any = env.call("get_wallet")["vouchers"]
    assert {v["voucher_id"]: v["status"] for v in vouchers} == {"v1": "unused", "v2": "used"}


# D18: a voucher could be spent twice, on nothing, or without existing.


def test_defect_D18_voucher_cannot_be_spent_twice() -> None:
    env = sample.environment(vouchers=[voucher("v")])
    first = buy(env, (1, "single_pack", 1), voucher_id="v")
    second = buy(env, (2, "single_pack", 1), voucher_id="v")
    done(env, "authorize_checkout", "user", transaction_id=first)
    error = env.call("authorize_checkout", {"transaction_id": second}, "user")["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["reason"]) == ("VOUCHER_NOT_USABLE", "used")
    cart_of(env, (1, "single_pack", 1))
    assert refused(env, "prepare_order", voucher_id="v") == "VOUCHER_NOT_USABLE"


def test_defect_D18_voucher_on_nothing_eligible_or_unknown_is_refused_with_the_reason() -> None:
    env = sample.environment(vouchers=[voucher("v", brand=BRANDS[2])])
    cart_of(env, (1, "single_pack", 1))
    error = env.call("prepare_order", {"voucher_id": "v"})["error"]
    assert isinstance(error, dict) and error["reason"] == "nothing_eligible"
    assert refused(env, "prepare_order", voucher_id="w") == "VOUCHER_NOT_FOUND"


# D19: purchase permission and membership expiry were decorative, and a second membership did not extend the first.


def test_defect_D19_purchase_permission_gates_what_prepares_a_purchase_and_nothing_else() -> None:
    assert {name for name, tool in TOOLS.items() if "PURCHASE" in tool.gates} == {
        "prepare_order",
        "upgrade_membership_request",
    }
    env = sample.environment(
        permissions=sample.permissions(), transactions=[transaction("tx")], order_lines=[line("tx", 1)]
    )
    cart_of(env, (1, "single_pack", 2))
    assert refused(env, "prepare_order") == "PERMISSION_DENIED"
    assert refused(env, "upgrade_membership_request", vip_duration="1_month") == "PERMISSION_DENIED"
    for tool in ("browse_items", "get_cart", "get_wallet", "get_transactions"):
        assert "error" not in env.call(tool, TOOLS[tool].example)
    done(env, "authorize_checkout", "user", transaction_id="tx")
    done(env, "set_purchase_permission", "user", allow=True)
    done(env, "prepare_order")
    done(env, "set_purchase_permission", "user", allow=False)
    assert refused(env, "upgrade_membership_request", vip_duration="1_month") == "PERMISSION_DENIED"


def test_defect_D19_no_permission_record_is_no_permission() -> None:
    env = sample.environment(permissions=[])
    assert refused(env, "upgrade_membership_request", vip_duration="1_month") == "PERMISSION_DENIED"
    permissions: Any = env.call("get_system_settings")["permissions"]
    assert permissions == dict.fromkeys(
        ["allow_raw_data_access", "allow_user_notes_access", "allow_purchase", "allow_med_assistant"], False
    )


@pytest.mark.parametrize(
    ("expires_on", "member"), [("2025-06-11", True), ("2025-06-10", True), ("2025-06-09", False), (None, False)]
)
def test_defect_D19_membership_is_valid_through_its_last_day(expires_on: str | None, member: bool) -> None:
    env = sample.environment(
        membership=sample.member_until(expires_on),
        vouchers=[voucher("v", members_only=True)],
        wallet=sample.wallet(5000),
    )
    wallet = env.call("get_wallet")
    assert (wallet["vip"], wallet["vip_expiry"]) == (member, expires_on)
    # 30 % off 2.30 for members only.
    added = env.call("add_to_cart", {"product_id": product_id(3), "size": "single_pack", "quantity": 1})
    assert added["unit_price"] == (1.61 if member else 2.3)
    assert code_of(env.call("prepare_order", {"voucher_id": "v"})) == ("" if member else "VOUCHER_NOT_USABLE")


@pytest.mark.parametrize(
    ("expires_on", "duration", "extended"),
    [
        (None, "1_month", "2025-07-10"),
        ("2025-01-01", "1_month", "2025-07-10"),
        ("2025-06-09", "3_months", "2025-09-08"),
        ("2025-06-10", "1_month", "2025-07-10"),
        ("2025-06-20", "1_month", "2025-07-20"),
        ("2025-06-20", "1_year", "2026-06-20"),
    ],
)
def test_defect_D19_membership_extends_from_the_later_of_today_and_its_end(
    expires_on: str | None, duration: str, extended: str
) -> None:
    env = sample.environment(membership=sample.member_until(expires_on), wallet=sample.wallet(15_000))
    request = done(env, "upgrade_membership_request", vip_duration=duration)
    assert env.call("get_wallet")["vip_expiry"] == expires_on  # nothing before it is paid
    paid = done(env, "authorize_checkout", "user", transaction_id=request["transaction_id"])
    assert paid["paid"] == request["final_total"] == {"1_month": 20, "3_months": 50, "1_year": 150}[duration]
    wallet = env.call("get_wallet")
    assert (wallet["vip"], wallet["vip_expiry"]) == (True, extended)


def test_defect_D19_a_second_membership_adds_to_the_first() -> None:
    env = sample.environment(wallet=sample.wallet(4000), membership=[])
    for expected in ("2025-07-10", "2025-08-09"):
        request = done(env, "upgrade_membership_request", vip_duration="1_month")
        done(env, "authorize_checkout", "user", transaction_id=request["transaction_id"])
        assert env.call("get_wallet")["vip_expiry"] == expected
    assert env.call("get_wallet")["balance"] == 0


def test_defect_D19_dates_have_one_format() -> None:
    for wrong in ("2025-6-30", "30.06.2025", "2025-06-30T00:00:00", "20250630", ""):
        with pytest.raises(ValueError, match=r"'membership'.*expires_on"):
            sample.environment(membership=sample.member_until(wrong))


# D21: slips raised exceptions and ended the conversation. D22: arguments were not validated.

BAD: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    "",
    "x",
    "2025-13-45",
    [],
    {},
    [None],
    {"x": 1},
    math.nan,
    math.inf,
    10**40,
    "\ud800",
]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_defect_D21_bad_arguments_are_answered_not_raised(tool: Tool) -> None:
    # Every gate is open and every tool available, so that the arguments are looked at.
    env = sample.medical(
        permissions=sample.permissions(med_assistant=True, purchase=True, raw_data=True, user_notes=True)
    )
    tool = installed_catalogue().sample(tool)
    if tool.behind:
        sample.unlock(env, tool.behind)
    names = sorted(cast("dict[str, Any]", tool.schema["properties"]))
    tried: list[dict[str, Any]] = [{}, {"x": 1}, *({**tool.example, name: bad} for name in names for bad in BAD)]
    for arguments in tried:
        if tool.confirm:
            with suppress(ValueError):  # what is no JSON cannot be confirmed
                env.confirm(tool.name, arguments)
        before, snapshot = env.state_hash(), env.snapshot()
        code = code_of(env.call(tool.name, arguments, tool.side))
        assert code not in {"INTERNAL_ERROR", "UNKNOWN_TOOL", "TOOL_NOT_AVAILABLE"}, arguments
        if code:
            assert env.state_hash() == before and env.session == snapshot.session
        env.restore(snapshot)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("top_up_wallet", {"amount": math.inf}),
        ("top_up_wallet", {"amount": -math.inf}),
        ("top_up_wallet", {"amount": math.nan}),
        ("top_up_wallet", {"amount": "5"}),
        ("top_up_wallet", {"amount": True}),
        ("top_up_wallet", {"amount": 5, "currency": "EUR"}),
        ("add_to_cart", {"product_id": product_id(1), "size": "single_pack", "quantity": 0}),
        ("add_to_cart", {"product_id": product_id(1), "size": "single_pack", "quantity": "2"}),
        ("add_to_cart", {"product_id": product_id(1), "size": "single_pack", "quantity": 1.5}),
        ("update_profile", {"basic_info": {"age": -1}}),
        ("update_profile", {"basic_info": {"age": 10**20}}),
        ("update_profile", {"basic_info": {"height": 180}}),
        ("update_profile", {"health_risks": "asthma"}),
        ("upgrade_membership_request", {"vip_duration": "2_months"}),
        ("create_session_record", {"start_time": 9, "end_time": "2025-06-10T10:00:00", "session_type": "study"}),
        ("create_meal_record", {"timestamp": "2025-06-10T08:00:00", "items": [{"name": "Milk", "amount": 200}]}),
        ("create_meal_record", {"timestamp": "2025-06-10T08:00:00", "items": "milk"}),
        ("create_daily_reminder", {"title": "Stretch", "time_of_day": "08:00", "repeat_days": ["Funday"]}),
        ("recommend_sports", {"recent_sports_records": [{}], "preference": "cardio", "intensity": "low"}),
        ("recommend_sports", {"recent_sports_records": [], "preference": "chess", "intensity": "low"}),
        ("plot_time_series", {"start_time": "2025-06-10", "granularity": "week", "time_series": [1]}),
        ("plot_time_series", {"start_time": "2025-06-10", "granularity": "day", "time_series": [math.nan]}),
        ("browse_items", {"page": "1"}),
        ("browse_items", {}),
        ("set_purchase_permission", {"allow": "yes"}),
    ],
)
def test_defect_D22_arguments_are_validated_against_the_schema(tool: str, arguments: dict[str, Json]) -> None:
    assert refused(sample.environment(), tool, TOOLS[tool].side, **arguments) == "INVALID_ARGUMENTS"


@pytest.mark.parametrize("amount", [0, -1, 0.001, 1.005, 10_000.01])
def test_defect_D22_a_top_up_is_a_positive_amount_of_whole_cents(amount: float) -> None:
    assert refused(sample.environment(), "top_up_wallet", "user", amount=amount) == "INVALID_AMOUNT"


# D24: stock was not modelled: 9,999 units of a 16-unit product sold.


def stock_of(env: Environment, number: int) -> Json:
    return env.call("inspect_item", {"product_id": product_id(number)})["stock"]


def test_defect_D24_stock_limits_the_cart_and_shrinks_with_a_sale() -> None:
    env = sample.environment(assortment=[{"id": product_id(1), "stock": 16, "delivery": "today"}])

    def add(size: str, quantity: int) -> str:
        return code_of(env.call("add_to_cart", {"product_id": product_id(1), "size": size, "quantity": quantity}))

    assert add("single_pack", 9999) == "OUT_OF_STOCK"
    assert add("pack_5", 4) == "OUT_OF_STOCK"
    assert add("pack_5", 3) == ""
    assert add("single_pack", 2) == "OUT_OF_STOCK"
    assert add("single_pack", 1) == ""
    assert stock_of(env, 1) == 16
    order = done(env, "prepare_order")
    assert stock_of(env, 1) == 16  # what is only prepared is not sold
    done(env, "authorize_checkout", "user", transaction_id=order["transaction_id"])
    assert stock_of(env, 1) == 0
    assert add("single_pack", 1) == "OUT_OF_STOCK"


def test_defect_D24_stock_is_checked_again_at_checkout() -> None:
    env = sample.environment(assortment=[{"id": product_id(1), "stock": 7, "delivery": "today"}])
    first, second = buy(env, (1, "pack_5", 1)), buy(env, (1, "single_pack", 3))
    done(env, "authorize_checkout", "user", transaction_id=first)
    assert refused(env, "authorize_checkout", "user", transaction_id=second) == "OUT_OF_STOCK"
    assert stock_of(env, 1) == 2


def test_defect_D24_delivery_is_shown() -> None:
    env = sample.environment(assortment=[{"id": product_id(1), "stock": 1, "delivery": "3_days"}])
    assert env.call("inspect_item", {"product_id": product_id(1)})["delivery"] == "3_days"


# D26: outputs were fabricated, some as a function of the date.


def test_defect_D26_results_show_what_the_records_say_whatever_the_day() -> None:
    june, march = sample.environment(), sample.environment("2025-03-29T08:00:00")
    product = sample.WORLD.tables["products"][3]
    detail: Any = june.call("inspect_item", {"product_id": product["id"]})
    assert detail == march.call("inspect_item", {"product_id": product["id"]})
    for name in ("name", "brand", "category", "health_tags", "allergens", "attributes", "discount_percent"):
        assert detail[name] == product[name]
    assert detail["packaging"] == {
        "measure": "g",
        "weight": 40,
        "nutrition": {
            "calories": 160.5,
            "sugar_g": 5.2,
            "protein_g": 4,
            "fat_g": 0.9,
            "fiber_g": 2.1,
            "sodium_mg": 90,
        },
    }
    assert [(o["size"], o["units"], o["price"]) for o in detail["purchase_options"]] == [
        ("single_pack", 1, 2.4),
        ("pack_5", 5, 9.65),
    ]
    for tool in ("get_user_profile", "get_system_settings", "get_cart", "get_transactions", "get_wallet"):
        assert june.call(tool) == march.call(tool)


# D30: a brand stood in the name only, and its voucher could never be used.


def test_defect_D30_brand_is_a_field_and_decides_what_a_voucher_is_good_for() -> None:
    env = sample.environment(vouchers=[voucher("v", brand=BRANDS[1], min_spend_cents=400)])
    items: Any = env.call("browse_items", {"page": 1})["items"]
    assert all(item["brand"] in BRANDS and item["brand"] not in item["name"] for item in items)
    # Products 1 and 4 are of the brand, product 2 is not.
    cart_of(env, (1, "single_pack", 1), (4, "single_pack", 1), (2, "single_pack", 3))
    order = done(env, "prepare_order", voucher_id="v")
    assert order["saving"] == 0.45  # 10 % of 2.10 + 2.40
    assert order["final_total"] == round(2.10 + 2.40 + 3 * 1.76 - 0.45, 2)
