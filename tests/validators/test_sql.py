"""The SQL engine, rule by rule: nulls, numbers, dates, lists, orders, and what it refuses."""

from __future__ import annotations

import pytest

from schemas import goal as g
from schemas.base import Json, Scalar
from tests.validators.sql_support import DB, ITEM, NOW, SALE, c, col, column, compare, in_order, rows, truth, value
from validators.engine.evaluate import evaluate_goal
from validators.engine.sql import GoalError

# --- nulls ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fn", "left", "right", "holds"),
    [
        ("eq", None, None, True),
        ("eq", None, 1, False),
        ("ne", None, None, False),
        ("ne", None, 1, True),
        *(
            (fn, left, right, False)
            for fn in ("lt", "le", "gt", "ge")
            for left, right in [(None, 1), (1, None), (None, None)]
        ),
        ("eq", 1, True, False),
        ("eq", True, True, True),
        ("ne", True, False, True),
        ("eq", "1", 1, False),
        ("eq", 25, 25.0, True),
        ("lt", "2024-12-31", "2025-01-01", True),
        ("lt", "Z", "a", True),
        ("lt", "z", "é", True),
    ],
)
def test_comparisons(fn: str, left: Scalar, right: Scalar, holds: bool) -> None:
    assert truth(compare(fn, c(left), c(right))) is holds
    assert truth(g.Not(of=compare(fn, c(left), c(right)))) is not holds


def test_a_comparison_with_null_is_false_under_not() -> None:
    dear = compare("gt", col("i.price"), c(200))
    assert sorted(map(str, column(g.Select(source=ITEM, where=dear), "i.id"))) == ["a"]
    assert sorted(map(str, column(g.Select(source=ITEM, where=g.Not(of=dear)), "i.id"))) == ["b", "c"]


def test_empty_conditions() -> None:
    assert truth(g.All(of=[])) and not truth(g.Any(of=[]))
    assert truth(g.All(of=[g.All(of=[]), g.Not(of=g.Any(of=[]))]))


# --- arithmetic and dates ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fn", "args", "result"),
    [
        ("add", [1, 2, 3], 6),
        ("sub", [1, 5], -4),
        ("mul", [-3, 5], -15),
        ("mod", [7, 5], 2),
        ("mod", [-7, 5], 3),
        ("mod", [7, -5], -3),
        ("min", [4, 2, 3], 2),
        ("max", [4, 2, 3], 4),
        *(
            ("div_half_up", [a, 100], r)
            for a, r in [(149, 1), (150, 2), (151, 2), (0, 0), (-149, -1), (-150, -1), (-151, -2)]
        ),
        ("div_half_up", [7, 2], 4),
        ("div_half_up", [-7, 2], -3),
        ("to_int", [29.3, 100], 2930),
        ("to_int", [0.07, 100], 7),
        ("to_decimal", [2930, 100], 29.3),
        ("to_decimal", [2500, 100], 25),
        *((fn, [None, 3], None) for fn in ("add", "sub", "mul", "mod", "min", "max", "div_half_up", "to_decimal")),
    ],
)
def test_arithmetic(fn: str, args: list[Scalar], result: Json) -> None:
    found = value(g.Arith.model_validate({"fn": fn, "args": [c(arg) for arg in args]}))
    assert found == result and type(found) is type(result)


@pytest.mark.parametrize(
    ("fn", "args", "result"),
    [
        ("day", ["2025-03-01T09:00:00"], "2025-03-01"),
        ("day", ["2025-03-01"], "2025-03-01"),
        ("month_start", ["2025-03-17T09:00:00"], "2025-03-01"),
        ("add_days", ["2024-02-28", 1], "2024-02-29"),
        ("add_days", ["2025-01-01T23:59:59", -1], "2024-12-31"),
        ("add_days", ["2025-01-01", 0], "2025-01-01"),
        ("add_days", [None, 1], None),
        ("add_days", ["2025-01-01", None], None),
        ("day", [None], None),
    ],
)
def test_dates(fn: str, args: list[Scalar], result: Json) -> None:
    assert value(g.DateOf.model_validate({"fn": fn, "args": [c(arg) for arg in args]})) == result


