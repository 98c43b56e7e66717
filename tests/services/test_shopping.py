"""The store and the cart: pages, prices, lines and what a prepared order takes along."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.goal import Col, Const
from services.payments.checkout import units
from services.payments.expressions import member as member_expression
from services.runtime.algebra import Scope, compile_expr
from services.shopping.expressions import packs, unit_price
from services.shopping.orders import price_now
from services.shopping.records import Product
from tests.services import sample
from tests.services.sample import buy, done, product_id

STATE = sample.environment().state_


def test_pages_show_each_carried_product_once_in_order() -> None:
    env = sample.environment()
    pages: list[Any] = [done(env, "browse_items", page=page) for page in (1, 2)]
    assert [(page["page"], page["total_pages"], len(page["items"])) for page in pages] == [(1, 2, 15), (2, 2, 1)]
    shown = [item["product_id"] for page in pages for item in page["items"]]
    assert shown == [product_id(n) for n in range(1, 17)]
    assert pages[0]["items"][1] == {
        "product_id": product_id(2),
        "name": "Plain Bar 2",
        "category": "biscuit",
        "brand": sample.BRANDS[2],
        "price": 2.2,
        "discount": 0.8,
        "discount_vip_only": False,
    }
    assert [item["discount"] for item in pages[0]["items"][2:4]] == [0.7, 1]


def test_an_empty_store_has_one_empty_page() -> None:
    page = done(sample.environment(assortment=[]), "browse_items", page=1)
    assert page == {"page": 1, "total_pages": 1, "items": []}


def test_an_item_tells_prices_stock_and_discount() -> None:
    detail: Any = done(sample.environment(), "inspect_item", product_id=product_id(3))
    assert detail["purchase_options"] == [
        {"size": "single_pack", "units": 1, "price": 2.3},
        {"size": "pack_5", "units": 5, "price": 9.25},
    ]
    assert (detail["discount_percent"], detail["discount_vip_only"], detail["stock"]) == (30, True, 40)
    assert detail["health_tags"] == ["low_fat"] and detail["allergens"] == ["contains_gluten"]


def test_the_cart_keeps_lines_in_order_and_sums_them() -> None:
    env = sample.environment()
    lines = [
        done(env, "add_to_cart", product_id=product_id(n), size=size, quantity=quantity)
        for n, size, quantity in ((2, "pack_5", 2), (1, "single_pack", 1), (2, "pack_5", 1))
    ]
    cart: Any = done(env, "get_cart")
    assert cart["items"] == lines
    assert [item["line_total"] for item in lines] == [14.16, 2.1, 7.08]
    assert cart["total"] == 23.34
    assert done(env, "remove_from_cart", cart_item_id=lines[0]["cart_item_id"]) == {"removed": lines[0]["cart_item_id"]}
    assert done(env, "get_cart") == {"items": lines[1:], "total": 9.18}


def test_the_cart_shows_prices_of_now() -> None:
    env = sample.environment()
    done(env, "add_to_cart", product_id=product_id(3), size="single_pack", quantity=1)
    request = done(env, "upgrade_membership_request", vip_duration="1_month")
    done(env, "authorize_checkout", "user", transaction_id=request["transaction_id"])
    assert done(env, "get_cart")["total"] == 1.61


def test_adding_and_removing_leaves_no_trace() -> None:
    env = sample.environment()
    added = done(env, "add_to_cart", product_id=product_id(1), size="single_pack", quantity=1)
    done(env, "remove_from_cart", cart_item_id=added["cart_item_id"])
    assert env.delta() == {} and env.state_hash() == sample.environment().state_hash()


def test_preparing_takes_the_whole_cart_and_empties_it() -> None:
    env = sample.environment()
    order = buy(env, (1, "single_pack", 2), (3, "pack_5", 1), (1, "single_pack", 1))
    assert done(env, "get_cart") == {"items": [], "total": 0}
    (shown,) = done(env, "get_transactions")["transactions"]  # type: ignore[misc]
    assert (shown["transaction_id"], shown["status"], shown["final_total"]) == (order, "pending", 15.55)  # type: ignore[index, call-overload]
    delta = env.delta()
    assert set(delta) == {"transactions", "order_lines"} and len(delta["order_lines"]) == 3


def test_a_product_that_left_the_store_stays_in_old_orders() -> None:
    env = sample.environment(
        transactions=[sample.transaction("tx", status="completed", settled_at="2025-06-10T11:00:01")],
        order_lines=[sample.line("tx", 17)],
    )
    (shown,) = done(env, "get_transactions")["transactions"]  # type: ignore[misc]
    assert shown["items"][0]["name"] == "Plain Bar 17"  # type: ignore[index, call-overload]


PRICES = st.integers(1, 20_000)


@given(PRICES, st.integers(0, 100), st.booleans(), st.booleans())
def test_the_price_of_the_tools_is_the_price_of_the_goals(
    list_cents: int, percent: int, only: bool, member: bool
) -> None:
    # What a goal computes and what a tool charges are written apart and must be the same number.
    known: Any = STATE.get("products", product_id(1))
    assert isinstance(known, Product)
    product = Product(
        **{name: getattr(known, name) for name in known.__struct_fields__}
        | {"single_cents": list_cents, "discount_percent": percent, "discount_members_only": only}
    )
    row = {"list": list_cents, "percent": percent, "only": only, "member": int(member)}
    named = unit_price(Col(name="list"), Col(name="percent"), Col(name="only"), Col(name="member"))
    scope = Scope(STATE, sample.NOW, {})
    assert compile_expr(named)(row, scope) == price_now(product, "single_pack", member)


@pytest.mark.parametrize("expires_on", [None, "2025-06-09", "2025-06-10", "2025-06-11"])
def test_membership_of_the_tools_is_membership_of_the_goals(expires_on: str | None) -> None:
    env = sample.environment(membership=sample.member_until(expires_on))
    found = compile_expr(member_expression(Const(value=expires_on)))({}, Scope(env.state_, env.now, {}))
    assert found == int(bool(done(env, "get_wallet")["vip"]))


@given(st.integers(1, 40), PRICES, PRICES)
def test_the_packing_of_the_goals_is_the_cheapest(count: int, single: int, pack: int) -> None:
    named = packs(Const(value=count), Const(value=single), Const(value=pack))
    chosen = compile_expr(named)({}, Scope(STATE, sample.NOW, {}))
    assert isinstance(chosen, int) and 0 <= 5 * chosen <= count
    cost = [p * pack + (count - 5 * p) * single for p in range(count // 5 + 1)]
    assert cost[chosen] == min(cost)


@given(st.integers(0, 10**9))
def test_money_has_two_decimals_at_the_tool_boundary(cents: int) -> None:
    shown = units(cents)
    assert round(shown * 100) == cents and len(str(shown).partition(".")[2]) <= 2
    assert isinstance(shown, int) is (cents % 100 == 0)
