"""Declared invariants of environments: each one is broken by a record, and both engines say so."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from schemas.environment import EnvironmentRecord
from services.runtime.algebra import NO_ROW, Scope, compile_pred
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, load_world
from services.runtime.state import State
from tests.environments import Tables, changed, context, environment, failed, first, world
from tests.validators import broken_lives
from tests.validators.broken_lives import lived
from validators.environments import check_environment, state_checks


def swap_payments(t: Tables) -> None:
    """Exchange the transactions of two payments of different amounts: sums and counts stay."""
    paid = [row for row in t["ledger"] if row["kind"] == "payment"]
    other = next(row for row in paid if row["amount_cents"] != paid[0]["amount_cents"])
    paid[0]["transaction_id"], other["transaction_id"] = other["transaction_id"], paid[0]["transaction_id"]


def pay_twice(t: Tables) -> None:
    """Pay one transaction in two halves instead of at once."""
    entry = next(row for row in t["ledger"] if row["kind"] == "payment" and row["amount_cents"] < -1)
    t["ledger"].append({**entry, "id": "le_zzzzzzzzzz", "amount_cents": -1})
    entry["amount_cents"] += 1


def overfill(t: Tables) -> None:
    item = t["assortment"][0]
    line = {"id": "cart_0000000000", "product_id": item["id"], "size": "pack_5", "quantity": 1 + item["stock"] // 5}
    t["cart"][:] = [{**line, "added_at": "2024-01-01T00:00:00"}]


def lonely_category(t: Tables) -> None:
    products = {str(row["id"]): str(row["category"]) for row in world().tables["products"]}
    one = products[t["assortment"][0]["id"]]
    rest = [row for row in t["assortment"] if products[row["id"]] != one]
    t["assortment"][:] = [t["assortment"][0], *rest]


def foreign_device(t: Tables) -> None:
    day = next(row for row in t["source_days"] if row["source"])
    day["device"] = next(row["id"] for row in t["devices"] if row["source"] != day["source"])


def unpaid(t: Tables) -> dict[str, Any]:
    return next(row for row in t["transactions"] if row["status"] == "cancelled")


INVARIANTS: dict[str, tuple[str, Callable[[Tables], object]]] = {
    "a higher balance": (
        "balance_is_ledger",
        lambda t: t["wallet"][0].update(balance_cents=t["wallet"][0]["balance_cents"] + 1),
    ),
    "a debt": (
        "balance_not_negative",
        lambda t: t["wallet"][0].update(
            balance_cents=-1, opening_cents=t["wallet"][0]["opening_cents"] - t["wallet"][0]["balance_cents"] - 1
        ),
    ),
    "two wallets": ("one_wallet", lambda t: t["wallet"].append({**t["wallet"][0], "id": "wallet_2"})),
    "payments exchanged": ("paid_once", swap_payments),
    "a payment in two": ("paid_once", pay_twice),
    "an order paid for nothing": (
        "paid_once",
        lambda t: unpaid(t).update(status="completed", settled_at=unpaid(t)["created_at"]),
    ),
    "a top-up of nothing": ("ledger_signs", lambda t: first(t["ledger"], kind="top_up").update(amount_cents=0)),
    "a payment that gives": ("ledger_signs", lambda t: first(t["ledger"], kind="payment").update(amount_cents=5)),
    "a completed order never settled": (
        "settled_when_completed",
        lambda t: first(t["transactions"], status="completed").update(settled_at=None),
    ),
    "a cancelled order settled": (
        "settled_when_completed",
        lambda t: unpaid(t).update(settled_at=unpaid(t)["created_at"]),
    ),
    "settled before it was made": (
        "settled_when_completed",
        lambda t: first(t["transactions"], status="completed").update(settled_at="2024-01-01T00:00:00"),
    ),
    "a total of its own": ("total_is_subtotal_less_saving", lambda t: unpaid(t).update(total_cents=1)),
    "a saving without voucher": (
        "total_is_subtotal_less_saving",
        lambda t: unpaid(t).update(saving_cents=1, total_cents=unpaid(t)["subtotal_cents"] - 1),
    ),
    "a voucher used by nobody": (
        "voucher_used_once",
        lambda t: first(t["vouchers"], used_in=None).update(used_in=first(t["transactions"], voucher_id=None)["id"]),
    ),
    "a voucher still there": (
        "voucher_used_once",
        lambda t: next(row for row in t["vouchers"] if row["used_in"]).update(used_in=None),
    ),
    "a voucher for more than all": ("voucher_terms", lambda t: t["vouchers"][0].update(percent_off=101)),
    "a membership without term": ("membership_has_term", lambda t: t["membership_terms"].pop()),
    "an order with a term": (
        "membership_has_term",
        lambda t: t["membership_terms"][0].update(transaction_id=first(t["transactions"], kind="order")["id"]),
    ),
    "less than no stock": ("stock_not_negative", lambda t: t["assortment"][0].update(stock=-1)),
    "another subtotal": (
        "subtotal_is_lines",
        lambda t: unpaid(t).update(subtotal_cents=1, total_cents=1),
    ),
    "an order without lines": (
        "subtotal_is_lines",
        lambda t: t["order_lines"].__setitem__(
            slice(None), [row for row in t["order_lines"] if row["transaction_id"] != unpaid(t)["id"]]
        ),
    ),
    "a day of no source with a device": (
        "device_of_source",
        lambda t: first(t["source_days"], source=None).update(device=t["devices"][0]["id"]),
    ),
    "a day of another source's device": ("device_of_source", foreign_device),
    "a recorded day without a record": ("recorded_days_have_records", lambda t: t["wearable_days"].pop(0)),
    "a record of a day that was not recorded": (
        "recorded_days_have_records",
        lambda t: first(t["source_days"], id=t["wearable_days"][0]["id"]).update(source=None, device=None),
    ),
    "a minute more in a zone": (
        "zones_are_worn_minutes",
        lambda t: t["wearable_days"][0].update(zone_peak=t["wearable_days"][0]["zone_peak"] + 1),
    ),
    "more worn minutes than minutes": (
        "zones_are_worn_minutes",
        lambda t: t["wearable_days"][0].update(
            zone_peak=t["wearable_days"][0]["zone_peak"] + 1441, worn=t["wearable_days"][0]["worn"] + 1441
        ),
    ),
    "too many active minutes": (
        "active_zone_minutes_are_minutes",
        lambda t: t["wearable_days"][0].update(azm=1441),
    ),
    "a day too long": ("active_zone_minutes_are_minutes", lambda t: t["wearable_days"][0].update(minutes=1441)),
    "a workout without time": (
        "workouts_last",
        lambda t: t["workouts"][0].update(end=t["workouts"][0]["start"]),
    ),
    "a line of nothing": ("lines_positive", lambda t: t["order_lines"][0].update(quantity=0)),
    "a line given away": ("lines_positive", lambda t: t["order_lines"][0].update(unit_price_cents=0)),
}
SEEDING: dict[str, tuple[str, Callable[[Tables], object]]] = {
    "too small a store": ("assortment_size", lambda t: t["assortment"].__delitem__(slice(44, None))),
    "too large a store": (
        "assortment_size",
        lambda t: t["assortment"].__setitem__(
            slice(None), [{"id": row["id"], "stock": 9, "delivery": "today"} for row in world().tables["products"][:76]]
        ),
    ),
    "no choice in a category": ("category_choice", lonely_category),
    "a cart beyond the stock": ("cart_within_stock", overfill),
}


def rich() -> EnvironmentRecord:
    """An environment that has every kind of record."""

    def has_all(record: EnvironmentRecord) -> bool:
        states = {str(row["status"]) for row in record.tables["transactions"]}
        used = any(row["used_in"] for row in record.tables["vouchers"])
        lived = len(record.tables["sources"]) > 1 and record.tables["workouts"]
        some_missing = any(row["source"] is None for row in record.tables["source_days"])
        return (
            bool(lived) and some_missing and used and "cancelled" in states and bool(record.tables["membership_terms"])
        )

    return next(environment(i) for i in range(60) if has_all(environment(i)))


ALL = {name: (rich, *case) for name, case in INVARIANTS.items()} | {
    name: (lived, *case) for name, case in broken_lives.INVARIANTS.items()
}
"""Name -> start, invariant and change."""


@pytest.mark.parametrize("name", ALL)
def test_invariants_catch(name: str) -> None:
    start, invariant, change = ALL[name]
    assert f"({invariant})" in failed(changed(start(), change))["environment.invariants"]


@pytest.mark.parametrize("name", SEEDING)
def test_seeding_catches(name: str) -> None:
    asked, change = SEEDING[name]
    broken = changed(rich(), change)
    assert f"({asked})" in failed(broken)["environment.seeding"]
    assert "environment.seeding" not in {v.check for v in check_environment(broken, context(), state_checks())}


@pytest.mark.parametrize("name", ALL)
def test_both_engines_find_the_same_invariants_broken(name: str) -> None:
    start, _, change = ALL[name]
    record = changed(start(), change)
    reason = failed(record).get("environment.invariants", "")
    scope = Scope(State(base_of(record, load_world(world()))), record.now, {})
    direct = [n for n, one in installed_catalogue().invariants.items() if not compile_pred(one.holds)(NO_ROW, scope)]
    assert direct
    assert sorted(direct)[:3] == re.findall(r"\((\w+)\)(?:;|$| and)", reason)


def test_every_declared_invariant_is_broken_here() -> None:
    assert {name for _, name, _ in ALL.values()} == set(installed_catalogue().invariants)
    declared = {one.name for service in installed_catalogue().services.values() for one in service.seeding}
    assert {name for name, _ in SEEDING.values()} == declared