def test_the_clock_and_slots() -> None:
    assert value(g.Now()) == "2025-05-03"
    assert value(g.Now(part="time")) == NOW
    assert value(g.Slot(name="it's"), {"it's": "5 o'clock; DROP TABLE items"}) == "5 o'clock; DROP TABLE items"
    with pytest.raises(GoalError, match="bound"):
        value(g.Slot(name="limit"))


def test_a_case_takes_the_first_branch_that_holds() -> None:
    branches = [g.When(test=compare("gt", g.Slot(name="x"), c(limit)), then=c(limit)) for limit in (10, 5)]
    case = g.Case(branches=branches, otherwise=c(None))
    assert [value(case, {"x": x}) for x in (11, 6, 5)] == [10, 5, None]
    assert value(g.Case(branches=[], otherwise=c(3))) == 3


# --- aggregates and lookups ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fn", "some", "none"), [("sum", 400, 0), ("mean", 200, None), ("min", 100, None), ("max", 300, None)]
)
def test_aggregates_skip_nulls(fn: str, some: Json, none: Json) -> None:
    def over(source: g.Rel, of: str) -> Json:
        return value(g.Aggregate.model_validate({"fn": fn, "source": source, "of": col(of)}))

    assert over(ITEM, "i.price") == some
    assert over(g.Table(table="empty", prefix="e"), "e.x") == none
    assert over(g.Select(source=ITEM, where=compare("eq", col("i.price"), c(None))), "i.price") == none


def test_counts() -> None:
    assert value(g.Aggregate(fn="count", source=ITEM)) == 3
    assert value(g.Aggregate(fn="count", source=ITEM, of=col("i.price"))) == 2
    assert value(g.Aggregate(fn="count", source=g.Table(table="empty", prefix="e"))) == 0


def test_a_lookup_is_null_without_a_row_and_not_correlated() -> None:
    def name_of(key: g.Expr) -> g.Lookup:
        return g.Lookup(source=ITEM, where=compare("eq", col("i.id"), key), field="i.name")

    assert value(name_of(c("c"))) == "Rye"
    assert value(name_of(c("z"))) is None
    with pytest.raises(GoalError, match=r"no column 's\.item'"):
        rows(g.Select(source=SALE, columns=[g.Column(name="name", value=name_of(col("s.item")))]))


def test_worlds_and_states_are_read_alike() -> None:
    assert value(g.Lookup(source=g.Table(table="world", prefix="w"), field="w.weight")) == 7


# --- relations -----------------------------------------------------------------------------------------------------


def test_lists() -> None:
    vegan = g.Has(column="i.tags", value=c("vegan"))
    assert sorted(map(str, column(g.Select(source=ITEM, where=vegan), "i.id"))) == ["a", "c"]
    assert rows(g.Select(source=ITEM, where=g.Has(column="i.tags", value=c("ve")))) == []
    unnested = g.Unnest(source=ITEM, column="i.tags", name="tag")
    assert sorted((str(row["i.id"]), str(row["tag"])) for row in rows(unnested)) == [
        ("a", "bio"),
        ("a", "vegan"),
        ("c", "vegan"),
    ]
    assert {str(row["i.id"]): row["i.tags"] for row in rows(ITEM)} == {"a": ["vegan", "bio"], "b": [], "c": ["vegan"]}


def test_truth_values_come_back_as_such() -> None:
    assert {str(row["i.id"]): row["i.live"] for row in rows(ITEM)} == {"a": True, "b": False, "c": True}
    assert len(rows(g.Select(source=ITEM, where=compare("eq", col("i.live"), c(1))))) == 0
    assert len(rows(g.Select(source=ITEM, where=compare("eq", col("i.live"), c(True))))) == 2


def test_nulls_are_below_everything() -> None:
    assert column(in_order(ITEM, "i.price"), "i.price") == [None, 100, 300]
    assert column(in_order(ITEM, "i.price", descending=True), "i.price") == [300, 100, None]
    assert column(in_order(ITEM, "i.price", descending=True, limit=2), "i.price") == [300, 100]


