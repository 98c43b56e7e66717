"""The shape of a gold plan: how each argument, answer and branch comes about, without the values.

Two tasks have the same shape when every argument of every tool is derived in the same way from the same kinds of
results. How often a call is repeated, which element of a list is taken and what the constants are does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from schemas.base import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json

_REFERENCES = {"inputs", "over", "of", "args"}
"""Fields of a provenance node that hold indices of other nodes."""
_MASKED = {"value"}
"""Fields that hold a value rather than structure, where they are no expression."""


def plan_shape(plan: Mapping[str, Json]) -> str:
    """Return a digest of the plan's shape, as stored in `plan_json`."""
    steps = cast("list[Mapping[str, Json]]", plan["steps"])
    nodes: list[str] = []
    for node in cast("list[Mapping[str, Json]]", plan["nodes"]):
        nodes.append(digest(_described(node, nodes, steps)))
    used: set[str] = {f"decided {nodes[at]}" for at in cast("list[int]", plan.get("decisions", []))}
    for step in steps:
        name = step_name(step)
        used.add(name)
        used.update(
            f"{name}.{_unindexed(p)} {nodes[at]}" for p, at in cast("dict[str, int]", step.get("origins", {})).items()
        )
    return digest(sorted(used))


def step_name(step: Mapping[str, Json]) -> str:
    """Return what a step does, without its arguments: `call browse_items`, `ask PURCHASE`, `tell`."""
    return " ".join(str(part) for part in (step["step"], step.get("tool") or step.get("gate", "")) if part)


def _described(node: Mapping[str, Json], nodes: list[str], steps: list[Mapping[str, Json]]) -> Json:
    described: dict[str, Json] = {}
    for name, value in node.items():
        if name == "step":
            described[name] = step_name(steps[cast("int", value)])
        elif name in _REFERENCES:
            described[name] = _referenced(value, nodes)
        elif name == "path":
            described[name] = ["#" if isinstance(part, int) else part for part in cast("list[Json]", value)]
        elif name in _MASKED and not isinstance(value, (dict, list)):
            described[name] = "#"
        else:
            described[name] = _without_constants(value)
    return described


def _referenced(value: Json, nodes: list[str]) -> Json:
    if isinstance(value, dict):
        return {name: nodes[cast("int", at)] for name, at in value.items()}
    if isinstance(value, list):
        found: list[Json] = []
        found.extend(sorted({nodes[cast("int", at)] for at in value}))
        return found
    return nodes[cast("int", value)]


def _without_constants(value: Json) -> Json:
    if isinstance(value, dict):
        if value.get("op") == "const":
            return "const"
        return {name: _without_constants(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_constants(item) for item in value]
    return value


def _unindexed(path: str) -> str:
    return ".".join("#" if part.isdigit() else part for part in path.split("."))
