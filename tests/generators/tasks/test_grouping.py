"""Grouping in programs: the planner and the checks compute it each in their own way, and agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from generators.tasks import program as p
from generators.tasks.build import col
from generators.tasks.prune import inputs
from generators.tasks.trace import Graph
from schemas.base import Json
from schemas.goal import Measure
from schemas.plan import Plan
from schemas.provenance import Grouped
from services.runtime.state import Base
from validators.tasks.evaluation import Graph as Checked
from validators.tasks.graph import inputs as checked_inputs

NOW = "2025-06-10T12:00:00"
MEASURES = (
    Measure(name="lines", fn="count"),
    Measure(name="sum", fn="sum", of=col("cents")),
    Measure(name="least", fn="min", of=col("cents")),
    Measure(name="most", fn="max", of=col("cents")),
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["bar", "tofu", "milk"]),
            "size": st.sampled_from(["small", None]),
            "cents": st.one_of(st.none(), st.integers(-50, 50)),
        }
    ),
    max_size=12,
)


def grouped(rows: Json, *keys: str) -> tuple[Graph, p.Traced]:
    graph = Graph(NOW, {"rows": rows}, Base({}, {}, 0))
    return graph, graph.grouped(p.Group(graph.slot("rows"), keys, MEASURES))


def test_a_row_per_combination_in_order_of_the_first() -> None:
    rows: list[Json] = [
        {"kind": "tofu", "cents": 5, "other": 1},
        {"kind": "bar", "cents": 7, "other": 2},
        {"kind": "tofu", "cents": 2, "other": 3},
    ]
    graph, traced = grouped(rows, "kind")
    assert graph.values[traced.node] == [
        {"kind": "tofu", "lines": 2, "sum": 7, "least": 2, "most": 5},
        {"kind": "bar", "lines": 1, "sum": 7, "least": 7, "most": 7},
    ]
    assert isinstance(graph.nodes[traced.node], Grouped)
    assert inputs(graph.nodes[traced.node]) == checked_inputs(graph.nodes[traced.node]) == [0]


@given(ROWS, st.sampled_from([("kind",), ("kind", "size"), ("size",)]))
def test_planner_and_checks_agree(rows: list[Json], keys: tuple[str, ...]) -> None:
    graph, traced = grouped(rows, *keys)
    checked = Checked(Plan(steps=[], nodes=graph.nodes, decisions=[]), {"rows": rows}, NOW)
    assert checked.values[traced.node] == graph.values[traced.node]
