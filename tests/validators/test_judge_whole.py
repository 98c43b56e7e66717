"""What the judge passes and what it does not: views, ledgers, totals, allowances, relations, several ends."""

from __future__ import annotations

from typing import Literal

import pytest

from schemas.base import Json
from schemas.contract import (
    Allowed,
    Answer,
    AnyValue,
    Change,
    Contract,
    Expectation,
    Range,
    Ref,
    Total,
)
from tests.validators.judge_support import is_, judge, new_line, new_note, new_order, paid, passes, pay
from tests.validators.toy import NOW, TABLES, entry, line, made, note, order, product
from validators.contract.changes import Delta
from validators.contract.judge import compile_expectation


def test_rows_of_a_view_are_compared_not_records() -> None:
    contract = Contract(changes=[new_order("o"), new_line(Ref(var="o"), "p1", 3)])
    for parts in ([3], [1, 2], [2, 1], [1, 1, 1]):
        lines = made(*(line(f"l{n}", "x", "p1", part) for n, part in enumerate(parts)))
        assert passes(contract, {"orders": made(order("x")), "lines": lines})
    for parts in ([2], [3, 1], []):
        lines = made(*(line(f"l{n}", "x", "p1", part) for n, part in enumerate(parts)))
        assert not passes(contract, {"orders": made(order("x")), "lines": lines})
    other_price = made(line("l1", "x", "p1", 2), line("l2", "x", "p1", 1, price=90))
    assert not passes(contract, {"orders": made(order("x")), "lines": other_price})


def test_an_untouched_record_is_part_of_the_view_row() -> None:
    old = line("l1", "o1", "p1", 2)
    contract = Contract(
        changes=[
            Change(op="update", table="lines", fields=is_(order_id="o1", product_id="p1", price_cents=100, quantity=5))
        ]
    )
    assert passes(contract, {"lines": {"l1": (old, {**old, "quantity": 5})}}, held={"lines": [old]})
    assert passes(contract, {"lines": made(line("l2", "o1", "p1", 3))}, held={"lines": [old, line("l9", "o2", "p1")]})
    assert not passes(contract, {"lines": made(line("l2", "o1", "p1", 5))}, held={"lines": [old]})
    assert not passes(contract, {"lines": made(line("l2", "o1", "p1", 5))})


def test_a_view_row_is_deleted_when_its_sums_are_gone() -> None:
    old = line("l1", "o1", "p1", 2)
    contract = Contract(
        changes=[Change(op="delete", table="lines", fields=is_(order_id="o1", product_id="p1", price_cents=100))]
    )
    assert passes(contract, {"lines": {"l1": (old, None)}})
    assert passes(contract, {"lines": {"l1": (old, {**old, "quantity": 0})}})
    assert not passes(contract, {"lines": {"l1": (old, {**old, "quantity": 1})}})
    assert not passes(contract, {"lines": {"l1": (old, None)}}, held={"lines": [old, line("l2", "o1", "p1", 1)]})


PAYMENT = Total(table="ledger", where={"kind": "payment"}, column="amount_cents", value=-300)


def test_new_ledger_entries_are_free_but_totals_hold() -> None:
    contract = Contract(changes=[pay(300)], totals=[PAYMENT], relations=["balance"])
    for amounts in ([-300], [-100, -200]):
        entries = made(*(entry(f"e{n}", amount) for n, amount in enumerate(amounts)))
        assert passes(contract, {"wallet": paid(300), "ledger": entries})
    assert passes(contract, {"wallet": paid(300), "ledger": made(entry("e1", -300), entry("e2", 50, "top_up"))})
    assert not passes(contract, {"wallet": paid(300), "ledger": made(entry("e1", -299))})
    assert not passes(contract, {"wallet": paid(300)})
    assert not passes(contract, {"wallet": paid(300), "ledger": made(entry("e1", -300))}, false={"balance"})


def test_a_ledger_that_no_total_speaks_of_is_framed() -> None:
    contract = Contract(changes=[pay(300)], relations=["balance"])
    assert passes(contract, {"wallet": paid(300)})
    assert not passes(contract, {"wallet": paid(300), "ledger": made(entry("e1", 5), entry("e2", -5))})


def test_old_ledger_entries_never_change() -> None:
    contract = Contract(changes=[pay(300)], totals=[PAYMENT])
    new = made(entry("e9", -300))
    old = entry("e1", 70)
    assert passes(contract, {"wallet": paid(300), "ledger": new})
    assert not passes(contract, {"wallet": paid(300), "ledger": {**new, "e1": (old, None)}})
    assert not passes(contract, {"wallet": paid(300), "ledger": {**new, "e1": (old, {**old, "kind": "gift"})}})


