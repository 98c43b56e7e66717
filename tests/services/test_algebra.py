"""Every node of the goal algebra in the direct engine, as `schemas.goal` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import goal as g
from schemas.base import Scalar
from services.runtime.algebra import (
    NO_ROW,
    AlgebraError,
    Row,
    Scope,
    Value,
    aggregate,
    compile_expr,
    compile_pred,
    compile_rel,
    slots_of,
)

NOW = "2024-02-28T23:59:58"


class Shelf:
    """Tables as plain dicts."""

    def __init__(
        self, tables: Mapping[str, Sequence[Mapping[str, Value]]], columns: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.tables, self.names = tables, columns

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        return [{f"{prefix}.{name}": value for name, value in row.items()} for row in self.tables[table]]

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        return next((row for row in self.rows(table, prefix) if row[f"{prefix}.id"] == key), None)

    def columns(self, table: str) -> tuple[str, ...]:
        return self.names[table]


FRUIT: list[dict[str, Value]] = [
    {"id": "a", "kind": "pome", "cents": 30, "tags": ("red", "sweet")},
    {"id": "b", "kind": "stone", "cents": 20, "tags": ()},
    {"id": "c", "kind": "pome", "cents": None, "tags": None},
    {"id": "d", "kind": None, "cents": 25, "tags": ("sweet",)},
]
SOLD: list[dict[str, Value]] = [
    {"id": "1", "fruit": "a", "units": 2},
    {"id": "2", "fruit": "a", "units": 5},
    {"id": "3", "fruit": "d", "units": 1},
]
SHELF = Shelf(
    {"fruit": FRUIT, "sold": SOLD, "none": []},
    {"fruit": ("id", "kind", "cents", "tags"), "sold": ("id", "fruit", "units"), "none": ("id", "fruit", "note")},
)
TABLE = g.Table(table="fruit", prefix="f")


def scope(**slots: Value) -> Scope:
    return Scope(SHELF, NOW, slots)


def value(expr: g.Expr, row: Row = NO_ROW, **slots: Value) -> Value:
    return compile_expr(expr)(row, scope(**slots))


def truth(pred: g.Pred, row: Row = NO_ROW, **slots: Value) -> bool:
    return compile_pred(pred)(row, scope(**slots))


def rows(rel: g.Rel) -> list[dict[str, Value]]:
    return [dict(row) for row in compile_rel(rel)(scope())]


def ids(rel: g.Rel, column: str = "f.id") -> list[Value]:
    return [row[column] for row in rows(rel)]


def const(item: Scalar) -> g.Const:
    return g.Const(value=item)


def col(name: str) -> g.Col:
    return g.Col(name=name)


def arith(fn: str, *args: Scalar) -> g.Arith:
    return g.Arith.model_validate({"fn": fn, "args": [const(arg) for arg in args]})


def test(fn: str, left: g.Expr, right: g.Expr) -> g.Test:
    return g.Test.model_validate({"fn": fn, "left": left, "right": right})


def total(fn: str, source: g.Rel, of: g.Expr | None = None) -> g.Aggregate:
    return g.Aggregate.model_validate({"fn": fn, "source": source, "of": of})


def date(fn: str, *args: Scalar) -> g.DateOf:
    return g.DateOf.model_validate({"fn": fn, "args": [const(arg) for arg in args]})


test.__test__ = False  # type: ignore[attr-defined]


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


# Relations


def test_table_names_its_columns() -> None:
    assert rows(g.Table(table="sold", prefix="s"))[0] == {"s.id": "1", "s.fruit": "a", "s.units": 2}


def test_select_adds_columns_then_filters_sorts_and_cuts() -> None:
    double = g.Column(name="double", value=g.Arith(fn="mul", args=[col("f.cents"), const(2)]))
    more = g.Column(name="more", value=g.Arith(fn="add", args=[col("double"), const(1)]))
    chosen = g.Select(
        source=TABLE,
        columns=[double, more],
        where=test("gt", col("more"), const(41)),
        order=[g.Order(key=col("double"))],
        limit=1,
    )
    assert [(row["f.id"], row["double"], row["more"]) for row in rows(chosen)] == [("d", 50, 51)]
    assert ids(g.Select(source=TABLE, limit=0)) == []
    assert "double" not in FRUIT[0]


@pytest.mark.parametrize(("descending", "expected"), [(False, ["c", "b", "d", "a"]), (True, ["a", "d", "b", "c"])])
def test_nulls_sort_below_everything(descending: bool, expected: list[str]) -> None:
    assert ids(g.Select(source=TABLE, order=[g.Order(key=col("f.cents"), descending=descending)])) == expected


def test_later_sort_keys_decide_ties() -> None:
    order = [g.Order(key=col("f.kind")), g.Order(key=col("f.id"), descending=True)]
    assert ids(g.Select(source=TABLE, order=order)) == ["d", "c", "a", "b"]


def test_sort_keys_of_different_types_are_an_error() -> None:
    mixed = g.Case(branches=[g.When(test=test("eq", col("f.id"), const("a")), then=const("x"))], otherwise=const(1))
    with pytest.raises(AlgebraError):
        rows(g.Select(source=TABLE, order=[g.Order(key=mixed)]))


SALES = g.Table(table="sold", prefix="s")
SAME = test("eq", col("f.id"), col("s.fruit"))
SWAPPED = test("eq", col("s.fruit"), col("f.id"))
SLOW = g.All(of=[SAME, test("eq", const(1), const(1))])


@pytest.mark.parametrize("on", [SAME, SWAPPED, SLOW], ids=["indexed", "swapped", "scanned"])
def test_join_pairs_rows(on: g.Pred) -> None:
    pairs = [(row["f.id"], row["s.id"]) for row in rows(g.Join(left=TABLE, right=SALES, on=on))]
    assert pairs == [("a", "1"), ("a", "2"), ("d", "3")]
    kept = [(row["f.id"], row["s.id"]) for row in rows(g.Join(left=TABLE, right=SALES, on=on, keep_left=True))]
    assert kept == [("a", "1"), ("a", "2"), ("b", None), ("c", None), ("d", "3")]


NOTHING = g.Table(table="none", prefix="n")
NO_SALES = g.Select(source=SALES, where=test("gt", col("s.units"), const(99)))
UNITS = g.Measure(name="units", fn="sum", of=col("s.units"))


@pytest.mark.parametrize(
    ("right", "columns"),
    [
        (NOTHING, {"n.id", "n.fruit", "n.note"}),
        (NO_SALES, {"s.id", "s.fruit", "s.units"}),
        (g.Select(source=NOTHING, columns=[g.Column(name="x", value=const(1))]), {"n.id", "n.fruit", "n.note", "x"}),
        (g.Group(source=NO_SALES, keys=["s.fruit"], measures=[UNITS]), {"s.fruit", "units"}),
        (g.Unnest(source=NOTHING, column="n.note", name="word"), {"n.id", "n.fruit", "n.note", "word"}),
        (
            g.Join(left=NOTHING, right=SALES, on=g.Any(of=[])),
            {"n.id", "n.fruit", "n.note", "s.id", "s.fruit", "s.units"},
        ),
    ],
    ids=["table", "select", "computed", "group", "unnest", "join"],
)
def test_a_left_join_with_nothing_gives_nulls(right: g.Rel, columns: set[str]) -> None:
    on = test("eq", col("f.id"), const("a"))
    found = rows(g.Join(left=TABLE, right=right, on=on, keep_left=True))
    assert [row["f.id"] for row in found] == ["a", "b", "c", "d"]
    for row in found:
        assert {name for name in row if not name.startswith("f.")} == columns
        assert all(row[name] is None for name in columns)


def test_null_joins_null() -> None:
    # `eq` treats null as a value, with an index and without.
    left = g.Select(source=TABLE, where=test("eq", col("f.kind"), const(None)))
    right = g.Table(table="fruit", prefix="o")
    on = test("eq", col("f.kind"), col("o.kind"))
    assert ids(g.Join(left=left, right=right, on=on), "o.id") == ["d"]
    assert ids(g.Join(left=left, right=right, on=g.All(of=[on, g.All(of=[])])), "o.id") == ["d"]


@pytest.mark.parametrize("on", [test("eq", col("f.id"), col("f.kind")), test("eq", col("s.id"), col("s.fruit"))])
def test_a_join_condition_on_one_side_alone(on: g.Test) -> None:
    assert rows(g.Join(left=TABLE, right=SALES, on=on)) == []


def test_a_join_on_lists_compares_them() -> None:
    left = g.Select(source=TABLE, columns=[g.Column(name="list", value=col("f.tags"))])
    on = test("eq", col("list"), col("o.tags"))
    shelf = Shelf({"fruit": [{**row, "tags": list(row["tags"] or ())} for row in FRUIT]}, {})  # type: ignore[call-overload]
    found = compile_rel(g.Join(left=left, right=g.Table(table="fruit", prefix="o"), on=on))(Scope(shelf, NOW, {}))
    assert [(row["f.id"], row["o.id"]) for row in found] == [
        ("a", "a"),
        ("b", "b"),
        ("b", "c"),
        ("c", "b"),
        ("c", "c"),
        ("d", "d"),
    ]


def test_a_self_join_keeps_the_right_value_of_a_shared_name() -> None:
    left = g.Select(source=TABLE, columns=[g.Column(name="same", value=const("a"))])
    right = g.Select(source=SALES, columns=[g.Column(name="same", value=const("z"))])
    on = test("eq", col("same"), col("s.fruit"))
    both = g.Join(left=left, right=right, on=on)
    assert rows(both) == []


def test_unnest_gives_a_row_per_element() -> None:
    found = rows(g.Unnest(source=TABLE, column="f.tags", name="tag"))
    assert [(row["f.id"], row["tag"]) for row in found] == [("a", "red"), ("a", "sweet"), ("d", "sweet")]
    with pytest.raises(AlgebraError, match="no list"):
        rows(g.Unnest(source=TABLE, column="f.kind", name="letter"))


def test_group_makes_one_row_per_key() -> None:
    measures = [
        g.Measure(name="n", fn="count"),
        g.Measure(name="sum", fn="sum", of=col("f.cents")),
        g.Measure(name="low", fn="min", of=col("f.cents")),
    ]
    assert rows(g.Group(source=TABLE, keys=["f.kind"], measures=measures)) == [
        {"f.kind": "pome", "n": 2, "sum": 30, "low": 30},
        {"f.kind": "stone", "n": 1, "sum": 20, "low": 20},
        {"f.kind": None, "n": 1, "sum": 25, "low": 25},
    ]
    assert rows(g.Group(source=NOTHING, keys=["n.id"], measures=measures[:1])) == []
    assert rows(g.Group(source=TABLE, keys=[], measures=measures[:1])) == [{"n": 4}]


def test_slots_are_found_wherever_they_stand() -> None:
    pred = g.All(
        of=[g.Has(column="f.tags", value=g.Slot(name="tag")), g.Not(of=test("eq", g.Slot(name="x"), const(1)))]
    )
    assert slots_of(g.Select(source=TABLE, where=pred, order=[g.Order(key=g.Slot(name="key"))])) == {"tag", "x", "key"}
