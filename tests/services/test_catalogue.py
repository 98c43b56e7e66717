"""What may not stand in the declarations of services; each contradiction is named."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from schemas import goal as g
from schemas.base import Json
from services.runtime.catalogue import build_catalogue, installed_catalogue
from services.runtime.declare import (
    Alternative,
    Approval,
    Invariant,
    Probe,
    Service,
    Table,
    TransactionKind,
    Undo,
    View,
)
from services.runtime.records import Record
from services.runtime.tools import UNIVERSAL_ERRORS, Context, tool
from tests.services import toy

SERVICE = toy.SERVICE


class Inexact(Record, frozen=True):
    weight: float


class Open(msgspec.Struct):
    value: int


class Mutable(Record, frozen=True):
    names: list[str] | None


class Nested(Record, frozen=True):
    inner: tuple[Open, ...]


def undocumented(c: Context) -> dict[str, Json]:
    return {}


def _tools(**changes: object) -> Service:
    return replace(SERVICE, tools=(replace(toy.look, name="other", **changes), *toy.TOOLS))  # type: ignore[arg-type]


def _tables(table: Table) -> Service:
    return replace(SERVICE, tables=(*toy.TABLES, table))


def _gates(**changes: object) -> Service:
    return replace(SERVICE, gates=(replace(toy.power_gate(), **changes),))  # type: ignore[arg-type]


def _nothing(c: Context, key: str) -> None:
    """Do nothing."""


def _kind(name: str, **errors: str) -> TransactionKind:
    return TransactionKind(
        name=name,
        check=_nothing,
        price=lambda c, key: 0,
        reprice=_nothing,
        settle=_nothing,
        describe=lambda c, key: {},
        errors=errors,
    )


ASKS = g.Test(fn="eq", left=g.Slot(name="x"), right=g.Const(value=1))
LOOSE = Invariant("loose", "Asks for something.", ASKS)
TWO_KINDS = replace(SERVICE, transaction_kinds=(_kind("a"), _kind("a")))


@pytest.mark.parametrize(
    ("services", "message"),
    [
        ([SERVICE, SERVICE], "two services declare the service 'toy'"),
        ([SERVICE, replace(SERVICE, name="b")], "the tool 'look'"),
        ([SERVICE, Service("b", "", tables=(Table("lamps", Inexact, "b"),))], "the table 'lamps'"),
        ([SERVICE, Service("b", "", world_tables=(Table("lamps", Inexact, "b"),))], "the table 'lamps'"),
        ([SERVICE, Service("b", "", tables=(Table("b", Record, "lamp"),))], "the id prefix 'lamp'"),
        ([SERVICE, Service("b", "", gates=(toy.power_gate(),))], "the gate 'POWER'"),
        ([SERVICE, Service("b", "", invariants=(toy.LIT,))], "the invariant 'lamps_lit'"),
        ([TWO_KINDS], "the transaction kind 'a'"),
        ([_tables(Table("again", toy.Lamp, "again"))], "two tables hold records of the type Lamp"),
        ([_tables(Table("b", Inexact, "b"))], "field 'weight' of table 'b' is no integer"),
        ([_tables(Table("b", Mutable, "b"))], "field 'names' of table 'b' is of a type that can be changed"),
        ([_tables(Table("b", Nested, "b"))], "field 'inner' of table 'b' is of a type that can be changed"),
        ([_tables(Table("b", Record, "b", references={"x": "lamps"}))], "table 'b' names the unknown field 'x'"),
        ([_tables(Table("b", Record, "b", references={"id": "x"}))], "table 'b' refers to the unknown table 'x'"),
        ([_tables(Table("b", Record, "b", view=View(("id",), ("x",))))], "table 'b' names the unknown field 'x'"),
        ([_tables(Table("b", Record, "b", stamps=("x",)))], "table 'b' names the unknown field 'x'"),
        ([_tables(Table("b", Record, "b", indexes=("x",)))], "table 'b' names the unknown field 'x'"),
        ([_tools(gates=("X",))], "tool 'other' names the unknown gate 'X'"),
        ([_tools(gates=("POWER",))], "gate 'POWER' asks for 'watts', which is no argument of tool 'other'"),
        ([_tools(errors={"WRONG_SIDE": "x"})], "tool 'other' declares 'WRONG_SIDE', which every tool has"),
        ([_tools(example={"x": 1})], "tool 'other' has no argument 'x'"),
        ([_tools(splits="x")], "tool 'other' has no argument 'x'"),
        ([_tools(alternatives=(Alternative("x", 1, 2),))], "tool 'other' has no argument 'x'"),
        ([_tools(undo=Undo("x", "a", "b"))], "tool 'other' is undone by the unknown tool 'x'"),
        ([_tools(approval=Approval("x", "", "", "", 1, "", "", ""))], "approves records of the unknown table 'x'"),
        ([_tools(summary="")], "tool 'other' has no docstring"),
        (
            [_gates(closed=g.Test(fn="eq", left=g.Slot(name="watts"), right=g.Const(value=1)), standing=True)],
            "as standing",
        ),
        ([_gates(probe=Probe("x"))], "gate 'POWER' has the unknown tool 'x' as its probe"),
        ([_gates(remedy=replace(toy.power_gate().remedy, tool="x"))], "the unknown tool 'x' as its remedy"),  # type: ignore[type-var]
        ([_gates(remedy=replace(toy.power_gate().remedy, values={}))], "its remedy's value 'on' stands"),  # type: ignore[type-var]
        ([replace(SERVICE, invariants=(LOOSE,))], "invariant 'loose' uses the slot 'x'"),
    ],
)
def test_contradictions_are_refused(services: list[Service], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        build_catalogue(services)
    assert message in str(caught.value)


def test_a_tool_is_not_made_of_a_function_without_docstring() -> None:
    with pytest.raises(ValueError, match="the tool undocumented has no docstring"):
        tool(side="assistant")(undocumented)


def test_all_contradictions_are_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"unknown gate 'X'.*unknown gate 'Y'"):
        build_catalogue([_tools(gates=("X", "Y"))])


def test_services_are_taken_in_order_of_their_names() -> None:
    other = Service("a", "", tables=(Table("b", Record, "b"),))
    assert list(build_catalogue([SERVICE, other]).services) == ["a", "toy"]


def test_transaction_kinds_add_their_errors_to_the_tool_that_settles() -> None:
    settling = replace(
        SERVICE,
        tools=(*toy.TOOLS, replace(toy.look, name="pay", settles=True, errors={"NO": "Own."})),
        transaction_kinds=(_kind("b", FULL="No room."), _kind("a", GONE="Left.")),
    )
    catalogue = build_catalogue([settling])
    assert catalogue.tools["pay"].errors == {"GONE": "Left.", "FULL": "No room.", "NO": "Own."}
    assert catalogue.tools["look"].errors == {}


def test_errors_of_a_tool_are_its_own_its_gates_and_the_universal_ones() -> None:
    catalogue = toy.catalogue()
    assert set(catalogue.errors_of(toy.hang)) == {*UNIVERSAL_ERRORS, "NO_POWER", "TOO_BRIGHT"}


def test_the_installed_services_are_found_once() -> None:
    assert {"account", "payments", "shopping"} <= set(installed_catalogue().services)
    assert installed_catalogue() is installed_catalogue()
