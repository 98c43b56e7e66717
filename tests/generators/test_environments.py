"""Environments: complete, consistent, the same on every way to them, and as varied as stated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta

import pytest

from generators.environments import build_environment, odds
from generators.environments.account import SEEDER as ACCOUNT
from generators.environments.moments import DAY, draw_waking, iso_time, moment, unused
from generators.environments.payments import SEEDER as PAYMENTS
from generators.environments.seeder import Ids, SeedContext, Seeder, in_order, installed_seeders
from generators.worlds import make_world
from language.matching import find
from schemas.base import canonical, digest
from schemas.environment import EnvironmentRecord
from schemas.world import Product, build_world
from services import open_environment
from services.payments.checkout import MEMBERSHIP_DAYS
from services.runtime.catalogue import installed_catalogue
from services.runtime.records import Record
from services.runtime.streams import Stream
from services.shopping.invariants import ASSORTMENT_SIZE, CATEGORY_LEAST
from tests.effort import amount
from tests.environments import SEED, Rows, environment, person, world
from tests.nonempty import nonempty
from tests.scan import ROOT

COUNT = amount(100, 300)
SAMPLE = tuple(range(COUNT))


def by_id(rows: Rows) -> dict[str, dict[str, object]]:
    return {row["id"]: row for row in rows}


def rows(index: int, table: str) -> Rows:
    return environment(index).tables[table]


# --- one way to make them ----------------------------------------------------------------------------------------


def test_an_environment_depends_on_seed_profile_and_world_alone() -> None:
    again = build_environment(SEED, person(5), world())
    assert canonical(again) == canonical(environment(5))
    other = build_environment(SEED + 1, person(5), world())
    assert other.seed != again.seed
    assert other.tables != again.tables


def test_environments_are_the_same_under_every_hash_seed() -> None:
    program = (
        "from tests.environments import environment\nfrom schemas.base import digest\n"
        "print(digest([environment(i).model_dump() for i in (0, 3, 8)]))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "77")
    }
    assert seen == {digest([environment(i).model_dump() for i in (0, 3, 8)])}


def test_an_environment_opens_and_answers() -> None:
    env = open_environment(environment(0), world())
    assert len(env.call("browse_items", {"page": 1})["items"]) == 15  # type: ignore[arg-type]
    row = {**environment(1).model_dump(exclude={"tables"}), "tables_json": json.dumps(environment(1).tables)}
    assert open_environment(row, world()).state_hash() == environment(1).state_hash


def test_every_declared_table_is_there_and_every_required_one_is_filled() -> None:
    for index in SAMPLE:
        tables = environment(index).tables
        assert set(tables) == set(installed_catalogue().tables)
        always = ("profile", "permissions", "sources", "devices", "wallet", "ledger", "membership", "vouchers")
        assert all(tables[name] for name in (*always, "transactions", "order_lines", "assortment"))


def test_a_world_too_small_for_a_store_is_refused() -> None:
    few = build_world([Product.model_validate(row) for row in world().tables["products"][:44]])
    with pytest.raises(ValueError, match=r"a store needs 45 products in categories of 3 or more; there are"):
        build_environment(SEED, person(0), few)


def test_a_small_world_has_small_stores_with_a_choice() -> None:
    small = make_world(SEED, 60)
    products = {str(row["id"]): row for row in small.tables["products"]}
    for index in range(12):
        store = build_environment(SEED, person(index), small).tables["assortment"]
        sizes = Counter(str(products[str(row["id"])]["category"]) for row in store)
        assert ASSORTMENT_SIZE[0] <= len(store) <= len(products)
        assert min(sizes.values()) >= CATEGORY_LEAST


# --- seeders -----------------------------------------------------------------------------------------------------


def test_seeders_run_after_what_they_read_and_else_by_name() -> None:
    late = Seeder("a", ACCOUNT.seed, after=("c",))
    assert [s.name for s in in_order([late, Seeder("c", ACCOUNT.seed), Seeder("b", ACCOUNT.seed)])] == ["b", "c", "a"]
    names = [seeder.name for seeder in installed_seeders()]
    assert set(names) == set(installed_catalogue().services)
    assert names.index("payments") < names.index("shopping")


@pytest.mark.parametrize(
    ("seeders", "message"),
    [
        ([ACCOUNT, ACCOUNT], "two seeders are called 'account'"),
        ([Seeder("a", ACCOUNT.seed, after=("z",))], "follows 'z', which is not installed"),
        ([Seeder("a", ACCOUNT.seed, after=("b",)), Seeder("b", ACCOUNT.seed, after=("a",))], "in a circle: a, b"),
    ],
)
def test_seeders_that_cannot_be_ordered_are_refused(seeders: list[Seeder], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        in_order(seeders)


def test_ids_look_like_those_of_tools_and_are_never_used_twice() -> None:
    used: set[str] = set()
    one, other = (Ids("00", name, {"ledger": "le"}, used) for name in ("a", "b"))
    made = [one.new("ledger"), other.new("ledger"), one.new("ledger")]
    assert len(used) == len(set(made)) == 3
    assert all(key.startswith("le_") and len(key) == 13 and int(key[3:], 16) >= 0 for key in made)
    again = Ids("00", "a", {"ledger": "le"}, used)
    assert again.new("ledger") not in made


def test_ids_do_not_order_like_time_and_tools_make_others() -> None:
    orders = sorted(rows(0, "transactions"), key=lambda row: row["created_at"])
    assert [row["id"] for row in orders] != sorted(row["id"] for row in orders)
    env = open_environment(environment(0), world())
    assert [env.call("top_up_wallet", {"amount": 5}, side="user")["added"] for _ in range(3)] == [5, 5, 5]
    created = [key for key, (before, _) in env.delta()["ledger"].items() if before is None]
    assert len(created) == 3
    assert set(created).isdisjoint(row["id"] for row in rows(0, "ledger"))


def test_payments_need_no_other_service() -> None:
    names = ("transactions", "membership_terms", "ledger", "wallet", "membership", "refunds")
    tables: dict[str, list[Record]] = {name: [] for name in names}
    ids = Ids("00", "payments", dict.fromkeys(tables, "x"), set())
    c = SeedContext(person(0), {}, Stream(3, "alone"), "2025-09-01T10:00:00", "2025-02-01", tables, ids.new)
    for seed in (PAYMENTS.seed, PAYMENTS.close):
        assert seed is not None
        for name, made in seed(c).items():
            tables[name].extend(made)
    assert [record.id for record in tables["wallet"]] == ["wallet"]
    assert [record.id for record in tables["membership"]] == ["membership"]


# --- moments -----------------------------------------------------------------------------------------------------


def test_moments_are_waking_and_inclusive() -> None:
    stream = Stream(1, "moments")
    day = moment("2025-03-08")
    drawn = {draw_waking(stream, day, day + 2 * DAY - 1) for _ in range(500)}
    assert all("06:30:00" <= iso_time(at)[11:] <= "22:30:00" for at in drawn)
    assert {iso_time(at)[:10] for at in drawn} == {"2025-03-08", "2025-03-09"}
    start = moment("2025-03-08T09:00:00")
    assert draw_waking(stream, start, start) == start
    with pytest.raises(ValueError, match="no waking hours"):
        draw_waking(stream, moment("2025-03-08T23:00:00"), moment("2025-03-09T05:00:00"))


def test_a_taken_moment_gives_way() -> None:
    at = moment("2025-03-08T09:00:00")
    taken = {"2025-03-08T09:00:00", "2025-03-08T08:59:59"}
    assert iso_time(unused(at, taken)) == "2025-03-08T08:59:58"
    assert iso_time(unused(at, taken, 1)) == "2025-03-08T09:00:01"


# --- what is in them ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", SAMPLE[::30])
def test_the_profile_record_is_the_profile(index: int) -> None:
    (record,) = rows(index, "profile")
    me = person(index)
    assert record["name"] == f"{me.name.given} {me.name.family}"
    assert (record["age"], record["gender"]) == (me.age, me.gender)
    assert record["dietary_restrictions"] == me.dietary_restrictions
    assert record["goal_calories_intake"] == me.daily_goal.calories_intake
    assert environment(index).user_id == me.user_id


def times(record: EnvironmentRecord) -> list[str]:
    """Times of distinct events: a payment has that of its settlement."""
    made = [row["created_at"] for row in record.tables["transactions"]]
    settled = [row["settled_at"] for row in record.tables["transactions"] if row["settled_at"]]
    topped = [row["at"] for row in record.tables["ledger"] if row["kind"] == "top_up"]
    return [str(t) for t in (*made, *settled, *topped, *(row["added_at"] for row in record.tables["cart"]))]


def test_all_times_are_distinct_and_before_now() -> None:
    for index in SAMPLE:
        record = environment(index)
        found = times(record)
        assert len(found) == len(set(found))
        assert max(found) < record.now
        assert datetime.fromisoformat(record.now) - datetime.fromisoformat(min(found)) <= timedelta(days=274)


def test_orders_are_paid_within_minutes_on_the_same_day() -> None:
    for index in SAMPLE:
        for row in nonempty(row for row in rows(index, "transactions") if row["settled_at"]):
            taken = datetime.fromisoformat(row["settled_at"]) - datetime.fromisoformat(row["created_at"])
            assert timedelta(seconds=60) <= taken <= timedelta(seconds=720)
            assert row["settled_at"][:10] == row["created_at"][:10]


def test_the_balance_was_never_negative() -> None:
    for index in SAMPLE:
        (wallet,) = rows(index, "wallet")
        balance = wallet["opening_cents"]
        assert balance >= 0
        for entry in sorted(nonempty(rows(index, "ledger")), key=lambda row: row["at"]):
            balance += entry["amount_cents"]
            assert balance >= 0
        assert balance == wallet["balance_cents"]


def test_top_ups_are_round_amounts() -> None:
    amounts = [row["amount_cents"] for i in SAMPLE for row in rows(i, "ledger") if row["kind"] == "top_up"]
    assert len(amounts) > COUNT
    assert all(amount > 0 and amount % 500 == 0 for amount in amounts)


def test_a_membership_ends_where_what_was_paid_for_it_ends() -> None:
    renewed = 0
    for index in SAMPLE:
        bought = by_id(rows(index, "transactions"))
        end = None
        paid = [term for term in rows(index, "membership_terms") if bought[term["transaction_id"]]["settled_at"]]
        for term in sorted(paid, key=lambda row: str(bought[row["transaction_id"]]["created_at"])):
            day = str(bought[term["transaction_id"]]["created_at"])[:10]
            renewed += end is not None and day <= end
            start = datetime.fromisoformat(max(day, end or day))
            end = (start + timedelta(days=MEMBERSHIP_DAYS[term["duration"]])).date().isoformat()
        assert rows(index, "membership")[0]["expires_on"] == end
    assert renewed


def test_pending_orders_can_be_paid_at_the_prices_of_now_unless_they_are_old() -> None:
    codes: Counter[str] = Counter()
    for index in SAMPLE:
        env = open_environment(environment(index), world())
        env.call("top_up_wallet", {"amount": 10_000}, side="user")
        for row in rows(index, "transactions"):
            if row["status"] == "pending":
                result = env.call("authorize_checkout", {"transaction_id": row["id"]}, side="user")
                age = datetime.fromisoformat(environment(index).now) - datetime.fromisoformat(row["created_at"])
                expected = "TRANSACTION_EXPIRED" if age >= timedelta(days=1) else ""
                assert result.get("error", {}).get("code", "") == expected  # type: ignore[union-attr]
                codes[expected] += 1
    assert min(codes[""], codes["TRANSACTION_EXPIRED"]) > 10


def test_the_cart_is_younger_than_every_order_and_can_be_ordered() -> None:
    for index in SAMPLE:
        cart = rows(index, "cart")
        if not cart:
            continue
        orders = [row["created_at"] for row in rows(index, "transactions") if row["kind"] == "order"]
        assert min(row["added_at"] for row in cart) > max(orders)
        env = open_environment(environment(index), world())
        env.call("set_purchase_permission", {"allow": True}, side="user")
        assert "error" not in env.call("prepare_order", {})


def test_vouchers_say_what_they_are() -> None:
    brands = tuple({str(row["brand"]) for row in world().tables["products"]})
    for index in SAMPLE:
        for row in nonempty(rows(index, "vouchers")):
            text = row["description"]
            assert [m.value for m in find("percent", text)] == [row["percent_off"]]
            assert [m.value for m in find("money_cents", text)] == (
                [row["min_spend_cents"]] if row["min_spend_cents"] else []
            )
            assert [m.value for m in find("name", text, brands)] == ([row["brand"]] if row["brand"] else [])
            assert ("members only" in text) == row["members_only"]


def test_used_vouchers_fit_the_orders_that_used_them() -> None:
    products = {str(row["id"]): row for row in world().tables["products"]}
    used = 0
    for index in SAMPLE:
        orders = by_id(rows(index, "transactions"))
        for row in rows(index, "vouchers"):
            if row["used_in"] is None:
                continue
            used += 1
            order = orders[row["used_in"]]
            eligible = sum(
                line["quantity"] * line["unit_price_cents"]
                for line in rows(index, "order_lines")
                if line["transaction_id"] == row["used_in"]
                and row["brand"] in (None, products[line["product_id"]]["brand"])
            )
            assert eligible >= max(1, row["min_spend_cents"])
            assert order["saving_cents"] == (2 * eligible * row["percent_off"] + 100) // 200
            assert row["expires_on"] >= str(order["created_at"])[:10]
    assert used > COUNT // 2


def test_stores_offer_a_choice_in_every_category() -> None:
    products = {str(row["id"]): row for row in world().tables["products"]}
    for index in SAMPLE:
        store = rows(index, "assortment")
        assert ASSORTMENT_SIZE[0] <= len(store) <= ASSORTMENT_SIZE[1]
        sizes = Counter(str(products[row["id"]]["category"]) for row in store)
        assert min(sizes.values()) >= 3
        assert max(sizes.values()) <= odds.CATEGORY_MOST
        assert len(sizes) >= 6


def test_regular_lines_suit_the_diet() -> None:
    """A user who avoids an allergen still buys for the household, but less of it than the store has."""
    products = {str(row["id"]): row for row in world().tables["products"]}
    bought, carried = Counter[bool](), Counter[bool]()
    for index in SAMPLE:
        if "nut_free" in person(index).dietary_restrictions:
            bought.update("contains_nuts" in products[r["product_id"]]["allergens"] for r in rows(index, "order_lines"))  # type: ignore[operator]
            carried.update("contains_nuts" in products[r["id"]]["allergens"] for r in rows(index, "assortment"))  # type: ignore[operator]
    assert bought[True] / bought.total() < 0.7 * carried[True] / carried.total()