def test_an_order_lasts_through_later_nodes() -> None:
    ranked = g.NamedNode(name="ranked", rows=in_order(ITEM, "i.price", descending=True))
    later = g.Select(source=g.NodeRows(name="ranked"), where=compare("ne", col("i.id"), c("a")), limit=1)
    assert column(later, "i.id", ranked) == ["c"]
    goal = g.Goal(nodes=[ranked, g.NamedNode(name="best", scalar=g.Node(name="ranked", field="i.name"))])
    assert evaluate_goal(goal, {}, NOW, DB).scalars == {"best": "Oats"}


def test_the_first_of_no_rows_is_null() -> None:
    none = g.NamedNode(name="none", rows=g.Select(source=ITEM, where=g.Any(of=[])))
    goal = g.Goal(nodes=[none, g.NamedNode(name="best", scalar=g.Node(name="none", field="i.name"))])
    assert evaluate_goal(goal, {}, NOW, DB).scalars == {"best": None}


def test_later_columns_use_earlier_ones() -> None:
    double = g.Column(name="x", value=g.Arith(fn="mul", args=[col("i.price"), c(2)]))
    more = g.Column(name="y", value=g.Arith(fn="add", args=[col("x"), c(1)]))
    again = g.Column(name="x", value=g.Arith(fn="add", args=[col("y"), c(1)]))
    found = rows(g.Select(source=ITEM, columns=[double, more, again], where=compare("gt", col("x"), c(300))))
    assert [(row["x"], row["y"]) for row in found] == [(602, 601)]


def sold(keep_left: bool, right: g.Rel = SALE) -> list[tuple[Json, Json]]:
    join = g.Join(left=ITEM, right=right, on=compare("eq", col("i.id"), col("s.item")), keep_left=keep_left)
    return sorted(((row["i.id"], row["s.id"]) for row in rows(join)), key=str)


def test_joins() -> None:
    assert sold(False) == [("a", "s1"), ("a", "s2"), ("c", "s3")]
    assert sold(True) == [("a", "s1"), ("a", "s2"), ("b", None), ("c", "s3")]


def test_a_kept_row_gets_nulls_when_its_partners_are_filtered_out() -> None:
    few = g.Select(source=SALE, where=compare("ge", col("s.count"), c(5)))
    assert sold(True, few) == [("a", "s2"), ("b", None), ("c", None)]
    nothing = g.Select(source=SALE, where=g.Any(of=[]))
    assert sold(True, nothing) == [("a", None), ("b", None), ("c", None)]


def test_a_null_key_joins_a_null_key() -> None:
    """`eq` treats null as a value, also in a join."""
    left = g.Select(source=SALE, where=compare("eq", col("s.item"), c(None)))
    join = g.Join(left=left, right=ITEM, on=compare("eq", col("s.item"), col("i.price")))
    assert [(row["s.id"], row["i.id"]) for row in rows(join)] == [("s4", "b")]


def test_joins_nest_on_both_sides() -> None:
    other = g.Table(table="sales", prefix="t")
    inner = g.Join(left=SALE, right=g.Table(table="world", prefix="w"), on=compare("eq", col("s.item"), col("w.id")))
    both = g.Join(left=ITEM, right=inner, on=compare("eq", col("i.id"), col("s.item")))
    triple = g.Join(left=both, right=other, on=compare("lt", col("s.id"), col("t.id")))
    assert sorted((str(row["s.id"]), str(row["t.id"])) for row in rows(triple)) == [
        ("s1", "s2"), ("s1", "s3"), ("s1", "s4"), ("s2", "s3"), ("s2", "s4"),
    ]  # fmt: skip


def test_groups() -> None:
    measures = [g.Measure(name="n", fn="count"), g.Measure(name="sum", fn="sum", of=col("s.count"))]
    by_item = g.Group(source=SALE, keys=["s.item"], measures=measures)
    assert {str(row["s.item"]): (row["n"], row["sum"]) for row in rows(by_item)} == {
        "a": (2, 7),
        "c": (1, 1),
        "None": (1, 9),
    }
    whole = g.Group(source=SALE, keys=[], measures=measures)
    assert rows(whole) == [{"n": 4, "sum": 17}]
    assert rows(g.Group(source=g.Select(source=SALE, where=g.Any(of=[])), keys=[], measures=measures)) == []


