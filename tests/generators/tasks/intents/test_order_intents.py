"""Paying pending orders, ordering again, substitutes: ends computed by hand, and candidates that pass all checks."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter

import pytest

from generators.tasks.expect import GoalError
from generators.tasks.planner import PlanError
from schemas.contract import Equal
from schemas.goal import Goal, Select
from schemas.plan import Call
from schemas.task import Patch, Task
from tests.generators.tasks.intents.handmade import Request, candidates, created, intent_of, joined, now_in
from tests.generators.tasks.scenes import user, world
from tests.nonempty import nonempty
from tests.services.sample import TABLES, Row, line, member_until, permissions, product_id, transaction, wallet
from validators.tasks import check_tasks

NAMES = ("finish_pending", "reorder", "substitute", "give_back")


# --- paying a pending order ---

WAITING: dict[str, list[Row]] = {
    "transactions": [
        transaction("tx_old", created_at="2025-06-01T10:00:00", subtotal_cents=240, total_cents=240),
        transaction("tx_new", subtotal_cents=1128, total_cents=1128),
        transaction("tx_done", created_at="2025-05-01T10:00:00", status="completed", settled_at="2025-05-01T10:05:00"),
    ],
    "order_lines": [
        line("tx_old", 4),
        line("tx_new", 1, quantity=2),
        # A pack of five of product 2: 885 less 20 %.
        line("tx_new", 2, size="pack_5", unit_price_cents=708),
        line("tx_done", 1),
        line("tx_done", 4),
        line("tx_done", 5),
    ],
    "wallet": wallet(1000),
}


def pending(slots: dict[str, str], form: str = "fulfil", refused: tuple[str, ...] = ()) -> Request:
    return Request("finish_pending", WAITING, slots, form, refused=refused)


@pytest.mark.parametrize("slots", [{"product": "Plain Bar 1"}, {"product": "Plain Bar 2"}, {"brand": "Corwick"}])
def test_the_pending_order_that_holds_it_is_paid_and_what_is_missing_topped_up(slots: dict[str, str]) -> None:
    request = pending(slots)
    env, plan = request.carried_out()
    assert now_in(env, "transactions", "tx_new")["status"] == "completed"
    assert now_in(env, "transactions", "tx_old")["status"] == "pending"
    assert now_in(env, "wallet", "wallet")["balance_cents"] == 0
    assert [now_in(env, "assortment", product_id(n))["stock"] for n in (1, 2)] == [38, 35]
    assert sorted(entry["amount_cents"] for entry in created(env, "ledger")) == [-1128, 128]
    assert [s.tool for s in plan.steps if isinstance(s, Call)] == [
        "get_transactions",
        "get_wallet",
        "top_up_wallet",
        "authorize_checkout",
    ]
    (contract,) = request.expectation().any_of
    assert {(c.op, c.table, c.id) for c in contract.changes} == {
        ("update", "transactions", "tx_new"),
        ("update", "assortment", product_id(1)),
        ("update", "assortment", product_id(2)),
        ("update", "wallet", "wallet"),
    }
    assert request.objections() == []


def test_an_order_from_before_yesterday_is_past_paying() -> None:
    request = pending({"product": "Plain Bar 4"}, "policy")
    assert request.told() == {"reason": "policy", "ordered_on": "2025-06-01"}
    assert [answer.value for answer in request.expectation().answers] == ["policy", "2025-06-01"]
    assert request.objections() == []


def test_a_day_to_the_second_can_be_paid_and_a_second_more_cannot() -> None:
    for at, payable in (("2025-06-09T12:00:00", True), ("2025-06-09T11:59:59", False)):
        orders = [transaction("tx_day", created_at=at)]
        request = Request(
            "finish_pending", {"transactions": orders, "order_lines": [line("tx_day", 1)]}, {"product": "Plain Bar 1"}
        )
        if payable:
            request.carried_out()
        else:
            with pytest.raises(PlanError, match="TRANSACTION_EXPIRED"):
                request.carried_out()


def test_where_no_pending_order_holds_it_all_that_they_hold_is_told() -> None:
    request = pending({"product": "Plain Bar 5"}, "none_satisfies")
    told = request.told()
    assert told["reason"] == "none_satisfies"
    assert sorted(told["held"]) == ["Plain Bar 1", "Plain Bar 2", "Plain Bar 4"]
    assert request.objections() == []
    with pytest.raises(GoalError):
        pending({"product": "Plain Bar 4"}, "none_satisfies").expectation()


def test_what_is_missing_for_a_pending_order_is_told_when_the_top_up_is_refused() -> None:
    request = pending({"product": "Plain Bar 2"}, "cannot_afford", ("BALANCE",))
    assert request.told() == {"reason": "cannot_afford", "shortfall": 128}
    assert request.objections() == []


# --- ordering again ---

ORDERED: dict[str, list[Row]] = {
    "transactions": [
        transaction("tx_first", created_at="2025-04-01T10:00:00", status="completed", settled_at="2025-04-01T10:05:00"),
        transaction("tx_good", created_at="2025-05-01T10:00:00", status="completed", settled_at="2025-05-01T10:05:00"),
        transaction("tx_cancelled", created_at="2025-05-20T10:00:00", status="cancelled"),
        transaction("tx_last", created_at="2025-05-25T10:00:00", status="completed", settled_at="2025-05-25T10:05:00"),
    ],
    "order_lines": [
        line("tx_first", 1),
        line("tx_good", 1, quantity=3, unit_price_cents=190),
        line("tx_good", 2, quantity=7),
        line("tx_cancelled", 1, quantity=4),
        line("tx_last", 5),
    ],
    "permissions": permissions(),
}


def again(slots: dict[str, str], form: str = "fulfil", tables: dict[str, list[Row]] | None = None) -> Request:
    return Request("reorder", {**ORDERED, **(tables or {})}, slots, form)


@pytest.mark.parametrize("slots", [{"product": "Plain Bar 1"}, {"category": "biscuit"}, {"brand": "Brookhall"}])
def test_the_latest_completed_order_is_bought_again_by_units_at_the_cheapest_packing(slots: dict[str, str]) -> None:
    request = again(slots)
    env, _ = request.carried_out()
    # Seven of product 2 at 176 each, or 708 for five: one pack and two singles, 1060. Three of product 1: 630.
    bought = sorted(
        (s["product_id"], s["size"], s["quantity"], s["unit_price_cents"]) for s in created(env, "order_lines")
    )
    assert bought == [
        (product_id(1), "single_pack", 3, 210),
        (product_id(2), "pack_5", 1, 708),
        (product_id(2), "single_pack", 2, 176),
    ]
    assert now_in(env, "wallet", "wallet")["balance_cents"] == 10_000 - 1690
    assert [now_in(env, "assortment", product_id(n))["stock"] for n in (1, 2)] == [37, 33]
    assert request.objections() == []


def test_a_later_order_with_the_same_brand_is_the_one_that_is_meant() -> None:
    # Products 2 and 5 are of this brand, and 5 was bought last.
    env, _ = again({"brand": "Corwick"}).carried_out()
    assert [row["product_id"] for row in created(env, "order_lines")] == [product_id(5)]


def test_a_goal_that_takes_the_oldest_order_does_not_get_past_the_solver() -> None:
    def oldest(goal: Goal) -> Goal:
        nodes = list(goal.nodes)
        place = next(i for i, node in enumerate(nodes) if node.name == "latest")
        latest = nodes[place].rows
        assert isinstance(latest, Select)
        order = [key.model_copy(update={"descending": False}) for key in latest.order]
        nodes[place] = nodes[place].model_copy(update={"rows": latest.model_copy(update={"order": order})})
        return goal.model_copy(update={"nodes": nodes})

    assert again({"product": "Plain Bar 1"}).objections() == []
    assert again({"product": "Plain Bar 1"}).objections(oldest)


def test_what_has_run_short_since_is_told_by_its_name_and_the_units_left() -> None:
    stock = [{**row, "stock": 6} if row["id"] == product_id(2) else row for row in TABLES["assortment"]]
    request = again({"product": "Plain Bar 1"}, "out_of_stock", {"assortment": stock})
    assert request.told() == {"reason": "out_of_stock", "missing_product": "Plain Bar 2", "units_left": 6}
    assert request.objections() == []


def test_what_was_never_bought_is_not_recorded_from_the_first_day_on() -> None:
    request = again({"product": "Plain Bar 9"}, "not_recorded")
    assert request.told() == {"reason": "not_recorded", "first_date": "2025-04-01"}
    assert request.objections() == []


# --- substitutes ---


def instead(left: int, form: str = "fulfil", tag: str = "low_fat", until: str | None = None, units: int = 3) -> Request:
    stock = [{**row, "stock": left} if row["id"] == product_id(5) else row for row in TABLES["assortment"]]
    tables = {"assortment": stock, "membership": member_until(until)}
    return Request("substitute", tables, {"quantity": units, "product": "Plain Bar 5", "tag": tag}, form)


@pytest.mark.parametrize(
    ("left", "until", "number", "price"),
    [
        (3, None, 5, 250),
        (2, None, 1, 210),
        # Product 3 costs 230, members pay 161; the last day of a membership counts.
        (2, "2025-06-10", 3, 161),
        (2, "2025-06-09", 1, 210),
    ],
)
def test_the_named_product_is_bought_if_enough_is_left_and_else_the_cheapest_of_its_category(
    left: int, until: str | None, number: int, price: int
) -> None:
    request = instead(left, until=until)
    env, _ = request.carried_out()
    (bought,) = created(env, "order_lines")
    assert (bought["product_id"], bought["quantity"], bought["unit_price_cents"]) == (product_id(number), 3, price)
    assert request.objections() == []


def test_a_product_without_the_tag_will_not_do() -> None:
    with pytest.raises(GoalError):
        instead(40, "out_of_stock", tag="high_fiber").expectation()


def test_where_nothing_will_do_the_units_left_of_the_named_product_are_told() -> None:
    request = instead(2, "out_of_stock", tag="high_fiber")
    assert request.told() == {"reason": "out_of_stock", "units_left": 2}
    assert request.objections() == []


# --- putting back ---


def cut(lots: list[tuple[str, int]], units: int, form: str = "fulfil") -> Request:
    lines: list[Row] = [
        {
            "id": f"cart_{n}",
            "product_id": product_id(1),
            "size": size,
            "quantity": packs,
            "added_at": "2025-06-10T11:00:00",
        }
        for n, (size, packs) in enumerate(lots)
    ]
    other: Row = {**lines[0], "id": "cart_other", "product_id": product_id(4)}
    return Request("give_back", {"cart": [*lines, other]}, {"quantity": units, "product": "Plain Bar 1"}, form)


@pytest.mark.parametrize(
    ("lots", "units", "gone", "come"),
    [
        # A pack of five of product 1 costs 845, five singles 1050.
        ([("single_pack", 8)], 6, ["cart_0"], [("pack_5", 1), ("single_pack", 1)]),
        ([("pack_5", 2), ("single_pack", 3)], 10, ["cart_1"], []),
        ([("pack_5", 1), ("single_pack", 4)], 6, ["cart_1"], [("single_pack", 1)]),
        ([("pack_5", 1), ("single_pack", 4)], 4, ["cart_0"], []),
        ([("single_pack", 2), ("single_pack", 5)], 5, ["cart_0", "cart_1"], [("pack_5", 1)]),
    ],
)
def test_what_is_part_of_the_cheapest_packing_stays_in_the_cart_and_the_rest_goes(
    lots: list[tuple[str, int]], units: int, gone: list[str], come: list[tuple[str, int]]
) -> None:
    request = cut(lots, units)
    env, _ = request.carried_out()
    assert sorted(key for key, (_, after) in env.delta()["cart"].items() if after is None) == gone
    assert sorted((row["size"], row["quantity"]) for row in created(env, "cart")) == come
    (contract,) = request.expectation().any_of
    assert sorted(change.id for change in contract.changes if change.op == "delete") == gone
    assert request.objections() == []


def test_where_fewer_units_lie_in_the_cart_than_are_to_stay_their_number_is_told() -> None:
    request = cut([("pack_5", 1), ("single_pack", 2)], 9, "none_satisfies")
    assert request.told() == {"reason": "none_satisfies", "units_held": 7}
    assert request.objections() == []
    with pytest.raises(GoalError):
        cut([("pack_5", 1), ("single_pack", 2)], 7, "none_satisfies").expectation()


# --- candidates ---

LINE_FIELDS = ("product_id", "size", "quantity")


def start_of(task: Task, table: str) -> list[Patch]:
    """The records of a table at the start of a task, each as a patch that would leave it as it is."""
    index = int(task.user_id.removeprefix("u"))
    _, environment = user(index)
    rows = {str(row["id"]): row for row in environment.tables[table]}
    rows |= {patch.id: patch.record for patch in task.setup if patch.table == table and patch.record is not None}
    return [Patch(table=table, id=key, record=row) for key, row in rows.items()]


def now_of(task: Task) -> dt.datetime:
    return dt.datetime.fromisoformat(user(int(task.user_id.removeprefix("u")))[1].now)


@pytest.mark.parametrize("name", NAMES)
def test_candidates_of_every_form_pass_all_checks(name: str) -> None:
    made, missing = candidates(name)
    cells = intent_of(name).cells
    assert {task.intents[0].form for task in made} == {cell.form for cell in cells}
    assert missing <= len(made) // 10
    for index in range(6):
        _, environment = user(index)
        mine = [task for task in made if task.user_id == environment.user_id]
        for task, certificate in zip(mine, check_tasks(mine, environment, world()), strict=True):
            failed = [(v.check, v.reason) for v in certificate.verdicts if not v.passed]
            assert not failed, (task.template, task.instruction)


def test_it_does_not_do_to_pay_what_can_be_paid() -> None:
    """Of the orders that could be paid, what the user names tells one apart."""
    made = [task for task in candidates("finish_pending")[0] if task.intents[0].form in ("fulfil", "cannot_afford")]
    for task in nonempty(made):
        waiting = [p.record for p in start_of(task, "transactions") if p.record and p.record["status"] == "pending"]
        day_ago = now_of(task) - dt.timedelta(hours=24)
        fresh = [row for row in waiting if dt.datetime.fromisoformat(str(row["created_at"])) > day_ago]
        assert len(fresh) > 1, task.instruction


def test_the_same_again_means_the_same_packs_too() -> None:
    made = [task for task in candidates("reorder")[0] if task.intents[0].form == "fulfil"]
    for task in nonempty(made):
        ordered: dict[str, list[tuple[object, ...]]] = {}
        for patch in start_of(task, "order_lines"):
            row = patch.record or {}
            line = (row["product_id"], row["size"], row["quantity"])
            ordered.setdefault(str(row["transaction_id"]), []).append(line)
        (contract,) = task.expectation.any_of
        again = [
            tuple(rule.value for name in LINE_FIELDS if isinstance(rule := change.fields[name], Equal))
            for change in contract.changes
            if change.table == "order_lines"
        ]
        assert sorted(again, key=str) in [sorted(lines, key=str) for lines in ordered.values()]


@pytest.mark.parametrize("name", NAMES)
def test_sentence_forms_are_many_and_begin_differently(name: str) -> None:
    sentences = [form for forms in intent_of(name).phrases.sentences.values() for form in forms]
    openings = Counter(" ".join(re.findall(r"[\w'{}]+", form.lower())[:4]) for form in sentences)
    assert len(set(sentences)) == len(sentences) >= 40
    assert max(openings.values()) <= 2


def test_two_requests_that_both_fill_the_wallet_leave_one_start() -> None:
    tasks = [(index, task) for index in range(4) for task in joined("finish_pending", "buy_best", index)]
    assert len(tasks) > 8
    for index, task in tasks:
        records = [(patch.table, patch.id) for patch in task.setup]
        assert len(records) == len(set(records))
        (certificate,) = check_tasks([task], user(index)[1], world())
        assert [(v.check, v.reason) for v in certificate.verdicts if not v.passed] == []
