"""The provenance graph of a plan as a graph: which steps a value, and so a step, depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.plan import Ask, Call, Tell
from schemas.provenance import (
    Called,
    Decided,
    Derived,
    Element,
    Filtered,
    Joined,
    Mapped,
    Plucked,
    Result,
    Summed,
    Unnested,
    UserReply,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.plan import Plan, Step
    from schemas.provenance import Origin


def inputs(origin: Origin) -> list[int]:
    """Return the nodes that a provenance node is computed from."""
    match origin:
        case Derived() | Decided():
            return list(origin.args.values())
        case Mapped() | Filtered() | Summed():
            return [origin.over, *origin.args.values()]
        case Joined():
            return list(origin.inputs)
        case Called():
            return [origin.over, *origin.inputs]
        case Unnested() | Plucked():
            return [origin.over]
        case Element():
            return [origin.of]
        case _:
            return []


def origins_of(step: Step) -> Iterable[int]:
    """Return the nodes that the arguments, the question or the answers of a step come from."""
    return step.origins.values() if isinstance(step, Call | Ask | Tell) else ()


def sources(plan: Plan) -> list[frozenset[int]]:
    """Return for each node the steps whose results it is computed from, directly or through other nodes."""
    found: list[frozenset[int]] = []
    for origin in plan.nodes:
        own = frozenset((origin.step,)) if isinstance(origin, Result | UserReply) else frozenset[int]()
        found.append(own.union(*(found[node] for node in inputs(origin))))
    return found


def dependencies(plan: Plan) -> list[frozenset[int]]:
    """Return for each step the earlier steps that its arguments, question or answers are computed from."""
    nodes = sources(plan)
    return [frozenset[int]().union(*(nodes[node] for node in origins_of(step))) for step in plan.steps]


def reached(plan: Plan, roots: Iterable[int]) -> set[int]:
    """Return the steps `roots`, and those that they and the decisions of the plan depend on."""
    nodes, steps = sources(plan), dependencies(plan)
    waiting = [*roots, *(step for node in plan.decisions for step in nodes[node])]
    found: set[int] = set()
    while waiting:
        step = waiting.pop()
        if step not in found:
            found.add(step)
            waiting.extend(steps[step])
    return found
