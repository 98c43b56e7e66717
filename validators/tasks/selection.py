"""How a plan picks elements out of lists: it goes through a list whole, or takes what stands first in a declared order.

Anything else would be a choice by position, which no fact decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from schemas import provenance as o
from schemas.base import canonical
from schemas.plan import Confirm, Question
from validators.tasks.evaluation import follow, sort_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.base import Json
    from validators.tasks.evaluation import Graph


class _List(NamedTuple):
    """A list that elements are picked from: a node's value, or a part of a call's result."""

    node: int
    """-1 for a part of a result."""
    step: int
    path: tuple[str | int, ...]


Path: TypeAlias = "tuple[str | int, ...]"
Picks: TypeAlias = "dict[tuple[_List, Path], set[int]]"
"""Positions picked from a list, apart for what is taken of the element: one column may not come from another row."""


def selection_faults(graph: Graph) -> Iterator[str]:
    """Yield the lists of which some elements are picked, and nothing says why those."""
    plan = graph.plan
    rows_of: dict[int, set[_List]] = {}
    for _, origin in graph.nodes_of(o.Called):
        for source in (plan.nodes[node] for node in origin.inputs):
            if isinstance(source, o.Result):
                rows_of.setdefault(source.step, set()).add(_list_at(graph, origin.over))
    picked: Picks = {}
    for index, step in enumerate(plan.steps):
        for node in () if isinstance(step, Confirm | Question) else step.origins.values():
            # A call per row goes through the list whole, which is checked apart.
            _note(picked, plan.nodes[node], rows_of.get(index, set()))
    for sources in graph.sources:
        for node in sources:
            _note(picked, plan.nodes[node], set())
    for (source, _), indices in picked.items():
        length = len(_items(graph, source))
        if len(indices) < length and not _leads(graph, source, len(indices), indices):
            yield f"{_name(source)}: {sorted(indices)} of {length} elements are picked, and no order sets them apart"


def called_faults(graph: Graph) -> Iterator[str]:
    """Yield the calls per row that are not one tool's calls, each with a value of its own row."""
    for index, origin in graph.nodes_of(o.Called):
        if not origin.inputs:
            continue
        sources = [graph.plan.nodes[node] for node in origin.inputs]
        if not all(isinstance(source, o.Result) and not source.path for source in sources):
            yield f"node {index}: rows are extended by something that is no call's whole result"
            continue
        calls = [graph.call(source.step) for source in sources if isinstance(source, o.Result)]
        rows = graph.rows(origin.over)
        pairs = [
            (name, column)
            for name, value in calls[0].arguments.items()
            for column, own in rows[0].items()
            if canonical(value) == canonical(own)
        ]
        fits = any(
            all(
                name in call.arguments and column in row and canonical(call.arguments[name]) == canonical(row[column])
                for call, row in zip(calls, rows, strict=True)
            )
            for name, column in pairs
        )
        if not fits or len({call.tool for call in calls}) > 1:
            yield f"node {index}: the calls are not made row by row"


def _note(picked: Picks, origin: o.Origin, exempt: set[_List]) -> None:
    """Note the positions in the path of a value that is used somewhere, but for those in the lists `exempt`."""
    if not isinstance(origin, o.Element | o.Result):
        return
    node, step = (origin.of, -1) if isinstance(origin, o.Element) else (-1, origin.step)
    for at, key in enumerate(origin.path):
        if isinstance(key, int):
            source = _List(node, step, tuple(origin.path[:at]))
            if source not in exempt:
                picked.setdefault((source, tuple(origin.path[at + 1 :])), set()).add(key)


def _list_at(graph: Graph, node: int) -> _List:
    """Return the list that a node is, named as picks from it name it."""
    origin = graph.plan.nodes[node]
    if isinstance(origin, o.Result):
        return _List(-1, origin.step, tuple(origin.path))
    return _List(origin.of, -1, tuple(origin.path)) if isinstance(origin, o.Element) else _List(node, -1, ())


def _items(graph: Graph, source: _List) -> list[Json]:
    value = graph.values[source.node] if source.node >= 0 else graph.call(source.step).result
    found = follow(value, source.path)
    return found if isinstance(found, list) else []


def _leads(graph: Graph, source: _List, count: int, indices: set[int]) -> bool:
    """Return whether the picked elements are the first `count` of a declared order, set apart by it from the next."""
    node: int | None = source.node if not source.path else None
    if node is None or node < 0 or indices != set(range(count)):
        return False
    rows = graph.rows(node)
    # A filter or an extension keeps the order of the list it works on.
    while node is not None:
        origin = graph.plan.nodes[node]
        if isinstance(origin, o.Filtered) and origin.order:
            keys = sort_keys(origin.order, rows, graph.scope(origin.args))
            return any(column[count - 1] != column[count] for column in keys)
        node = origin.over if isinstance(origin, o.Filtered | o.Mapped | o.Called | o.ReadOut) else None
    return False


def _name(source: _List) -> str:
    return f"node {source.node}" if source.node >= 0 else f"result of step {source.step}"
