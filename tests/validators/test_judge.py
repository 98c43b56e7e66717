"""What the judge passes and what it does not, rule by rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, cast

import pytest

from schemas.base import Json
from schemas.contract import (
    Allowed,
    Answer,
    AnyValue,
    Change,
    Contract,
    Equal,
    Expectation,
    OneOf,
    Range,
    Ref,
    RequiredAsk,
    Rule,
    Text,
    Total,
)
from tests.validators.toy import (
    LATER,
    NOW,
    TABLES,
    TOO_LATE,
    Rows,
    entry,
    line,
    made,
    node,
    note,
    order,
    product,
)
from validators.contract.changes import Delta, Held
from validators.contract.judge import Judgement, compile_expectation
from validators.contract.values import InvalidContract

STAMP = Range(low=NOW, high="2025-05-04T12:00:00")


def is_(**values: Json) -> dict[str, Rule]:
    return {name: Equal(value=value) for name, value in values.items()}


def new_note(title: str, **rules: Rule) -> Change:
    fields = {**is_(title=title, tag=None, day="2025-05-03", pinned=False), "made_at": STAMP, **rules}
    return Change(op="create", table="notes", fields=fields)


def new_order(var: str = "", total: int = 500) -> Change:
    fields = {**is_(kind="shop", total_cents=total), "made_at": STAMP, "settled_at": STAMP}
    return Change(op="create", table="orders", var=var, fields=fields)


def new_line(of: Rule, product_id: str, quantity: int = 1, price: int = 100) -> Change:
    fields = {**is_(product_id=product_id, quantity=quantity, price_cents=price), "order_id": of}
    return Change(op="create", table="lines", fields=fields)


def pay(cents: int) -> Change:
    return Change(op="update", table="wallet", id="wallet", fields=is_(balance_cents=1000 - cents))


def paid(cents: int) -> dict[str, tuple[Rows | None, Rows | None]]:
    wallet: Rows = {"id": "wallet", "balance_cents": 1000, "opening_cents": 1000}
    return {"wallet": (wallet, {**wallet, "balance_cents": 1000 - cents})}


def judge(
    expectation: Expectation | Contract,
    delta: Delta,
    answers: Mapping[str, Json] | None = None,
    asks: Collection[str] = (),
    false: Collection[str] = (),
    held: Held | None = None,
) -> Judgement:
    whole = Expectation(any_of=[expectation]) if isinstance(expectation, Contract) else expectation
    return compile_expectation(whole, TABLES, NOW, held).judge(
        delta, answers or {}, asks, lambda name: name not in false
    )


def passes(
    expectation: Expectation | Contract,
    delta: Delta,
    answers: Mapping[str, Json] | None = None,
    asks: Collection[str] = (),
    false: Collection[str] = (),
    held: Held | None = None,
) -> bool:
    result = judge(expectation, delta, answers, asks, false, held)
    assert result.passed == (not result.reason) == (result.contract_index >= 0)
    return result.passed


# --- what a contract must be ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expectation",
    [
        Expectation(any_of=[]),
        Expectation(any_of=[Contract()]),
        Expectation(any_of=[Contract(changes=[new_note("milk")]), Contract(relations=["balance"])]),
        Expectation(any_of=[Contract(totals=[Total(table="ledger", fn="le", value=3)])]),
        Expectation(any_of=[Contract(totals=[Total(table="ledger", fn="eq", value=0)])]),
        Expectation(any_of=[Contract(allowed=[Allowed(change=new_note("milk"))])]),
    ],
    ids=["no contract", "empty", "one of two empty", "upper bound", "zero", "allowed only"],
)
def test_an_expectation_that_demands_nothing_is_refused(expectation: Expectation) -> None:
    with pytest.raises(InvalidContract):
        compile_expectation(expectation, TABLES, NOW)


def changed(change: Change, **update: object) -> Change:
    return change.model_copy(update=update)


@pytest.mark.parametrize(
    ("why", "contract"),
    [
        (
            "no rule for the field 'pinned'",
            Contract(changes=[changed(new_note("a"), fields=is_(title="a", tag=None, day="", made_at=None))]),
        ),
        ("no field 'colour'", Contract(changes=[new_note("a", colour=AnyValue())])),
        ("not declared", Contract(changes=[changed(new_note("a"), table="dreams")])),
        ("an id is given", Contract(changes=[changed(new_note("a"), id="n1")])),
        ("an id is given", Contract(changes=[changed(pay(5), id="")])),
        ("names no field", Contract(changes=[changed(pay(5), fields={})])),
        ("a deletion has no", Contract(changes=[changed(pay(5), op="delete")])),
        ("state them as one", Contract(changes=[pay(5), Change(op="delete", table="wallet", id="wallet")])),
        ("no change binds", Contract(changes=[new_line(Ref(var="o"), "p1")])),
        ("bind the same", Contract(changes=[new_order("o"), new_order("o")])),
        ("only a created", Contract(changes=[changed(pay(5), var="w")])),
        (
            "has no id",
            Contract(changes=[changed(new_line(Equal(value="o1"), "p1"), var="o"), new_line(Ref(var="o"), "p2")]),
        ),
        ("cannot be one value", Contract(changes=[new_note("a", made_at=Equal(value=LATER))])),
        ("cannot lie", Contract(changes=[new_note("a", made_at=Range(low=TOO_LATE, high=TOO_LATE))])),
        ("admits nothing", Contract(changes=[new_note("a", day=OneOf(values=[]))])),
        ("admits nothing", Contract(changes=[new_note("a", day=Range(low="2025", high=7))])),
        ("admits nothing", Contract(changes=[new_note("a", day=Range(low=2, high=1))])),
        ("admits any text", Contract(changes=[new_note("a", day=Text(slots={}))])),
        ("no field of it", Contract(totals=[Total(table="ledger", column="amount", value=5)])),
        ("once or more", Contract(changes=[pay(5)], allowed=[Allowed(change=new_note("a"), at_most=0)])),
        (
            "once only",
            Contract(changes=[new_line(Ref(var="o"), "p1")], allowed=[Allowed(change=new_order("o"), at_most=2)]),
        ),
    ],
    ids=str,
)
def test_a_contract_that_cannot_be_judged_is_refused(why: str, contract: Contract) -> None:
    with pytest.raises(InvalidContract, match=why):
        compile_expectation(Expectation(any_of=[contract]), TABLES, NOW)


def test_two_answers_of_one_name_are_refused() -> None:
    answers = [Answer(name="total", kind="count", value=value) for value in (1, 2)]
    with pytest.raises(InvalidContract, match="same name"):
        compile_expectation(Expectation(any_of=[Contract()], answers=answers), TABLES, NOW)


# --- answers and questions -----------------------------------------------------------------------------------------


def told(kind: str, value: Json) -> Expectation:
    return Expectation(any_of=[Contract()], answers=[Answer(name="it", kind=kind, value=value)])


@pytest.mark.parametrize(
    ("kind", "expected", "given", "right"),
    [
        ("money_cents", 1250, 1250, True),
        ("money_cents", 1250, 1250.0, True),
        ("money_cents", 1250, 1249, False),
        ("money_cents", 1250, "1250", False),
        ("count", 1, True, False),
        ("count", 0, False, False),
        ("count", 0, None, False),
        ("date", "2025-05-03", "2025-05-03", True),
        ("date", "2025-05-03", "2025-05-04", False),
        ("name", "Oats", "oats", False),
        ("names", ["A", "B"], ["B", "A"], True),
        ("names", ["A", "B"], ["B", "A", "A"], True),
        ("names", ["A", "B"], ["A"], False),
        ("names", ["A", "B"], ["A", "B", "C"], False),
        ("names", ["A"], "A", False),
        ("names", [], [], True),
    ],
)
def test_answers_are_typed_values(kind: str, expected: Json, given: Json, right: bool) -> None:
    assert passes(told(kind, expected), {}, answers={"it": given}) is right


def test_a_missing_answer_fails_and_a_further_one_does_not() -> None:
    assert not passes(told("count", 3), {})
    assert not passes(told("count", 3), {}, answers={"that": 3})
    assert passes(told("count", 3), {}, answers={"it": 3, "that": 4})


def test_a_reason_fails_where_none_is_expected() -> None:
    assert not passes(told("count", 3), {}, answers={"it": 3, "reason": "policy"})
    assert not passes(Contract(changes=[pay(5)]), {"wallet": paid(5)}, answers={"reason": "cannot_afford"})
    assert passes(told("count", 3), {}, answers={"it": 3, "reason": None})


def test_a_decline_needs_its_reason_and_its_question() -> None:
    expectation = Expectation(
        any_of=[Contract()],
        answers=[Answer(name="reason", kind="reason", value="consent_refused")],
        asks=[RequiredAsk(gate="PURCHASE")],
    )
    right: dict[str, Json] = {"reason": "consent_refused"}
    assert passes(expectation, {}, answers=right, asks={"PURCHASE"})
    assert not passes(expectation, {}, answers=right)
    assert not passes(expectation, {}, answers={"reason": "policy"}, asks={"PURCHASE"})
    assert not passes(expectation, {}, asks={"PURCHASE"})
    assert not passes(expectation, {"wallet": paid(5)}, answers=right, asks={"PURCHASE"})


# --- changes -------------------------------------------------------------------------------------------------------

TWO = Contract(changes=[new_note("milk"), pay(300)])


def test_what_is_required_happened_and_nothing_else() -> None:
    right: Delta = {"notes": made(note("n9")), "wallet": paid(300)}
    assert passes(TWO, right)
    assert not passes(TWO, {})
    assert not passes(TWO, {"wallet": paid(300)})
    assert not passes(TWO, {**right, "notes": made(note("n9"), note("n8", "bread"))})
    assert not passes(TWO, {**right, "notes": made(note("n9"), note("n8"))})
    assert not passes(TWO, {**right, "products": {"p1": (product("p1"), None)}})
    assert not passes(TWO, {**right, "products": {"p1": (product("p1"), product("p1", 4))}})


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": "bread"},
        {"tag": "x"},
        {"pinned": True},
        {"pinned": 0},
        {"day": None},
        {"made_at": TOO_LATE},
        {"made_at": None},
    ],
    ids=str,
)
def test_every_field_of_a_created_record_counts(wrong: dict[str, Json]) -> None:
    assert passes(TWO, {"notes": made(note("n9")), "wallet": paid(300)})
    assert not passes(TWO, {"notes": made({**note("n9"), **wrong}), "wallet": paid(300)})


def test_an_update_changes_the_named_fields_only() -> None:
    old = note("n1")
    contract = Contract(changes=[Change(op="update", table="notes", id="n1", fields=is_(title="bread", tag=None))])
    assert passes(contract, {"notes": {"n1": (old, {**old, "title": "bread"})}})
    assert not passes(contract, {"notes": {"n1": (old, {**old, "title": "bread", "pinned": True})}})
    assert not passes(contract, {"notes": {"n1": (old, {**old, "title": "bread", "pinned": 0})}})
    assert not passes(contract, {"notes": {"n1": (old, {**old, "title": "bread", "tag": "x"})}})
    assert not passes(contract, {"notes": {"n1": (old, {**old, "title": "cheese"})}})
    assert not passes(contract, {"notes": {"n2": (old, {**old, "title": "bread"})}})
    assert not passes(contract, {"notes": {"n1": (old, None)}})
    assert not passes(contract, {"notes": {"n1": (None, {**old, "title": "bread"})}})


def test_a_deletion_is_of_this_record() -> None:
    contract = Contract(changes=[Change(op="delete", table="notes", id="n1")])
    assert passes(contract, {"notes": {"n1": (note("n1"), None)}})
    assert not passes(contract, {"notes": {"n2": (note("n2"), None)}})
    assert not passes(contract, {"notes": {"n1": (note("n1"), None), "n2": (note("n2"), None)}})


def test_numbers_have_one_form_and_lists_are_ordered() -> None:
    old = product("p1")
    update = Change(op="update", table="products", id="p1", fields=is_(stock=4, tags=["a", "b"]))
    contract = Contract(changes=[update])
    assert passes(contract, {"products": {"p1": (old, {**old, "stock": 4.0, "tags": ["a", "b"]})}})
    assert not passes(contract, {"products": {"p1": (old, {**old, "stock": 4, "tags": ["b", "a"]})}})
    as_tuple = cast("Json", ("a", "b"))
    assert passes(contract, {"products": {"p1": (old, {**old, "stock": 4, "tags": as_tuple})}})


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        (OneOf(values=["a", None]), ["a", None], ["b", ""]),
        (Range(low="2025-05-01", high="2025-05-03"), ["2025-05-01", "2025-05-03"], ["2025-05-04", None, 20250502]),
        (Range(low=1, high=3), [1, 2, 3.0], [0, 4, True, "2", None]),
        (AnyValue(), ["anything", None], []),
        (Text(slots={"count": [3]}), ["buy 3 of them", "three!"], ["buy 4", "buy 3 or 4", "buy some", None]),
        (
            Text(slots={"name": ["Oat Bar"], "date": ["2025-05-03"]}),
            ["The Oat Bar on 3 May 2025"],
            ["The Oat Bar", "Bars on 3 May 2025", "Oat Bar, 3 May 2025 or 4 May 2025"],
        ),
    ],
    ids=str,
)
def test_field_rules(rule: Rule, right: list[Json], wrong: list[Json]) -> None:
    contract = Contract(changes=[new_note("milk", tag=rule)])
    for value in right:
        assert passes(contract, {"notes": made(note("n9", tag=value))}), value
    for value in wrong:
        assert not passes(contract, {"notes": made(note("n9", tag=value))}), value


# --- ids of created records ----------------------------------------------------------------------------------------


def child(label: str, parent: str, var: str = "") -> Change:
    fields: dict[str, Rule] = {**is_(label=label, friends=[]), "parent_id": Ref(var=parent)}
    return Change(op="create", table="nodes", var=var, fields=fields)


def root(label: str, var: str) -> Change:
    return Change(op="create", table="nodes", var=var, fields=is_(label=label, parent_id=None, friends=[]))


def test_created_ids_are_free_but_consistent() -> None:
    contract = Contract(changes=[new_order("o"), new_line(Ref(var="o"), "p1"), new_line(Ref(var="o"), "p2")])
    right: Delta = {"orders": made(order("x")), "lines": made(line("l1", "x", "p1"), line("l2", "x", "p2"))}
    assert passes(contract, right)
    assert not passes(contract, {**right, "lines": made(line("l1", "x", "p1"), line("l2", "old", "p2"))})
    assert not passes(contract, {**right, "lines": made(line("l1", "old", "p1"), line("l2", "old", "p2"))})


def test_references_need_a_search_when_records_look_alike() -> None:
    contract = Contract(changes=[root("a", "x"), root("a", "y"), child("one", "x"), child("two", "y")])
    assert passes(contract, {"nodes": made(node("n1"), node("n2"), node("n3", "one", "n2"), node("n4", "two", "n1"))})
    assert not passes(
        contract, {"nodes": made(node("n1"), node("n2"), node("n3", "one", "n2"), node("n4", "two", "n2"))}
    )


def test_a_cycle_of_references_is_matched_exactly() -> None:
    contract = Contract(changes=[child("a", "z", "x"), child("a", "x", "y"), child("a", "y", "z")])
    ring = made(node("n1", "a", "n2"), node("n2", "a", "n3"), node("n3", "a", "n1"))
    loops = made(node("n1", "a", "n1"), node("n2", "a", "n3"), node("n3", "a", "n2"))
    assert passes(contract, {"nodes": ring})
    assert not passes(contract, {"nodes": loops})


def test_alike_records_do_not_blow_up() -> None:
    names = [f"v{n}" for n in range(8)]
    contract = Contract(changes=[*(root("a", name) for name in names), *(child("c", name) for name in names)])
    roots = [node(f"r{n}") for n in range(8)]
    right = made(*roots, *(node(f"c{n}", "c", f"r{7 - n}") for n in range(8)))
    wrong = made(*roots, *(node(f"c{n}", "c", f"r{max(1, n)}") for n in range(8)))
    assert passes(contract, {"nodes": right})
    assert not passes(contract, {"nodes": wrong})


def test_overlapping_rules_are_matched_one_to_one() -> None:
    tags = [OneOf(values=["a", "b"]), OneOf(values=["a", "c"]), Equal(value="a")]
    contract = Contract(changes=[new_note("milk", tag=tag) for tag in tags])
    assert passes(contract, {"notes": made(*(note(f"n{t}", tag=t) for t in ("a", "b", "c")))})
    assert not passes(contract, {"notes": made(note("n1", tag="b"), note("n2", tag="b"), note("n3", tag="a"))})
    assert not passes(contract, {"notes": made(note("n1", tag="b"), note("n2", tag="c"), note("n3", tag="c"))})


# --- views, ledgers, totals, allowances, relations -----------------------------------------------------------------


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
