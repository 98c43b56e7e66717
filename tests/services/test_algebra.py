"""Scalars and predicates of the goal algebra in the direct engine, as `schemas.algebra` describes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import goal as g
from schemas.base import Scalar
from services.runtime.algebra import AlgebraError, Row, Value, aggregate, slots_of
from tests.services.fruit import NOW, SHELF, TABLE, arith, col, const, date, test, total, truth, value

# Scalars


def test_constants_slots_and_the_clock() -> None:
    assert value(const("x")) == "x"
    assert value(g.Slot(name="n"), n=3) == 3
    assert value(g.Now()) == "2024-02-28"
    assert value(g.Now(part="time")) == NOW


def test_a_slot_that_is_not_given_is_an_error() -> None:
    with pytest.raises(AlgebraError, match="'n'"):
        value(g.Slot(name="n"))


ROW: Row = {
    "p.price": 5,
    "nutrition": {"sugar_g": 2.5},
    "purchase_options": [{"price": 3.1}, {"price": 14}],
    "nothing": None,
    "p.tags": ("red",),
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p.price", 5),
        ("nutrition.sugar_g", 2.5),
        ("purchase_options.0.price", 3.1),
        ("purchase_options.1.price", 14),
        ("p.tags.0", "red"),
        ("nothing", None),
        ("nothing.at.all", None),
    ],
)
def test_columns_and_paths(name: str, expected: Value) -> None:
    assert value(col(name), ROW) == expected


@pytest.mark.parametrize(
    "name",
    ["p", "p.cost", "nutrition.salt", "purchase_options.2.price", "purchase_options.-1.price", "purchase_options.price",
     "p.price.x", "nutrition.sugar_g.0", ""],
)  # fmt: skip
def test_a_column_that_is_not_there_is_an_error(name: str) -> None:
    with pytest.raises(AlgebraError, match="no column"):
        value(col(name), ROW)


@pytest.mark.parametrize(
    ("fn", "args", "expected"),
    [
        ("add", (1, 2, 3), 6),
        ("sub", (1, 3), -2),
        ("mul", (4, 5), 20),
        ("mod", (13, 5), 3),
        ("mod", (-7, 5), 3),
        ("min", (3, 1, 2), 1),
        ("max", (3, 1, 2), 3),
        ("div_half_up", (5, 2), 3),
        ("div_half_up", (4, 3), 1),
        ("div_half_up", (-5, 2), -2),
        ("div_half_up", (-7, 2), -3),
        ("to_int", (29.3, 100), 2930),
        ("to_int", (0.07, 100), 7),
        ("to_int", (1.1, 10), 11),
        ("to_int", (3, 100), 300),
        ("to_int", ("2.5", 10), 25),
        ("to_decimal", (2930, 100), 29.3),
        ("to_decimal", (300, 100), 3),
        ("to_decimal", (-5, 10), -0.5),
    ],
)
def test_arithmetic(fn: str, args: tuple[Scalar, ...], expected: Value) -> None:
    found = value(arith(fn, *args))
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize("fn", ["add", "sub", "mul", "mod", "min", "max", "div_half_up", "to_int", "to_decimal"])
def test_arithmetic_with_null_is_null(fn: str) -> None:
    assert value(arith(fn, None, 2)) is None
    assert value(arith(fn, 2, None)) is None


@pytest.mark.parametrize(
    ("fn", "args"),
    [("to_int", (29.305, 100)), ("to_int", ("x", 10)), ("to_int", (float("inf"), 10)), ("to_int", (float("nan"), 10)),
     ("div_half_up", (1, 0)), ("div_half_up", (1, -2)), ("mod", (1, 0)), ("sub", (1, "x")), ("add", (1, "x")),
     ("sub", (1, 2, 3)), ("max", (1, "x")), ("to_decimal", (1, 0))],
)  # fmt: skip
def test_arithmetic_that_has_no_value_is_an_error(fn: str, args: tuple[Scalar, ...]) -> None:
    with pytest.raises(AlgebraError):
        value(arith(fn, *args))


@given(st.integers(-(10**9), 10**9))
def test_cents_survive_the_way_to_units_and_back(cents: int) -> None:
    units = value(arith("to_decimal", cents, 100))
    assert isinstance(units, (int, float))
    assert value(arith("to_int", units, 100)) == cents


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_div_half_up_is_the_floor_of_its_formula(a: int, b: int) -> None:
    found = value(arith("div_half_up", a, b))
    assert isinstance(found, int)
    assert 2 * found * b <= 2 * a + b < 2 * (found + 1) * b


def test_case_takes_the_first_branch_that_holds() -> None:
    size = test("gt", g.Slot(name="n"), const(10)), test("gt", g.Slot(name="n"), const(5))
    branches = [g.When(test=branch, then=const(word)) for branch, word in zip(size, ["big", "middle"], strict=True)]
    words = g.Case(branches=branches, otherwise=const("small"))
    assert [value(words, n=n) for n in (11, 6, 5, None)] == ["big", "middle", "small", "small"]
    assert value(g.Case(branches=[], otherwise=const(1))) == 1


@pytest.mark.parametrize(
    ("fn", "args", "expected"),
    [
        ("day", (NOW,), "2024-02-28"),
        ("add_days", (NOW, 1), "2024-02-29"),
        ("add_days", ("2024-03-01", -1), "2024-02-29"),
        ("month_start", ("2024-02-29",), "2024-02-01"),
        ("day", (None,), None),
        ("add_days", (None, 1), None),
        ("add_days", (NOW, None), None),
    ],
)
def test_calendar(fn: str, args: tuple[Scalar, ...], expected: Value) -> None:
    assert value(date(fn, *args)) == expected


@pytest.mark.parametrize("args", [("x", 1), ("2024-02-30", 1), ("9999-12-31", 1), ("2024-01-01", "x")])
def test_a_day_that_does_not_exist_is_an_error(args: tuple[Scalar, ...]) -> None:
    with pytest.raises(AlgebraError):
        value(date("add_days", *args))


def test_named_is_its_body() -> None:
    assert value(g.Named(name="price", body=arith("add", 1, 2), naive=const(0))) == 3


def test_lookup_by_id_and_by_scan() -> None:
    by_id = test("eq", col("f.id"), g.Slot(name="key"))
    assert value(g.Lookup(source=TABLE, where=by_id, field="f.cents"), key="b") == 20
    assert value(g.Lookup(source=TABLE, where=by_id, field="f.cents"), key="none") is None
    assert value(g.Lookup(source=TABLE, where=by_id, field="f.cents"), key=None) is None
    stone = test("eq", col("f.kind"), const("stone"))
    assert value(g.Lookup(source=TABLE, where=stone, field="f.id")) == "b"
    assert value(g.Lookup(source=TABLE, field="f.id")) == "a"
    assert value(g.Lookup(source=g.Table(table="none", prefix="n"), field="n.id")) is None


def test_a_lookup_does_not_see_the_outer_row() -> None:
    # The key reads a column, which is the looked-up row's own, whatever shape the key has.
    outer: Row = {"f.kind": "d", "f.id": "d"}
    own = g.Case(branches=[], otherwise=col("f.kind"))
    where = test("eq", col("f.id"), own)
    assert value(g.Lookup(source=TABLE, where=where, field="f.cents"), outer) is None
    with pytest.raises(AlgebraError):
        value(g.Lookup(source=TABLE, where=test("eq", col("f.id"), col("other")), field="f.id"), {"other": "a"})


def test_a_lookup_of_a_field_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AlgebraError):
        value(g.Lookup(source=TABLE, where=test("eq", col("f.id"), const("a")), field="f.weight"))
    with pytest.raises(AlgebraError):
        value(g.Lookup(source=TABLE, field="f.weight"))


@pytest.mark.parametrize(
    ("fn", "of", "expected"),
    [
        ("count", None, 4),
        ("count", col("f.cents"), 3),
        ("sum", col("f.cents"), 75),
        ("mean", col("f.cents"), 25),
        ("min", col("f.cents"), 20),
        ("max", col("f.cents"), 30),
        ("min", col("f.id"), "a"),
        ("max", col("f.id"), "d"),
    ],
)
def test_aggregates_skip_nulls(fn: str, of: g.Expr | None, expected: Value) -> None:
    assert value(total(fn, TABLE, of)) == expected


@pytest.mark.parametrize(("fn", "expected"), [("count", 0), ("sum", 0), ("mean", None), ("min", None), ("max", None)])
def test_aggregates_over_nothing(fn: str, expected: Value) -> None:
    assert value(total(fn, g.Table(table="none", prefix="n"), col("n.id"))) == expected
    assert aggregate(fn, [None]) == expected


def test_mean_rounds_half_up() -> None:
    assert aggregate("mean", [1, 2]) == 2
    assert aggregate("mean", [-1, -2]) == -1


@pytest.mark.parametrize("fn", ["sum", "mean", "min", "max"])
def test_only_a_count_needs_nothing_to_aggregate(fn: str) -> None:
    with pytest.raises(AlgebraError, match="of nothing"):
        value(total(fn, TABLE))


def test_aggregates_of_mixed_types_are_an_error() -> None:
    with pytest.raises(AlgebraError):
        aggregate("max", [1, "x"])
    with pytest.raises(AlgebraError):
        aggregate("sum", [1, "x"])


# Predicates


@pytest.mark.parametrize(
    ("fn", "left", "right", "expected"),
    [
        ("eq", 1, 1, True), ("eq", 1, 1.0, True), ("eq", 1, "1", False), ("eq", None, None, True),
        ("eq", None, 0, False),
        ("ne", 1, 2, True), ("ne", None, None, False), ("ne", None, 0, True), ("ne", 0, None, True),
        ("lt", 1, 2, True), ("lt", 2, 2, False), ("le", 2, 2, True), ("gt", 2, 2, False), ("ge", 2, 2, True),
        ("lt", "2024-02-28", "2024-03-01", True), ("lt", "B", "a", True), ("lt", "z", "é", True),
        ("lt", None, 1, False), ("gt", 1, None, False), ("le", None, None, False), ("ge", None, None, False),
    ],
)  # fmt: skip
def test_comparisons(fn: str, left: Scalar, right: Scalar, expected: bool) -> None:
    assert truth(test(fn, const(left), const(right))) is expected


def test_values_without_an_order_are_an_error() -> None:
    with pytest.raises(AlgebraError, match="no order"):
        truth(test("lt", const(1), const("x")))


def test_all_any_not() -> None:
    yes, no = test("eq", const(1), const(1)), test("eq", const(1), const(2))
    assert truth(g.All(of=[])) and truth(g.All(of=[yes])) and truth(g.All(of=[yes, yes]))
    assert not truth(g.All(of=[yes, no])) and not truth(g.All(of=[no]))
    assert not truth(g.Any(of=[])) and truth(g.Any(of=[no, yes])) and not truth(g.Any(of=[no]))
    assert truth(g.Not(of=no)) and not truth(g.Not(of=yes))


def test_has_asks_for_an_element() -> None:
    sweet = g.Has(column="f.tags", value=g.Slot(name="tag"))
    found = {row["f.id"]: truth(sweet, row, tag="sweet") for row in SHELF.rows("fruit", "f")}
    assert found == {"a": True, "b": False, "c": False, "d": True}


def test_has_on_a_text_is_an_error() -> None:
    # A text is no list: "e" is not an element of "pome".
    with pytest.raises(AlgebraError, match="no list"):
        truth(g.Has(column="f.kind", value=const("e")), {"f.kind": "pome"})


def test_slots_are_found_wherever_they_stand() -> None:
    pred = g.All(
        of=[g.Has(column="f.tags", value=g.Slot(name="tag")), g.Not(of=test("eq", g.Slot(name="x"), const(1)))]
    )
    assert slots_of(g.Select(source=TABLE, where=pred, order=[g.Order(key=g.Slot(name="key"))])) == {"tag", "x", "key"}