# --- what it refuses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("why", "rel"),
    [
        ("no table", g.Table(table="dreams", prefix="d")),
        ("no relation node", g.NodeRows(name="later")),
        ("no column", g.Select(source=ITEM, where=compare("eq", col("price"), c(1)))),
        ("no column", g.Select(source=ITEM, order=[g.Order(key=col("i.x"))])),
        ("no column", g.Unnest(source=ITEM, column="i.words", name="word")),
        ("no column", g.Group(source=ITEM, keys=["i.x"], measures=[])),
        ("have the column", g.Join(left=ITEM, right=ITEM, on=g.All(of=[]))),
        ("same name", g.Group(source=ITEM, keys=["i.id"], measures=[g.Measure(name="i.id", fn="count")])),
        ("may not be named", g.Select(source=ITEM, columns=[g.Column(name="#", value=c(1))])),
        ("is missing", g.Group(source=ITEM, keys=[], measures=[g.Measure(name="n", fn="sum")])),
        ("null character", g.Select(source=ITEM, columns=[g.Column(name="a\0", value=c(1))])),
        (
            "arguments",
            g.Select(source=ITEM, columns=[g.Column(name="n", value=g.Arith(fn="min", args=[col("i.price")]))]),
        ),
        ("cannot be evaluated", g.Unnest(source=ITEM, column="i.name", name="word")),
    ],
    ids=str,
)
def test_what_is_not_there_is_refused(why: str, rel: g.Rel) -> None:
    with pytest.raises(GoalError, match=why):
        rows(rel)


@pytest.mark.parametrize(
    ("why", "nodes"),
    [
        ("two nodes", [g.NamedNode(name="n", scalar=c(1)), g.NamedNode(name="n", rows=ITEM)]),
        ("exactly one", [g.NamedNode(name="n")]),
        ("no scalar node", [g.NamedNode(name="m", scalar=g.Node(name="n")), g.NamedNode(name="n", scalar=c(1))]),
        ("no scalar node", [g.NamedNode(name="n", rows=ITEM), g.NamedNode(name="m", scalar=g.Node(name="n"))]),
        (
            "no relation node",
            [g.NamedNode(name="n", scalar=c(1)), g.NamedNode(name="m", scalar=g.Node(name="n", field="x"))],
        ),
        (
            "no column 'x'",
            [g.NamedNode(name="n", rows=ITEM), g.NamedNode(name="m", scalar=g.Node(name="n", field="x"))],
        ),
    ],
    ids=str,
)
def test_nodes_refer_to_earlier_ones(why: str, nodes: list[g.NamedNode]) -> None:
    with pytest.raises(GoalError, match=why):
        evaluate_goal(g.Goal(nodes=nodes), {}, NOW, DB)


def test_names_cannot_break_out_of_a_statement() -> None:
    name = 'x" FROM sqlite_master --'
    named = g.Select(source=ITEM, columns=[g.Column(name=name, value=c('"; DROP TABLE items; --'))], limit=1)
    assert column(named, name) == ['"; DROP TABLE items; --']
    assert len(rows(ITEM)) == 3


def test_scalars_that_build_on_each_other() -> None:
    def plus_one(name: str) -> g.Arith:
        return g.Arith(fn="add", args=[g.Node(name=name), c(1)])

    nodes = [
        g.NamedNode(name="n0", scalar=c(0)),
        *(g.NamedNode(name=f"n{i}", scalar=plus_one(f"n{i - 1}")) for i in (1, 2)),
    ]
    cheap = g.Select(source=ITEM, where=compare("gt", col("i.price"), g.Node(name="n2")))
    count = g.Aggregate(fn="count", source=g.NodeRows(name="cheap"))
    nodes += [g.NamedNode(name="cheap", rows=cheap), g.NamedNode(name="many", scalar=count)]
    assert evaluate_goal(g.Goal(nodes=nodes), {}, NOW, DB).scalars == {"n0": 0, "n1": 1, "n2": 2, "many": 2}
