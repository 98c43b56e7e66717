"""A goal's nodes: evaluated in order, each once, referring to earlier ones only."""

from __future__ import annotations

import pytest

from schemas import goal as g
from services.runtime.algebra import AlgebraError, compile_goal, evaluate_goal
from tests.services import sample

NOW = sample.NOW
STORE = sample.environment(assortment=[]).state_
ALL = g.NamedNode(name="products", rows=g.Table(table="products", prefix="p"))
CHEAPEST = g.NamedNode(
    name="cheap",
    rows=g.Select(source=g.NodeRows(name="products"), order=[g.Order(key=g.Col(name="p.single_cents"))], limit=2),
)
NONE = g.NamedNode(
    name="none",
    rows=g.Select(
        source=g.NodeRows(name="products"),
        where=g.Test(fn="lt", left=g.Col(name="p.single_cents"), right=g.Const(value=0)),
    ),
)
PRICE = g.NamedNode(name="price", scalar=g.Node(name="cheap", field="p.single_cents"))
DEARER = g.NamedNode(name="dearer", scalar=g.Arith(fn="add", args=[g.Node(name="price"), g.Slot(name="more")]))
NO_PRICE = g.NamedNode(name="no_price", scalar=g.Node(name="none", field="p.single_cents"))


def test_nodes_see_earlier_ones_and_slots() -> None:
    scope = evaluate_goal(g.Goal(nodes=[ALL, CHEAPEST, PRICE, DEARER, NONE, NO_PRICE]), STORE, {"more": 5}, NOW)
    assert scope.nodes["price"] == 210
    assert scope.nodes["dearer"] == 215
    assert scope.nodes["no_price"] is None
    assert scope.nodes["none"] == []


def test_a_compiled_goal_can_be_evaluated_again() -> None:
    evaluate = compile_goal(g.Goal(nodes=[ALL, CHEAPEST, PRICE, DEARER]))
    assert [evaluate(STORE, {"more": more}, NOW).nodes["dearer"] for more in (1, 2)] == [211, 212]


@pytest.mark.parametrize("node", [CHEAPEST, PRICE, DEARER])
def test_a_node_that_comes_later_is_not_seen(node: g.NamedNode) -> None:
    with pytest.raises(AlgebraError, match="not evaluated yet"):
        evaluate_goal(g.Goal(nodes=[node, ALL]), STORE, {"more": 1}, NOW)


@pytest.mark.parametrize(
    "node", [g.NamedNode(name="x"), g.NamedNode(name="x", rows=ALL.rows, scalar=g.Const(value=1))], ids=["none", "both"]
)
def test_a_node_is_a_relation_or_a_scalar(node: g.NamedNode) -> None:
    with pytest.raises(AlgebraError, match="exactly one"):
        evaluate_goal(g.Goal(nodes=[node]), STORE, {}, NOW)


def test_a_left_join_with_an_empty_node_gives_nulls() -> None:
    # The node and the table are both empty: their columns follow from the declarations alone.
    on = g.Test(fn="eq", left=g.Col(name="p.id"), right=g.Col(name="a.id"))
    stock = g.NamedNode(name="stock", rows=g.Table(table="assortment", prefix="a"))
    both = g.Join(left=g.NodeRows(name="products"), right=g.NodeRows(name="stock"), on=on, keep_left=True)
    scope = evaluate_goal(g.Goal(nodes=[ALL, stock, g.NamedNode(name="both", rows=both)]), STORE, {}, NOW)
    found = scope.nodes["both"]
    assert isinstance(found, list) and len(found) == 17
    assert all(row["a.id"] is None and row["a.stock"] is None and row["a.delivery"] is None for row in found)


def test_an_unknown_table_is_an_error() -> None:
    for table in (g.Table(table="nowhere", prefix="n"), g.Select(source=g.Table(table="nowhere", prefix="n"))):
        with pytest.raises(KeyError, match="nowhere"):
            evaluate_goal(g.Goal(nodes=[g.NamedNode(name="n", rows=table)]), STORE, {}, NOW)
