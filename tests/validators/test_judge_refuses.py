"""Contracts that judge nothing, or that no end could meet, are refused."""

from __future__ import annotations

import pytest

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
    Text,
    Total,
)
from tests.validators.judge_support import is_, new_line, new_note, new_order, pay
from tests.validators.toy import LATER, NOW, TABLES, TOO_LATE
from validators.contract.judge import compile_expectation
from validators.contract.values import InvalidContract


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
