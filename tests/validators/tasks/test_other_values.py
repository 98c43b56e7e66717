"""Values that someone could have taken instead, and calls that are given them."""

from __future__ import annotations

import gc
import weakref

import pytest

from schemas import goal as g
from schemas.algebra import Case, Const, When
from schemas.base import Json
from schemas.plan import Plan
from schemas.provenance import Derived, Element, Filtered, Instruction, Origin, Result
from tests.validators.tasks.altering import call
from tests.validators.tasks_support import context_of
from validators.tasks.altered import with_arguments
from validators.tasks.evaluation import Graph
from validators.tasks.other_values import a_little_off, days_off, is_day, neighbours, other_words
from validators.tasks.worth import graph_of

ROWS: list[Json] = [
    {"id": "a", "kind": "x", "price": 3},
    {"id": "b", "kind": "y", "price": 2},
    {"id": "c", "kind": "x", "price": 1},
    {"id": "d", "kind": "y", "price": 1},
    {"price": 9},
]


def graph(*nodes: Origin) -> Graph:
    """A graph over one call that lists the rows."""
    step = call("list").model_copy(update={"result": {"rows": ROWS}})
    return Graph(Plan(steps=[step], nodes=list(nodes)), {"limit": 5}, "2025-01-01T00:00:00")


def test_neighbours_of_a_list_as_it_stands() -> None:
    found = graph(Result(step=0, path=["rows", 1, "id"]))
    assert list(neighbours(found, 0)) == ["c", "d", "a"]


def test_the_next_one_in_an_order_comes_first_then_what_was_left_out() -> None:
    """`c` is the cheapest of its kind, `a` the next one; `d` is more like `c` than `b` is."""
    kind = g.Test(fn="eq", left=g.Col(name="kind"), right=Const(value="x"))
    found = graph(
        Result(step=0, path=["rows"]),
        Filtered(over=0, where=g.Test(fn="lt", left=g.Col(name="price"), right=Const(value=5))),
        Filtered(over=1, where=kind, order=[g.Order(key=g.Col(name="price"))]),
        Element(of=2, path=[0, "id"]),
    )
    assert list(neighbours(found, 3)) == ["a", "d", "b"]


def test_what_was_told_or_computed_has_no_neighbours() -> None:
    found = graph(Instruction(slot="limit"), Result(step=0, path=["rows"]))
    assert not list(neighbours(found, 0))
    assert not list(neighbours(found, 1))


def test_words_that_did_not_come_out() -> None:
    test = g.Test(fn="lt", left=g.Slot(name="limit"), right=Const(value=7))
    verdict = Case(branches=[When(test=test, then=Const(value="within"))], otherwise=Const(value="over"))
    found = graph(Instruction(slot="limit"), Derived(value=verdict, args={"limit": 0}))
    assert found.values[1] == "within"
    assert list(other_words(found, 1)) == ["over"]
    assert not list(other_words(found, 0))


@pytest.mark.parametrize(
    ("value", "days", "other"),
    [
        ("2025-02-28", 1, "2025-03-01"),
        ("2025-01-01", -1, "2024-12-31"),
        ("2025-01-01T08:30:00", 7, "2025-01-08T08:30:00"),
    ],
)
def test_other_days(value: str, days: int, other: str) -> None:
    assert is_day(value)
    assert days_off(value, days) == other


def test_what_is_no_day() -> None:
    assert not [value for value in ("2025", "20250101", "soon", 5, None) if is_day(value)]


def test_a_little_off() -> None:
    assert a_little_off(3, whole=True, sign=-1) == 2
    assert a_little_off(0.3, whole=False, sign=1) == 0.31
    assert a_little_off(61.84, whole=False, sign=-1) == 61.83


def test_arguments_that_are_changed_stand() -> None:
    step = call("tool", page=1, goal={"steps": 3, "more": [1, 2]}).model_copy(
        update={"origins": {"page": 0, "goal.steps": 1, "goal.more": 2}}
    )
    changed = with_arguments(step, {"goal.steps": 4})
    assert changed.arguments == {"page": 1, "goal": {"steps": 4, "more": [1, 2]}}
    assert changed.origins == {"page": 0, "goal.more": 2}
    assert with_arguments(step, {"goal.more.1": 5}).arguments == {"page": 1, "goal": {"steps": 3, "more": [1, 5]}}
    assert with_arguments(step, {"goal": None}).origins == {"page": 0}
    assert with_arguments(step, {"new": True}).arguments == {**step.arguments, "new": True}
    assert step.arguments == {"page": 1, "goal": {"steps": 3, "more": [1, 2]}}


def test_a_graph_does_not_keep_its_task() -> None:
    context = context_of("buy-best/fulfil", ())
    assert graph_of(context).values
    gone = weakref.ref(context)
    del context
    gc.collect()
    assert gone() is None
