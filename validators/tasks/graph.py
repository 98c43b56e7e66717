"""The provenance graph of a plan as a graph: which steps a value, and so a step, depends on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from schemas.plan import Ask, Call, Tell
from schemas.provenance import (
    Called,
    Decided,
    Derived,
    Element,
    Filtered,
    Grouped,
    Joined,
    Mapped,
    Plucked,
    ReadOut,
    Result,
    Summed,
    Unnested,
    UserReply,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.plan import Plan, Step
    from schemas.provenance import Origin


_INPUTS: Mapping[type[object], Callable[[Any], list[int]]] = {
    **dict.fromkeys((Derived, Decided), lambda origin: [*origin.args.values()]),
    **dict.fromkeys((Mapped, Filtered, Summed), lambda origin: [origin.over, *origin.args.values()]),
    **dict.fromkeys((Unnested, Plucked, Grouped, ReadOut), lambda origin: [origin.over]),
    Joined: lambda origin: [*origin.inputs],
    Called: lambda origin: [origin.over, *origin.inputs],
    Element: lambda origin: [origin.of],
}


def inputs(origin: Origin) -> list[int]:
    """Return the nodes that a provenance node is computed from."""
    found = _INPUTS.get(type(origin))
    return found(origin) if found else []


def origins_of(step: Step) -> Iterable[int]:
    """Return the nodes that the arguments, the question or the answers of a step come from."""
    return step.origins.values() if isinstance(step, Call | Ask | Tell) else ()


def nodes_below(plan: Plan, roots: Iterable[int]) -> set[int]:
    """Return nodes and all that they are computed from."""
    waiting, found = list(roots), set[int]()
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(inputs(plan.nodes[node]))
    return found


def steps_below(plan: Plan, roots: Iterable[int]) -> set[int]:
    """Return the steps whose results and answers nodes are computed from."""
    origins = (plan.nodes[node] for node in nodes_below(plan, roots))
    return {origin.step for origin in origins if isinstance(origin, Result | UserReply)}


class PlanGraph:
    """Which steps the nodes and the steps of a plan depend on, directly or through other nodes."""

    __slots__ = ("decisive", "needs")

    def __init__(self, plan: Plan) -> None:
        """Follow the graph of `plan` once. Raise IndexError when a node refers to one that does not come before it."""
        nodes: list[frozenset[int]] = []
        for origin in plan.nodes:
            if isinstance(origin, Result | UserReply):
                nodes.append(frozenset((origin.step,)))
            else:
                nodes.append(_NONE.union(*[nodes[node] for node in inputs(origin)]))
        self.needs = [_NONE.union(*[nodes[node] for node in origins_of(step)]) for step in plan.steps]
        """For each step, the steps whose results its arguments, question or answers are computed from."""
        self.decisive = _NONE.union(*[nodes[node] for node in plan.decisions])
        """The steps on whose results the course of the plan depends."""

    def reached(self, roots: Iterable[int]) -> set[int]:
        """Return the steps `roots`, and those that they and the decisions of the plan depend on."""
        waiting = [*roots, *self.decisive]
        found: set[int] = set()
        while waiting:
            step = waiting.pop()
            if step not in found:
                found.add(step)
                waiting.extend(self.needs[step])
        return found


_NONE: frozenset[int] = frozenset()
