"""What the judge passes and what it does not: answers, changes, ids of created records."""

from __future__ import annotations

from typing import cast

import pytest

from schemas.base import Json
from schemas.contract import (
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
)
from tests.validators.judge_support import is_, new_line, new_note, new_order, paid, passes, pay
from tests.validators.toy import TOO_LATE, line, made, node, note, order, product
from validators.contract.changes import Delta

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