@pytest.mark.parametrize(("fn", "right"), [("eq", [2]), ("le", [1, 2]), ("ge", [2, 3])])
def test_totals_compare(fn: Literal["eq", "le", "ge"], right: list[int]) -> None:
    total = Total(table="notes", where={"title": "milk"}, fn=fn, value=2)
    contract = Contract(changes=[pay(5)], totals=[total], allowed=[Allowed(change=new_note("milk"), at_most=3)])
    for count in (1, 2, 3):
        delta: Delta = {"wallet": paid(5), "notes": made(*(note(f"n{n}") for n in range(count)))}
        assert passes(contract, delta) is (count in right)


def test_a_total_over_what_is_no_number_raises() -> None:
    contract = Contract(totals=[PAYMENT])
    with pytest.raises(TypeError, match="amount_cents"):
        judge(contract, {"ledger": made({**entry("e1", 0), "amount_cents": None})})


def test_allowed_changes_may_happen_within_their_bound() -> None:
    contract = Contract(
        changes=[pay(5), new_note("milk")],
        allowed=[
            Allowed(change=new_note("bread", tag=AnyValue()), at_most=2),
            Allowed(change=Change(op="update", table="products", id="p1", fields={"stock": Range(low=1, high=4)})),
        ],
    )
    base = {"wallet": paid(5), "notes": made(note("n1"))}
    assert passes(contract, base)
    for count in (1, 2, 3):
        notes = made(note("n1"), *(note(f"b{n}", "bread", tag=str(n)) for n in range(count)))
        assert passes(contract, {**base, "notes": notes}) is (count <= 2)
    for stock in (0, 3, 4):
        assert passes(contract, {**base, "products": {"p1": (product("p1"), product("p1", stock))}}) is (stock > 0)
    assert not passes(contract, {**base, "products": {"p2": (product("p2"), product("p2", 3))}})
    assert not passes(contract, {"wallet": paid(5), "notes": made(note("b1", "bread"))})


def test_a_required_change_is_not_eaten_by_an_allowance() -> None:
    contract = Contract(changes=[new_note("milk")], allowed=[Allowed(change=new_note("milk"), at_most=1)])
    assert not passes(contract, {})
    assert passes(contract, {"notes": made(note("n1"))})
    assert passes(contract, {"notes": made(note("n1"), note("n2"))})
    assert not passes(contract, {"notes": made(note("n1"), note("n2"), note("n3"))})


def test_an_allowed_record_may_be_referred_to() -> None:
    contract = Contract(
        changes=[pay(5)], allowed=[Allowed(change=new_order("o")), Allowed(change=new_line(Ref(var="o"), "p1"))]
    )
    base = {"wallet": paid(5)}
    assert passes(contract, base)
    assert passes(contract, {**base, "orders": made(order("x"))})
    assert passes(contract, {**base, "orders": made(order("x")), "lines": made(line("l", "x", "p1"))})
    assert not passes(contract, {**base, "lines": made(line("l", "x", "p1"))})


def test_one_of_several_ends_is_enough() -> None:
    granted = Change(op="update", table="permissions", id="purchase", fields=is_(allowed=True))
    expectation = Expectation(
        any_of=[Contract(), Contract(changes=[granted])],
        answers=[Answer(name="reason", kind="reason", value="none_satisfies")],
    )
    answers: dict[str, Json] = {"reason": "none_satisfies"}
    grant: Delta = {
        "permissions": {"purchase": ({"id": "purchase", "allowed": False}, {"id": "purchase", "allowed": True})}
    }
    assert judge(expectation, {}, answers).contract_index == 0
    assert judge(expectation, grant, answers).contract_index == 1
    assert not passes(expectation, {**grant, "wallet": paid(5)}, answers=answers)


def test_relations_are_asked_only_when_all_else_holds() -> None:
    asked: list[str] = []

    def holds(name: str) -> bool:
        asked.append(name)
        return True

    expectation = Expectation(any_of=[Contract(changes=[pay(5)], relations=["balance", "stock"])])
    compiled = compile_expectation(expectation, TABLES, NOW)
    assert not compiled.judge({"wallet": paid(6)}, {}, (), holds).passed
    assert asked == []
    assert compiled.judge({"wallet": paid(5)}, {}, (), holds).passed
    assert asked == ["balance", "stock"]


def test_a_table_that_is_not_declared_fails() -> None:
    assert not passes(Contract(changes=[pay(5)]), {"wallet": paid(5), "dreams": made(note("d"))})
