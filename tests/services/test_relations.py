"""Relations of the goal algebra in the direct engine, as `schemas.algebra` describes them."""

from __future__ import annotations

import pytest

from schemas import goal as g
from services.runtime.algebra import AlgebraError, Scope, compile_rel
from tests.services.fruit import FRUIT, NOW, TABLE, Shelf, col, const, ids, rows, test

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


def test_a_condition_sees_the_computed_column_of_a_name_that_the_source_has_too() -> None:
    hidden = g.Column(name="f.cents", value=const(7))
    where = g.All(of=[test("eq", col("f.kind"), const("pome")), test("eq", col("f.cents"), const(7))])
    assert ids(g.Select(source=TABLE, columns=[hidden], where=where)) == ["a", "c"]


def test_a_condition_sees_what_is_inside_of_a_computed_column() -> None:
    pair = g.Column(
        name="pair", value=g.Lookup(source=TABLE, field="f.tags", where=test("eq", col("f.id"), const("a")))
    )
    chosen = g.Select(source=TABLE, columns=[pair], where=test("eq", col("pair.0"), const("red")))
    assert ids(chosen) == ["a", "b", "c", "d"]


def test_columns_are_computed_of_rows_that_may_be_left_only() -> None:
    tenth = g.Column(name="tenth", value=g.Arith(fn="to_int", args=[col("f.id"), const(1)]))
    one = g.Select(source=TABLE, columns=[tenth], where=test("eq", col("f.id"), const("nobody")))
    assert rows(one) == []
    with pytest.raises(AlgebraError):
        rows(g.Select(source=TABLE, columns=[tenth]))


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
