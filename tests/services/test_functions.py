"""How the expectations of a task's parts become one."""

from __future__ import annotations

import pytest

from schemas.contract import Answer, Change, Contract, Equal, Expectation, Left, Ref, RequiredAsk, Rule, Total
from services.functions import PartsConflict, merge_expectations


def update(field: str, rule: Rule, key: str = "wallet") -> Change:
    return Change(op="update", table="wallet", id=key, fields={field: rule})


def part(*changes: Change, totals: list[Total] | None = None) -> Expectation:
    return Expectation(any_of=[Contract(changes=list(changes), totals=totals or [], relations=["r"])])


def test_amounts_taken_from_one_field_add_and_never_fall_below_nothing() -> None:
    one, two = (
        part(update("balance", Left(start=50, amounts=[30]))),
        part(update("balance", Left(start=50, amounts=[5]))),
    )
    (contract,) = merge_expectations([("1.", one), ("2.", two)]).any_of
    assert contract.changes == [update("balance", Equal(value=15))]
    assert contract.relations == ["r"]
    (contract,) = merge_expectations([("1.", one), ("2.", one)]).any_of
    assert contract.changes == [update("balance", Equal(value=0))]


def test_one_part_alone_is_only_settled() -> None:
    total = Total(table="ledger", column="amount", value=80, beyond=50)
    merged = merge_expectations([("", part(update("balance", Left(start=50, amounts=[80])), totals=[total]))])
    assert merged.any_of[0].changes == [update("balance", Equal(value=0))]
    assert merged.any_of[0].totals == [Total(table="ledger", column="amount", value=30)]


def test_equal_totals_add_before_what_they_must_exceed_is_taken_off() -> None:
    total = Total(table="ledger", where={"kind": "top_up"}, column="amount", value=40, beyond=50)
    (contract,) = merge_expectations([("1.", part(totals=[total])), ("2.", part(totals=[total]))]).any_of
    assert [item.value for item in contract.totals] == [30]


def test_the_same_effect_of_two_parts_counts_once_but_two_creates_are_two() -> None:
    grant = update("allowed", Equal(value=True), "purchase")
    create = Change(op="create", table="notes", fields={"text": Equal(value="milk")})
    (contract,) = merge_expectations([("1.", part(grant, create)), ("2.", part(grant, create))]).any_of
    assert contract.changes == [grant, create, create]


def test_fields_of_one_record_join_and_conflicts_are_refused() -> None:
    one, two = part(update("a", Equal(value=1))), part(update("b", Equal(value=2)))
    (contract,) = merge_expectations([("1.", one), ("2.", two)]).any_of
    assert contract.changes == [
        Change(op="update", table="wallet", id="wallet", fields={"a": Equal(value=1), "b": Equal(value=2)})
    ]
    with pytest.raises(PartsConflict, match="'wallet' in 'wallet'"):
        merge_expectations([("1.", one), ("2.", part(update("a", Equal(value=3))))])


def test_every_acceptable_end_of_one_part_goes_with_every_end_of_the_other() -> None:
    grant = update("allowed", Equal(value=True), "purchase")
    declined = Expectation(
        any_of=[Contract(), Contract(changes=[grant])],
        answers=[Answer(name="reason", kind="reason", value="out_of_stock")],
        asks=[RequiredAsk(gate="G")],
    )
    merged = merge_expectations([("1.", declined), ("2.", declined)])
    assert [contract.changes for contract in merged.any_of] == [[], [grant]]
    assert [answer.name for answer in merged.answers] == ["1.reason", "2.reason"]
    assert [ask.gate for ask in merged.asks] == ["G"]
    bought = part(grant)
    assert [c.changes for c in merge_expectations([("1.", declined), ("2.", bought)]).any_of] == [[grant]]


def test_variables_and_references_are_named_by_part() -> None:
    order = Change(op="create", table="orders", var="order", fields={"total": Equal(value=1)})
    line = Change(op="create", table="lines", var="line", fields={"order": Ref(var="order")})
    (contract,) = merge_expectations([("1.", part(order, line)), ("2.", part(order, line))]).any_of
    assert [change.var for change in contract.changes] == ["1.order", "1.line", "2.order", "2.line"]
    assert [c.fields["order"] for c in contract.changes if c.table == "lines"] == [
        Ref(var="1.order"),
        Ref(var="2.order"),
    ]
