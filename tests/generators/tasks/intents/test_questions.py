"""Questions: answers computed by hand, conditions that decide, and candidates that pass all checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from generators.tasks.expect import GoalError
from generators.tasks.intents.compare_products.goal import MEASURES
from schemas import goal as g
from schemas.task import Task
from tests.generators.tasks.intents.handmade import Request, candidates, intent_of
from tests.generators.tasks.scenes import user, world
from tests.services.sample import BRANDS, Row, line, member_until, transaction, voucher
from validators.tasks import check_tasks

NAMES = ("compare_products", "price_check", "top_category", "voucher_question", "order_status")
JUNE_9 = "2025-06-09T10:00:00"


def paid(key: str, at: str, **fields: object) -> Row:
    """A completed order."""
    return transaction(key, created_at=at, status="completed", settled_at=at, **fields)  # type: ignore[arg-type]


def renamed(goal: g.Goal, name: str, change: Callable[[g.Rel], g.Rel]) -> g.Goal:
    """The goal with one of its relation nodes changed."""
    nodes = [
        node.model_copy(update={"rows": change(node.rows)}) if node.name == name and node.rows else node
        for node in goal.nodes
    ]
    return goal.model_copy(update={"nodes": nodes})


def upside_down(rel: g.Rel) -> g.Rel:
    """A sorted relation the other way round."""
    assert isinstance(rel, g.Select)
    return rel.model_copy(update={"order": [o.model_copy(update={"descending": not o.descending}) for o in rel.order]})


# --- what was spent most on ---

ORDERS: dict[str, list[Row]] = {
    "transactions": [
        paid("tx_1", "2025-04-30T23:59:59"),
        paid("tx_2", "2025-05-01T00:00:00"),
        paid("tx_3", "2025-05-31T23:59:59"),
        transaction("tx_4", created_at="2025-05-20T10:00:00", status="cancelled"),
        transaction("tx_5", created_at=JUNE_9),
    ],
    "order_lines": [
        line("tx_1", 1, quantity=40),
        # In May: bars (odd numbers) 3·210 + 2·230 = 1090, biscuits (even) 708 + 240 = 948.
        line("tx_2", 1, quantity=3),
        line("tx_2", 2, size="pack_5", unit_price_cents=708),
        line("tx_3", 3, quantity=2),
        line("tx_3", 4),
        # With this the biscuits would be ahead.
        line("tx_4", 4),
        line("tx_5", 2, quantity=30),
    ],
}
MAY = ["2025-05-01", "2025-05-31"]


@pytest.mark.parametrize(
    ("variant", "top", "spent"),
    # Brands by number modulo 3: 1 and 4 Brookhall 630 + 240, 2 Corwick 708, 3 Aldervane 460.
    [("category", "bar", 1090), ("brand", BRANDS[1], 870)],
)
def test_the_most_is_spent_on_what_the_completed_orders_of_the_period_add_up_to(
    variant: str, top: str, spent: int
) -> None:
    request = Request("top_category", ORDERS, {"period": MAY}, variant=variant)
    assert request.told() == {variant: top, "spent": spent}
    assert [answer.value for answer in request.expectation().answers] == [top, spent]
    assert request.objections() == []
    assert request.objections(lambda goal: renamed(goal, "ranking", upside_down))


def test_a_period_before_the_records_cannot_be_ranked() -> None:
    request = Request("top_category", ORDERS, {"period": ["2025-03-01", "2025-03-31"]}, "not_recorded", "brand")
    assert request.told() == {"reason": "not_recorded", "first_date": "2025-04-30"}
    assert request.objections() == []
    with pytest.raises(GoalError):
        Request("top_category", ORDERS, {"period": ["2025-04-01", "2025-04-30"]}, "not_recorded").expectation()


# --- the last order with something ---


@pytest.mark.parametrize(
    ("slots", "variant", "told"),
    [
        ({"category": "bar"}, "day", {"day": "2025-05-31"}),
        ({"category": "biscuit"}, "total", {"total": 210}),
        # The later orders with product 2 were not completed; a pack counts by its content.
        ({"brand": "Corwick"}, "day", {"day": "2025-05-01"}),
        ({"brand": "Corwick"}, "units", {"units": 5}),
        ({"category": "bar"}, "units", {"units": 2}),
    ],
)
def test_the_last_completed_order_counts(slots: dict[str, str], variant: str, told: dict[str, object]) -> None:
    request = Request("order_status", ORDERS, slots, variant=variant)
    assert request.told() == told
    assert [answer.value for answer in request.expectation().answers] == list(told.values())
    assert request.objections() == []


def test_a_goal_that_takes_the_oldest_order_does_not_get_past_the_solver() -> None:
    request = Request("order_status", ORDERS, {"category": "bar"}, variant="day")
    assert request.objections(lambda goal: renamed(goal, "ranking", upside_down))


def test_what_was_ordered_and_never_paid_is_not_recorded() -> None:
    tables = {**ORDERS, "order_lines": [line("tx_1", 1), line("tx_4", 4), line("tx_5", 2)]}
    request = Request("order_status", tables, {"category": "biscuit"}, "not_recorded", "day")
    assert request.told() == {"reason": "not_recorded", "first_date": "2025-04-30"}
    assert request.objections() == []
    with pytest.raises(GoalError):
        Request("order_status", tables, {"category": "bar"}, "not_recorded", "day").expectation()


# --- vouchers ---

VOUCHERS: dict[str, list[Row]] = {
    "transactions": [paid("tx_1", "2025-05-01T10:00:00", subtotal_cents=300, saving_cents=90, voucher_id="vch_used")],
    "order_lines": [line("tx_1", 10)],
    "vouchers": [
        voucher("vch_used", used_in="tx_1", expires_on="2025-06-12", percent_off=30),
        voucher("vch_past", expires_on="2025-06-09", percent_off=25),
        # The last day counts.
        voucher("vch_today", expires_on="2025-06-10", percent_off=5, brand="Corwick"),
        voucher("vch_members", expires_on="2025-06-15", percent_off=20, members_only=True),
        voucher("vch_all", expires_on="2025-07-01", percent_off=15, min_spend_cents=1000),
        voucher("vch_brand", expires_on="2025-08-01", percent_off=10, brand="Brookhall"),
    ],
}


@pytest.mark.parametrize(
    ("slots", "variant", "until", "told"),
    [
        ({"brand": "Corwick"}, "next", None, {"expiry": "2025-06-10", "percent": 5}),
        ({"brand": "Brookhall"}, "next", None, {"expiry": "2025-07-01", "percent": 15}),
        ({"brand": "Brookhall"}, "next", "2025-06-10", {"expiry": "2025-06-15", "percent": 20}),
        ({"brand": "Brookhall", "spend": 999}, "next", None, {"expiry": "2025-08-01", "percent": 10}),
        ({"brand": "Brookhall", "spend": 1000}, "next", None, {"expiry": "2025-07-01", "percent": 15}),
        ({"percent": 10}, "count", None, {"usable": 2, "last_day": "2025-08-01"}),
        ({"percent": 10}, "count", "2025-06-10", {"usable": 3, "last_day": "2025-08-01"}),
        ({"percent": 10}, "count", "2025-06-09", {"usable": 2, "last_day": "2025-08-01"}),
        ({"percent": 11}, "count", None, {"usable": 1, "last_day": "2025-07-01"}),
    ],
)
def test_vouchers_that_can_be_used(
    slots: dict[str, str | int | list[str]], variant: str, until: str | None, told: dict[str, object]
) -> None:
    request = Request("voucher_question", {**VOUCHERS, "membership": member_until(until)}, slots, variant=variant)
    assert request.told() == told
    assert [answer.value for answer in request.expectation().answers] == list(told.values())
    assert request.objections() == []


def test_a_goal_that_forgets_the_date_does_not_get_past_the_solver() -> None:
    def without_date(rel: g.Rel) -> g.Rel:
        assert isinstance(rel, g.Select)
        assert isinstance(rel.where, g.All)
        return rel.model_copy(update={"where": g.All(of=[rel.where.of[0], *rel.where.of[2:]])})

    request = Request("voucher_question", VOUCHERS, {"percent": 10}, variant="next")
    assert request.objections() == []
    assert request.objections(lambda goal: renamed(goal, "open", without_date))


def test_where_no_voucher_saves_enough_the_best_there_is_is_told() -> None:
    request = Request("voucher_question", VOUCHERS, {"brand": "Brookhall", "percent": 20}, "none_satisfies", "next")
    assert request.told() == {"reason": "none_satisfies", "best_percent": 15, "best_expiry": "2025-07-01"}
    assert request.objections() == []
    with pytest.raises(GoalError):
        Request("voucher_question", VOUCHERS, {"percent": 15}, "none_satisfies", "next").expectation()


# --- products ---


def named(*numbers: int) -> dict[str, str | int | list[str]]:
    return {f"product_{place}": f"Plain Bar {number}" for place, number in enumerate(numbers, 1)}


@pytest.mark.parametrize(
    ("numbers", "units", "until", "winner", "total"),
    [
        # Product 2 has 20 % off: 176 a piece, and 885 less 20 % = 708 for five, which is less than 5·176.
        ((1, 2), 1, None, 2, 176),
        ((1, 2), 7, None, 2, 708 + 2 * 176),
        # Product 3 costs 230, for members 161; its five 925, for members 647.5, rounded up.
        ((2, 3), 5, None, 2, 708),
        ((2, 3), 5, "2025-06-10", 3, 648),
        ((2, 3), 5, "2025-06-09", 2, 708),
        ((4, 5, 6), 6, None, 4, 965 + 240),
    ],
)
def test_the_cheapest_of_the_named_is_by_what_is_paid(
    numbers: tuple[int, ...], units: int, until: str | None, winner: int, total: int
) -> None:
    slots = {**named(*numbers), "quantity": units}
    request = Request("compare_products", {"membership": member_until(until)}, slots, variant="cost")
    assert request.told() == {"product": f"Plain Bar {winner}", "total": total}
    assert request.objections() == []
    assert request.objections(lambda goal: renamed(goal, "compared", upside_down))


def test_what_is_not_carried_cannot_be_compared_and_the_rest_is() -> None:
    slots = {**named(1, 17), "quantity": 2}
    request = Request("compare_products", {}, slots, "none_satisfies", "cost")
    assert request.told() == {"reason": "none_satisfies", "product": "Plain Bar 1", "total": 420}
    assert request.objections() == []
    with pytest.raises(GoalError):
        Request("compare_products", {}, {**named(1, 2), "quantity": 2}, "none_satisfies", "cost").expectation()


def test_what_a_unit_holds_is_told_in_the_unit_that_tools_show() -> None:
    request = Request("compare_products", {}, {**named(4), "objective": "fewest_calories"}, variant="nutrition")
    assert request.told() == {"product": "Plain Bar 4", "amount": 160.5}
    assert request.objections() == []


def test_of_what_a_unit_holds_the_most_or_the_least_wins() -> None:
    fields = {"sugar": "sugar_dg", "fat": "fat_dg", "calories": "calories_dkcal"}
    fields |= {"protein": "protein_dg", "fiber": "fiber_dg"}
    products = {row["name"]: row for row in world().tables["products"]}
    seen = 0
    for task in candidates("compare_products", 12)[0]:
        (use,) = task.intents
        if use.variant != "nutrition" or use.form != "fulfil":
            continue
        slots = {slot.name: slot.value for slot in use.slots}
        key, more = MEASURES[str(slots.pop("objective"))]
        values = {str(name): int(str(products[name][fields[key]])) for name in slots.values()}
        best = (max if more else min)(values.values())
        told = {answer.name: answer.value for answer in task.expectation.answers}
        assert values[str(told["product"])] == best
        assert list(values.values()).count(best) == 1
        assert told["amount"] == best / 10
        seen += 1
    assert seen > 5


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ({"product": "Plain Bar 2", "quantity": 7}, {"total": 1060}),
        ({"product": "Plain Bar 2", "quantity": 7, "limit": 1060}, {"verdict": "within_limit", "difference": 0}),
        ({"product": "Plain Bar 2", "quantity": 7, "limit": 1059}, {"verdict": "over_limit", "difference": 1}),
        ({"product": "Plain Bar 2", "quantity": 7, "limit": 1100}, {"verdict": "within_limit", "difference": 40}),
        ({"product": "Plain Bar 3", "quantity": 4}, {"total": 920}),
        ({"product": "Plain Bar 4", "quantity": 40}, {"total": 8 * 965}),
    ],
)
def test_a_price_is_what_the_cheapest_packing_costs_today(
    slots: dict[str, str | int | list[str]], told: dict[str, object]
) -> None:
    request = Request("price_check", {}, slots, variant="limit" if "limit" in slots else "total")
    assert request.told() == told
    assert request.objections() == []


def test_more_than_the_store_has_has_no_price() -> None:
    request = Request("price_check", {}, {"product": "Plain Bar 2", "quantity": 41}, "out_of_stock", "total")
    assert request.told() == {"reason": "out_of_stock", "units_left": 40}
    assert request.objections() == []
    with pytest.raises(GoalError):
        Request("price_check", {}, {"product": "Plain Bar 2", "quantity": 40}, "out_of_stock").expectation()


def test_a_goal_at_list_prices_does_not_get_past_the_solver() -> None:
    def careless(rel: g.Rel) -> g.Rel:
        assert isinstance(rel, g.Select)
        columns = [
            column.model_copy(update={"value": column.value.naive})
            if isinstance(column.value, g.Named) and column.name in {"single", "pack"}
            else column
            for column in rel.columns
        ]
        return rel.model_copy(update={"columns": columns})

    request = Request("price_check", {}, {"product": "Plain Bar 2", "quantity": 7}, variant="total")
    assert request.objections(lambda goal: renamed(goal, "named", careless))


# --- candidates ---


def _passed(tasks: list[Task]) -> list[str]:
    faults: list[str] = []
    for index in sorted({task.user_id for task in tasks}):
        own = [task for task in tasks if task.user_id == index]
        environment = next(user(number)[1] for number in range(12) if user(number)[1].user_id == index)
        for certificate in check_tasks(own, environment, world()):
            faults += [f"{v.check}: {v.reason}" for v in certificate.verdicts if not v.passed]
    return faults


@pytest.mark.parametrize("name", NAMES)
def test_candidates_of_every_form_pass_all_checks(name: str) -> None:
    made, missing = candidates(name)
    assert _passed(made) == []
    assert {task.intents[0].form for task in made} == {cell.form for cell in intent_of(name).cells}
    assert missing <= len(made) / 4


@pytest.mark.parametrize(
    ("name", "variants"),
    [
        ("compare_products", {"cost", "nutrition"}),
        ("price_check", {"total", "limit"}),
        ("top_category", {"category", "brand"}),
        ("voucher_question", {"next", "count"}),
        ("order_status", {"day", "total", "units"}),
    ],
)
def test_every_question_comes_up(name: str, variants: set[str]) -> None:
    seen = Counter(task.intents[0].variant for task in candidates(name, 12)[0] if task.intents[0].form == "fulfil")
    assert set(seen) == variants
