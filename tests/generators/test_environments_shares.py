"""Environments are as mixed as their odds say: counts over many users against the stated shares."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from generators.environments import odds
from services.account.service import PERMISSIONS
from services.shopping.records import SIZES
from services.sources.platforms import DEVICES
from tests.effort import amount
from tests.environments import Rows, environment, first, world

COUNT = amount(100, 300)
SAMPLE = tuple(range(COUNT))


def rows(index: int, table: str) -> Rows:
    return environment(index).tables[table]


def share(percent: int, hits: int, of: int) -> bool:
    """Whether `hits` of `of` lie within four standard deviations of a stated chance."""
    p = percent / 100
    return abs(hits - of * p) <= 4 * (of * p * (1 - p)) ** 0.5 + 1


def test_permissions_and_sources_are_mixed_as_stated() -> None:
    assert set(odds.PERMISSION_GIVEN) == set(PERMISSIONS)
    for key, percent in odds.PERMISSION_GIVEN.items():
        assert share(percent, sum(first(rows(i, "permissions"), id=key)["allowed"] for i in SAMPLE), COUNT)
    sources = [row for i in SAMPLE for row in rows(i, "sources")]
    assert share(odds.SOURCE_CONNECTED, sum(row["connected"] for row in sources), len(sources))
    assert {len(rows(i, "sources")) for i in SAMPLE} == {1, 2, 3, 4}
    for index in SAMPLE:
        kinds = [(row["source"], row["type"]) for row in rows(index, "devices")]
        assert {source for source, _ in kinds} == {row["id"] for row in rows(index, "sources")}
        assert all(kind in DEVICES[source] for source, kind in kinds)


def test_memberships_are_mixed_as_stated() -> None:
    seen: Counter[str] = Counter()
    for index in SAMPLE:
        end, today = rows(index, "membership")[0]["expires_on"], environment(index).now[:10]
        seen["none" if end is None else "valid" if end > today else "last_day" if end == today else "expired"] += 1
    assert all(share(weight, seen[status], COUNT) for status, weight in odds.MEMBERSHIPS)


def test_balances_are_mixed_as_stated() -> None:
    balances = [rows(i, "wallet")[0]["balance_cents"] for i in SAMPLE]
    for (low, high), weight in odds.BALANCES:
        assert share(weight, sum(low <= balance <= high for balance in balances), COUNT)


def test_orders_and_carts_are_mixed_as_stated() -> None:
    past = [[r for r in rows(i, "transactions") if r["kind"] == "order" and r["status"] != "pending"] for i in SAMPLE]
    pending = [
        [r for r in rows(i, "transactions") if r["kind"] == "order" and r["status"] == "pending"] for i in SAMPLE
    ]
    assert {len(p) for p in past} == set(range(odds.ORDERS[0], odds.ORDERS[1] + 1))
    assert {len(p) for p in pending} == {0, 1, 2}
    assert share(odds.PENDING[0][1], sum(not p for p in pending), COUNT)
    cancelled, made = sum(r["status"] == "cancelled" for p in past for r in p), sum(map(len, past))
    assert 0.07 < cancelled / made < 0.11
    assert share(odds.CART_STRAY, sum(bool(rows(i, "cart")) for i in SAMPLE), COUNT)
    assert {len(rows(i, "cart")) for i in SAMPLE} == {0, 1, 2, 3, 4}
    lines = Counter(r["transaction_id"] for i in SAMPLE for r in rows(i, "order_lines"))
    assert set(lines.values()) == {1, 2, 3, 4, 5}


def test_stock_and_delivery_are_mixed_as_stated() -> None:
    store = [row for i in SAMPLE for row in rows(i, "assortment")]
    assert share(odds.STOCK_LOW, sum(row["stock"] <= odds.STOCK_LOW_UNITS[1] for row in store), len(store))
    assert {row["stock"] for row in store} >= {0, 1, 6, 8, 200}
    for delivery, weight in odds.DELIVERIES:
        assert share(weight, sum(row["delivery"] == delivery for row in store), len(store))


def test_wallets_hold_every_kind_of_voucher() -> None:
    brands = {str(row["id"]): str(row["brand"]) for row in world().tables["products"]}
    seen: Counter[str] = Counter()
    for index in SAMPLE:
        today, found = environment(index).now[:10], rows(index, "vouchers")
        carried = {brands[row["id"]] for row in rows(index, "assortment")}
        assert odds.VOUCHERS[0] <= len(found) <= odds.VOUCHERS[1]
        for row in found:
            kinds = {
                "used": row["used_in"] is not None,
                "expired": row["used_in"] is None and row["expires_on"] < today,
                "last_day": row["used_in"] is None and row["expires_on"] == today,
                "members_only": row["used_in"] is None and row["members_only"],
                "brand_left_out": row["used_in"] is None and row["brand"] not in {None, *carried},
                "high_min_spend": row["min_spend_cents"] >= 8_000,
            }
            seen.update(name for name, so in kinds.items() if so)
            seen["usable"] += not any(kinds.values())
    assert set(seen) == {*odds.VOUCHER_FORMS, "used"}
    assert min(seen.values()) >= COUNT // 10
    assert seen["usable"] > COUNT


def test_what_was_paid_then_often_differs_from_the_price_of_now() -> None:
    products = {str(row["id"]): row for row in world().tables["products"]}
    shares: Counter[bool] = Counter()
    for index in SAMPLE:
        carried = {row["id"] for row in rows(index, "assortment")}
        for row in rows(index, "order_lines"):
            product = products[row["product_id"]]
            key = "single_cents" if SIZES[row["size"]] == 1 else "pack_cents"
            list_price = int(product[key])  # type: ignore[call-overload, arg-type]
            assert row["unit_price_cents"] <= list_price * 1.05
            shares[row["product_id"] in carried] += 1
    assert 0.05 < shares[False] / shares.total() < 0.25


def test_now_is_spread_over_days_hours_and_minutes() -> None:
    moments = [environment(i).now for i in SAMPLE]
    assert {now[:4] for now in moments} == {"2025", "2026"}
    assert {int(now[11:13]) for now in moments} == set(range(8, 22))
    assert {int(now[14:16]) for now in moments} == set(range(0, 60, 5))
    assert all(now.endswith(":00") for now in moments)
    days = sorted(now[:10] for now in moments)
    assert sum(a != b for a, b in pairwise(days)) > COUNT // 2
