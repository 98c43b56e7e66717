"""The solvers against states whose answers were worked out by hand."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from validators.solvers import buy_best, clean_up_cart, spending_question
from validators.solvers.solution import Fact, Solution, SolverInput, Sum

NOW = "2025-06-10T12:00:00"


def product(key: str, **changes: object) -> dict[str, Any]:
    row = {
        "id": key,
        "name": f"Name {key}",
        "brand": "Ames",
        "category": "bar",
        "health_tags": ["low_fat"],
        "allergens": [],
        "sugar_dg": 100,
        "calories_dkcal": 1000,
        "protein_dg": 50,
        "fiber_dg": 20,
        "single_cents": 100,
        "pack_cents": 450,
        "discount_percent": 0,
        "discount_members_only": False,
    }
    return {**row, **changes}


def store(*products: dict[str, Any], **changes: dict[str, Any]) -> dict[str, dict[str, Any]]:
    tables = {
        "products": {row["id"]: row for row in products},
        "assortment": {row["id"]: {"id": row["id"], "stock": 50, "delivery": "today"} for row in products},
        "membership": {"membership": {"id": "membership", "expires_on": None}},
        "wallet": {"wallet": {"id": "wallet", "balance_cents": 10_000, "opening_cents": 0}},
        "permissions": {"purchase": {"id": "purchase", "allowed": True}},
        "cart": {},
    }
    return {**tables, **changes}


def buy(tables: dict[str, Any], refused: frozenset[str] = frozenset(), **slots: object) -> Solution:
    asked = {"quantity": 7, "objective": "cheapest", "category": "bar", "tag": "low_fat", **slots}
    return buy_best.SOLVER(SolverInput(tables, {k: v for k, v in asked.items() if v is not None}, NOW, refused=refused))


def lines(solution: Solution) -> list[dict[str, Any]]:
    return [dict(fact.fields) for fact in solution.facts if fact.table == "order_lines"]


def test_buy_best_pays_the_cheapest_packing_of_the_best_product() -> None:
    solution = buy(store(product("a"), product("b", single_cents=90, pack_cents=460)))
    # Seven of a: 450 + 2·100 = 650. Seven of b: 630, and a pack of five would be dearer.
    assert lines(solution) == [{"product_id": "b", "size": "single_pack", "quantity": 7, "unit_price_cents": 90}]
    assert Fact("update", "assortment", {"id": "b", "stock": 43}) in solution.facts
    assert Fact("update", "wallet", {"id": "wallet", "balance_cents": 9370}) in solution.facts
    assert Sum("ledger", {"kind": "payment"}, "amount_cents", -630) in solution.sums
    assert Sum("ledger", {"kind": "top_up"}, "amount_cents", 0) in solution.sums


def test_buy_best_mixes_packs_and_singles() -> None:
    solution = buy(store(product("a")))
    assert [(line["size"], line["quantity"]) for line in lines(solution)] == [("pack_5", 1), ("single_pack", 2)]


@pytest.mark.parametrize(
    ("expires_on", "price"),
    [(None, 101), ("2025-06-09", 101), ("2025-06-10", 76), ("2025-07-01", 76)],
)
def test_buy_best_rounds_half_up_and_gives_a_members_discount_through_the_last_day(
    expires_on: str | None, price: int
) -> None:
    only = product("a", single_cents=101, pack_cents=900, discount_percent=25, discount_members_only=True)
    tables = store(only, membership={"membership": {"id": "membership", "expires_on": expires_on}})
    assert lines(buy(tables, quantity=1))[0]["unit_price_cents"] == price


@pytest.mark.parametrize(
    ("percent", "list_cents", "paid"), [(50, 101, 51), (50, 103, 52), (10, 95, 86), (10, 94, 85), (1, 50, 50)]
)
def test_prices_round_half_up(percent: int, list_cents: int, paid: int) -> None:
    tables = store(product("a", single_cents=list_cents, pack_cents=5000, discount_percent=percent))
    assert lines(buy(tables, quantity=1))[0]["unit_price_cents"] == paid


@pytest.mark.parametrize(
    ("objective", "best"),
    [("cheapest", "a"), ("least_sugar", "b"), ("fewest_calories", "c"), ("most_protein", "d"), ("most_fiber", "e")],
)
def test_buy_best_ranks_by_the_objective(objective: str, best: str) -> None:
    shelf = (
        product("a", single_cents=90),
        product("b", sugar_dg=1),
        product("c", calories_dkcal=1),
        product("d", protein_dg=99),
        product("e", fiber_dg=99),
    )
    assert lines(buy(store(*shelf), objective=objective))[0]["product_id"] == best


def test_buy_best_keeps_every_constraint() -> None:
    shelf = (
        product("other", category="soup", single_cents=1),
        product("untagged", health_tags=[], single_cents=2),
        product("nutty", allergens=["contains_nuts"], single_cents=3),
        product("late", single_cents=4),
        product("scarce", single_cents=5),
        product("good", health_tags=["low_fat", "vegan"], single_cents=80),
    )
    tables = store(*shelf)
    tables["assortment"]["late"]["delivery"] = "3_days"
    tables["assortment"]["scarce"]["stock"] = 6
    found = buy(tables, tag_2=None, without="contains_nuts", delivery="today", max_total=560, pack_cents=None)
    assert lines(found)[0]["product_id"] == "good"


def test_buy_best_declines_with_what_is_nearest() -> None:
    tables = store(product("a", single_cents=120, pack_cents=900), product("b", single_cents=110, pack_cents=900))
    over = buy(tables, objective=None, max_total=700)
    assert (over.reason, dict(over.answers)) == (
        "none_satisfies",
        {"nearest_product": "Name b", "nearest_total": 770},
    )
    for key, stock in (("a", 3), ("b", 5)):
        tables["assortment"][key]["stock"] = stock
    sold_out = buy(tables, objective=None)
    assert (sold_out.reason, dict(sold_out.answers)) == (
        "out_of_stock",
        {"nearest_product": "Name b", "units_left": 5},
    )


def test_buy_best_heeds_what_the_user_refuses_only_where_it_is_needed() -> None:
    poor = store(product("a"), wallet={"wallet": {"id": "wallet", "balance_cents": 600, "opening_cents": 0}})
    short = buy(poor, frozenset({"BALANCE", "PURCHASE"}))
    assert (short.reason, dict(short.answers), list(short.asks)) == ("cannot_afford", {"shortfall": 50}, ["BALANCE"])
    closed = store(product("a"), permissions={"purchase": {"id": "purchase", "allowed": False}})
    assert buy(closed, frozenset({"PURCHASE"})).reason == "consent_refused"
    granted = buy(closed)
    assert granted.reason == ""
    assert Fact("update", "permissions", {"id": "purchase", "allowed": True}) in granted.facts
    assert buy(store(product("a")), frozenset({"BALANCE", "PURCHASE"})).reason == ""


def test_buy_best_empties_the_wallet_and_tops_up_what_is_missing() -> None:
    poor = store(product("a"), wallet={"wallet": {"id": "wallet", "balance_cents": 600, "opening_cents": 0}})
    solution = buy(poor)
    assert Fact("update", "wallet", {"id": "wallet", "balance_cents": 0}) in solution.facts
    assert Sum("ledger", {"kind": "top_up"}, "amount_cents", 50) in solution.sums


def cart(**slots: object) -> Solution:
    shelf = (
        product("a", brand="Ames", category="bar", single_cents=200, pack_cents=900, discount_percent=50),
        product("b", brand="Bell", category="bar", allergens=["contains_nuts"], single_cents=150),
        product("c", brand="Bell", category="soup", health_tags=["high_fat"], single_cents=300),
    )
    held = {
        "l1": {"id": "l1", "product_id": "a", "size": "single_pack", "quantity": 1},
        "l2": {"id": "l2", "product_id": "a", "size": "pack_5", "quantity": 1},
        "l3": {"id": "l3", "product_id": "b", "size": "single_pack", "quantity": 4},
        "l4": {"id": "l4", "product_id": "c", "size": "single_pack", "quantity": 1},
    }
    return clean_up_cart.SOLVER(SolverInput(store(*shelf, cart=held), slots, NOW))


@pytest.mark.parametrize(
    ("slots", "gone"),
    [
        ({"brand": "Bell"}, ["l3", "l4"]),
        ({"category": "bar"}, ["l1", "l2", "l3"]),
        ({"tag": "high_fat"}, ["l4"]),
        ({"allergen": "contains_nuts"}, ["l3"]),
        ({"price_over": 149}, ["l2", "l3", "l4"]),
        ({"price_over": 150}, ["l2", "l4"]),
        ({"brand": "Bell", "price_over": 200}, ["l4"]),
    ],
)
def test_clean_up_cart_removes_what_falls_under_all_parts_of_the_rule(slots: dict[str, Any], gone: list[str]) -> None:
    solution = cart(**slots)
    assert list(solution.facts) == [Fact("delete", "cart", {"id": key}) for key in gone]
    assert solution.reason == ""


def test_clean_up_cart_tells_what_is_held_when_nothing_falls_under_the_rule() -> None:
    solution = cart(brand="Cole")
    assert (solution.reason, list(solution.facts)) == ("none_satisfies", [])
    assert solution.answers == {"held": ["Name a", "Name b", "Name c"]}


def spent(variant: str, period: list[str], **about: object) -> Solution:
    def order(key: str, at: str, total: int, **changes: object) -> dict[str, Any]:
        row = {"id": key, "kind": "order", "status": "completed", "created_at": at, "total_cents": total}
        return {**row, **changes}

    def line(key: str, order_id: str, what: str, size: str, quantity: int, cents: int) -> dict[str, Any]:
        known = {"id": key, "transaction_id": order_id, "product_id": what, "size": size}
        return {**known, "quantity": quantity, "unit_price_cents": cents}

    tables = {
        "products": {"a": product("a"), "b": product("b", brand="Bell", category="soup")},
        "transactions": {
            row["id"]: row
            for row in (
                order("t0", "2025-01-15T08:00:00", 2000, kind="vip_membership"),
                order("t1", "2025-05-01T00:00:00", 700),
                order("t2", "2025-05-31T23:59:59", 500),
                order("t3", "2025-05-20T10:00:00", 900, status="cancelled"),
                order("t4", "2025-06-01T00:00:00", 300),
            )
        },
        "order_lines": {
            row["id"]: row
            for row in (
                line("l1", "t1", "a", "pack_5", 1, 400),
                line("l2", "t1", "b", "single_pack", 3, 100),
                line("l3", "t2", "a", "single_pack", 5, 100),
                line("l4", "t3", "a", "single_pack", 9, 100),
                line("l5", "t4", "a", "single_pack", 3, 100),
            )
        },
    }
    return spending_question.SOLVER(SolverInput(tables, {"period": period, **about}, NOW, variant=variant))


@pytest.mark.parametrize(
    ("variant", "about", "answer"),
    [
        ("total", {}, {"spent": 1200}),
        ("orders", {}, {"orders": 2}),
        ("total", {"category": "bar"}, {"spent": 900}),
        ("total", {"brand": "Bell"}, {"spent": 300}),
        ("units", {"brand": "Ames"}, {"units": 10}),
        ("units", {"category": "soup"}, {"units": 3}),
    ],
)
def test_spending_counts_completed_orders_of_the_period(variant: str, about: dict[str, Any], answer: object) -> None:
    solution = spent(variant, ["2025-05-01", "2025-05-31"], **about)
    assert (solution.answers, solution.reason) == (answer, "")


def test_spending_before_the_first_day_on_record_is_not_recorded() -> None:
    solution = spent("total", ["2024-12-01", "2025-01-14"])
    assert (solution.answers, solution.reason) == ({"first_date": "2025-01-15"}, "not_recorded")
    assert spent("total", ["2024-12-01", "2025-01-15"]).reason == ""


FOLDER = Path(str(buy_best.__file__)).parent
OURS = ("schemas", "language", "services", "generators", "validators", "publishing", "flows")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_solvers_share_no_code_with_goals_programs_and_engines(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    runs = [node for node in ast.walk(tree) if id(node) not in typing_only]
    named = {str(node.module) for node in runs if isinstance(node, ast.ImportFrom)}
    named |= {alias.name for node in runs if isinstance(node, ast.Import) for alias in node.names}
    assert [name for name in named if name.startswith(OURS) and not name.startswith("validators.solvers.")] == []
