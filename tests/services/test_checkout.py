"""Paying: re-pricing, totals, age and replay of approvals, and what a checkout changes."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.goal import Pred
from services.runtime.algebra import NO_ROW, Scope, compile_pred
from services.runtime.environment import Environment
from tests.services import sample
from tests.services.sample import buy, code_of, done, line, product_id, refused, transaction, voucher


def holds(env: Environment, pred: Pred) -> bool:
    return compile_pred(pred)(NO_ROW, Scope(env.state_, env.now, {}))


def broken(env: Environment) -> list[str]:
    """Names of the invariants that do not hold."""
    return [name for name, invariant in env.catalogue.invariants.items() if not holds(env, invariant.holds)]


def join_club(env: Environment) -> None:
    request = done(env, "upgrade_membership_request", vip_duration="1_month")
    done(env, "authorize_checkout", "user", transaction_id=request["transaction_id"])


def order_of(env: Environment, key: str) -> dict[str, Any]:
    listed: Any = env.call("get_transactions")["transactions"]
    return next(shown for shown in listed if shown["transaction_id"] == key)


def test_a_checkout_changes_exactly_what_it_says() -> None:
    env = sample.environment(vouchers=[voucher("v")])
    order = buy(env, (1, "pack_5", 1), (2, "single_pack", 2), voucher_id="v")
    before = env.snapshot()
    assert done(env, "authorize_checkout", "user", transaction_id=order) == {
        "transaction_id": order,
        "status": "completed",
        "paid": 10.77,
        "balance": 89.23,
    }
    changed: Any = env.diff(before)
    (entry,) = changed.pop("ledger").values()
    assert entry[0] is None
    assert {k: v for k, v in entry[1].items() if k != "id"} == {
        "kind": "payment",
        "amount_cents": -1077,
        "transaction_id": order,
        "at": "2025-06-10T12:00:04",
    }
    assert {table: sorted(rows) for table, rows in changed.items()} == {
        "assortment": [product_id(1), product_id(2)],
        "transactions": [order],
        "vouchers": ["v"],
        "wallet": ["wallet"],
    }
    stock = [pair[1]["stock"] for pair in changed["assortment"].values()]
    assert stock == [35, 38]
    assert changed["vouchers"]["v"][1]["used_in"] == order
    assert changed["transactions"][order][1]["settled_at"] == "2025-06-10T12:00:04"
    assert broken(env) == []


def test_joining_re_prices_pending_orders() -> None:
    env = sample.environment()
    order = buy(env, (3, "single_pack", 2), (2, "single_pack", 1))
    assert order_of(env, order)["final_total"] == 6.36
    join_club(env)
    shown = order_of(env, order)
    assert shown["final_total"] == 4.98
    assert [item["unit_price"] for item in shown["items"]] == [1.76, 1.61]
    assert broken(env) == []
    assert done(env, "authorize_checkout", "user", transaction_id=order)["paid"] == 4.98


def test_joining_keeps_the_saving_of_a_voucher_in_step() -> None:
    env = sample.environment(vouchers=[voucher("v", percent_off=50)])
    order = buy(env, (3, "single_pack", 1), voucher_id="v")
    assert order_of(env, order)["final_total"] == 1.15
    join_club(env)
    shown = order_of(env, order)
    assert (shown["subtotal"], shown["saving"], shown["final_total"]) == (1.61, 0.81, 0.8)
    assert broken(env) == []


@pytest.mark.parametrize(
    ("fields", "reason"), [({"min_spend_cents": 200}, "min_amount_not_met"), ({"brand": sample.BRANDS[0]}, "used")]
)
def test_an_order_whose_voucher_fails_does_not_stop_a_membership(fields: dict[str, Any], reason: str) -> None:
    # Cheaper as a member, the order falls below the voucher's least spend; or another order used the voucher up.
    env = sample.environment(vouchers=[voucher("v", **fields)])
    order = buy(env, (3, "single_pack", 1), voucher_id="v")
    if reason == "used":
        done(env, "authorize_checkout", "user", transaction_id=buy(env, (3, "single_pack", 1), voucher_id="v"))
    before = order_of(env, order)
    join_club(env)
    assert env.call("get_wallet")["vip"] is True
    assert order_of(env, order) == before
    error = env.call("authorize_checkout", {"transaction_id": order}, "user")["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["reason"]) == ("VOUCHER_NOT_USABLE", reason)
    assert broken(env) == []


def test_joining_does_not_touch_settled_orders_or_other_requests() -> None:
    env = sample.environment()
    paid = buy(env, (3, "single_pack", 1))
    done(env, "authorize_checkout", "user", transaction_id=paid)
    other = str(done(env, "upgrade_membership_request", vip_duration="1_year")["transaction_id"])
    before = order_of(env, paid), order_of(env, other)
    join_club(env)
    assert (order_of(env, paid), order_of(env, other)) == before


def test_a_price_that_changed_since_preparation_is_not_paid() -> None:
    # Prepared as a member at 1.61; the membership ended yesterday.
    env = sample.environment(
        membership=sample.member_until("2025-06-09"),
        transactions=[transaction("tx", subtotal_cents=161, total_cents=161)],
        order_lines=[line("tx", 3, unit_price_cents=161)],
    )
    assert refused(env, "authorize_checkout", "user", transaction_id="tx") == "TOTAL_CHANGED"


@pytest.mark.parametrize(
    ("created_at", "code"),
    [
        ("2025-06-10T12:00:00", ""),
        ("2025-06-09T12:00:01", ""),
        ("2025-06-09T12:00:00", ""),
        ("2025-06-09T11:59:59", "TRANSACTION_EXPIRED"),
        ("2024-06-10T12:00:00", "TRANSACTION_EXPIRED"),
    ],
)
def test_a_transaction_expires_after_24_hours(created_at: str, code: str) -> None:
    env = sample.environment(transactions=[transaction("tx", created_at=created_at)], order_lines=[line("tx", 1)])
    # The clock is frozen: earlier writes of the conversation decide nothing.
    for _ in range(3):
        done(env, "top_up_wallet", "user", amount=1)
    assert code_of(env.call("authorize_checkout", {"transaction_id": "tx"}, "user")) == code


@pytest.mark.parametrize(
    ("tables", "code"),
    [
        ({"transactions": [transaction("tx", created_at="2025-06-01T12:00:00")]}, "TRANSACTION_EXPIRED"),
        ({"assortment": []}, "OUT_OF_STOCK"),
        ({"order_lines": [line("tx", 2)]}, "TOTAL_CHANGED"),
        ({}, "INSUFFICIENT_BALANCE"),
    ],
)
def test_nobody_tops_up_for_what_cannot_be_bought(tables: dict[str, Any], code: str) -> None:
    usual = {"transactions": [transaction("tx")], "order_lines": [line("tx", 1)], "wallet": sample.wallet(0)}
    env = sample.environment(sample.NOW, **{**usual, **tables})
    assert refused(env, "authorize_checkout", "user", transaction_id="tx") == code


def test_an_approval_cannot_be_replayed() -> None:
    env = sample.environment()
    order = buy(env, (1, "single_pack", 1))
    done(env, "authorize_checkout", "user", transaction_id=order)
    assert refused(env, "authorize_checkout", "user", transaction_id=order) == "TRANSACTION_NOT_PENDING"
    assert env.call("get_wallet")["balance"] == 97.9


def test_a_replay_with_an_empty_wallet_says_that_it_is_paid() -> None:
    env = sample.environment(wallet=sample.wallet(210))
    order = buy(env, (1, "single_pack", 1))
    done(env, "authorize_checkout", "user", transaction_id=order)
    assert refused(env, "authorize_checkout", "user", transaction_id=order) == "TRANSACTION_NOT_PENDING"


def test_the_assistant_cannot_approve() -> None:
    env = sample.environment()
    assert refused(env, "authorize_checkout", transaction_id=buy(env, (1, "single_pack", 1))) == "WRONG_SIDE"


def test_the_exact_amount_is_enough_and_one_cent_less_is_not() -> None:
    for cents, code in ((210, ""), (209, "INSUFFICIENT_BALANCE")):
        env = sample.environment(wallet=sample.wallet(cents))
        order = buy(env, (1, "single_pack", 1))
        assert code_of(env.call("authorize_checkout", {"transaction_id": order}, "user")) == code


@pytest.mark.parametrize(
    ("amount", "balance"), [(12.5, 112.5), (1, 101), (0.01, 100.01), (29.3, 129.3), (10_000, 10_100), (2.0, 102)]
)
def test_top_ups_are_exact(amount: float, balance: float) -> None:
    env = sample.environment()
    assert done(env, "top_up_wallet", "user", amount=amount) == {"added": amount, "balance": balance}
    assert broken(env) == []


def test_rounding_is_half_up_per_pack_and_once_per_order() -> None:
    # 20 % off 2.20 is 1.76; 10 % of 1.76 is 0.176; three packs save 0.528, not three times 0.18.
    env = sample.environment(vouchers=[voucher("v")])
    order = buy(env, (2, "single_pack", 1), (2, "single_pack", 2), voucher_id="v")
    assert order_of(env, order)["saving"] == 0.53


@pytest.mark.parametrize(("least", "code"), [(176, ""), (177, "VOUCHER_NOT_USABLE")])
def test_the_least_spend_counts_what_is_paid(least: int, code: str) -> None:
    env = sample.environment(vouchers=[voucher("v", min_spend_cents=least)])
    done(env, "add_to_cart", product_id=product_id(2), size="single_pack", quantity=1)
    assert code_of(env.call("prepare_order", {"voucher_id": "v"})) == code


def test_transactions_are_listed_oldest_first_with_what_their_kind_adds() -> None:
    env = sample.environment(
        transactions=[transaction("tx_b"), transaction("tx_a", created_at="2025-06-10T11:30:00")],
        order_lines=[line("tx_b", 1), line("tx_a", 1)],
    )
    done(env, "upgrade_membership_request", vip_duration="3_months")
    listed: Any = env.call("get_transactions")["transactions"]
    assert [shown["transaction_id"] for shown in listed[:2]] == ["tx_b", "tx_a"]
    assert [shown["type"] for shown in listed] == ["order", "order", "vip_membership"]
    assert listed[2]["vip_duration"] == "3_months" and "items" not in listed[2]
    assert listed[0]["items"][0]["product_id"] == product_id(1) and "vip_duration" not in listed[0]


def test_broken_references_are_defects_not_refusals(caplog: pytest.LogCaptureFixture) -> None:
    env = sample.environment(transactions=[transaction("tx")], order_lines=[line("tx", 99)])
    assert code_of(env.call("get_transactions")) == "INTERNAL_ERROR"
    assert "the world has no product" in caplog.text
