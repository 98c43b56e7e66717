"""Take out of a plan the reads that no argument, branch, question or answer depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.plan import Ask, Call, Plan, Step, Tell
from schemas.provenance import (
    Called,
    Decided,
    Derived,
    Element,
    Filtered,
    Grouped,
    Joined,
    Mapped,
    Origin,
    Plucked,
    ReadOut,
    Result,
    Summed,
    Unnested,
    UserReply,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from generators.tasks.trace import Graph
    from services.runtime.catalogue import Catalogue


def inputs(origin: Origin) -> list[int]:
    """Return the nodes that a node is computed from."""
    match origin:
        case Derived() | Decided():
            return list(origin.args.values())
        case Mapped() | Filtered() | Summed():
            return [origin.over, *origin.args.values()]
        case Joined():
            return list(origin.inputs)
        case Called():
            return [origin.over, *origin.inputs]
        case Unnested() | Plucked() | Grouped() | ReadOut():
            return [origin.over]
        case Element():
            return [origin.of]
        case _:
            return []


def origins_of(step: Step) -> list[int]:
    """Return the nodes that a step's arguments, question or answers come from."""
    return list(step.origins.values()) if isinstance(step, Call | Ask | Tell) else []


def _closure(roots: Iterable[int], nodes: Sequence[Origin]) -> set[int]:
    seen: set[int] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(inputs(nodes[node]))
    return seen


def needed(
    steps: Sequence[Step], nodes: Sequence[Origin], decisions: Sequence[int], writes: set[int]
) -> tuple[set[int], set[int]]:
    """Return the steps and the nodes that the steps `writes` and the decisions depend on, themselves included."""
    keep = set(writes)
    reached: set[int] = set()
    while True:
        roots = [*decisions, *(node for index in keep for node in origins_of(steps[index]))]
        reached = _closure(roots, nodes)
        used = {origin.step for node in reached if isinstance(origin := nodes[node], Result | UserReply)}
        if used <= keep:
            return keep, reached
        keep |= used


def prune(steps: Sequence[Step], graph: Graph, catalogue: Catalogue) -> Plan:
    """Return the plan with only the steps and nodes that are needed, renumbered."""
    acts = {
        i for i, s in enumerate(steps) if not isinstance(s, Call) or catalogue.tools[s.tool].write or s.side == "user"
    }
    keep, reached = needed(steps, graph.nodes, graph.decisions, acts)
    new_step = {old: new for new, old in enumerate(sorted(keep))}
    new_node = {old: new for new, old in enumerate(sorted(reached))}
    return Plan.model_construct(
        steps=[_renumber_step(steps[index], new_node) for index in sorted(keep)],
        nodes=[_renumber(graph.nodes[node], new_step, new_node) for node in sorted(reached)],
        decisions=[new_node[node] for node in graph.decisions],
    )


def _renumber_step(step: Step, new_node: Mapping[int, int]) -> Step:
    if isinstance(step, Call | Ask | Tell):
        return step.changed({"origins": {name: new_node[node] for name, node in step.origins.items()}})
    return step


def _renumber(origin: Origin, new_step: Mapping[int, int], new_node: Mapping[int, int]) -> Origin:
    changes: dict[str, object] = {}
    fields = origin.__dict__
    for name in ("over", "of"):
        if name in fields:
            changes[name] = new_node[fields[name]]
    if isinstance(origin, Joined | Called):
        changes["inputs"] = [new_node[node] for node in origin.inputs]
    if isinstance(origin, Derived | Decided | Mapped | Filtered | Summed):
        changes["args"] = {name: new_node[node] for name, node in origin.args.items()}
    if isinstance(origin, Result | UserReply):
        changes["step"] = new_step[origin.step]
    return origin.changed(changes) if changes else origin
