"""Constants of a plan: only what the services or the form of the request fix, never a fact of the user's data.

A constant that is an id, a text of some record or an amount was put there by whoever wrote the plan; no assistant could
have it from what was said and read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import orjson
from pydantic import BaseModel

from schemas import provenance as o
from schemas.goal import Const
from schemas.plan import Call, Tell
from services.runtime.identity import by_identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json, Scalar
    from services.runtime.catalogue import Catalogue
    from services.runtime.tools import Tool
    from validators.tasks.context import TaskContext
    from validators.tasks.vocabulary import TaskVocabulary

_FLAGS = (0, 1)
"""Numbers that stand for no and yes, none and one."""
_SCALES = frozenset(10**power for power in range(1, 7))
"""Factors between units of the state and those that tools show."""


def constant_faults(context: TaskContext, words: TaskVocabulary) -> Iterator[str]:
    """Yield the constants of a plan that nothing declares."""
    plan = context.task.plan
    told = {slot.value for slot in context.told if slot.refers_to is not None and isinstance(slot.value, str)}
    fixed: set[int] | None = None
    for index, origin in enumerate(plan.nodes):
        if isinstance(origin, o.Policy):
            if fault := _text_fault(origin.value, told, words) or _number_fault(origin.value, ()):
                yield f"node {index} ({origin.name}): the constant {origin.value!r} {fault}"
            continue
        for value in _constants_of(origin):
            if isinstance(value, int) and value not in _FLAGS and value not in _SCALES and fixed is None:
                fixed = {item for goal in context.task.goals for item in constants_in(goal) if isinstance(item, int)}
            if fault := _text_fault(value, told, words) or _number_fault(value, fixed or ()):
                yield f"node {index} ({origin.kind}): the constant {value!r} {fault}"
    for step in plan.steps:
        if isinstance(step, Call):
            yield from _argument_faults(context, step)
        elif isinstance(step, Tell):
            yield from _answer_faults(context, step)


@by_identity
def constants_in(part: BaseModel | list[BaseModel]) -> list[Scalar]:
    """Return the constants in an expression or in anything that holds expressions, in order."""
    found: list[Scalar] = []

    def visit(part: object) -> object:
        if isinstance(part, Const):
            found.append(part.value)
        return part.__dict__

    # The encoder walks faster than any loop here; what it writes is not needed.
    orjson.dumps(part, default=visit)
    return found


def _constants_of(origin: BaseModel) -> Iterator[Scalar]:
    """Yield the constants in the expressions of a provenance node, which many plans share."""
    for part in origin.__dict__.values():
        if isinstance(part, BaseModel):
            yield from constants_in(part)
        elif isinstance(part, list):
            listed = cast("list[object]", part)
            if listed and isinstance(listed[0], BaseModel):
                yield from constants_in(cast("list[BaseModel]", listed))


def _text_fault(value: Scalar, told: set[str], words: TaskVocabulary) -> str:
    if not isinstance(value, str):
        return ""
    if value in told:
        return "is what the user told, and does not come from there"
    if words.is_id(value):
        return "is the id of a record"
    return "is a text of some record" if words.is_free_text(value) else ""


def _number_fault(value: Scalar, fixed: set[int] | tuple[()]) -> str:
    if value is None or isinstance(value, (bool, str)) or value in _FLAGS or value in _SCALES or value in fixed:
        return ""
    return "is a number that nothing declares"


def _argument_faults(context: TaskContext, step: Call) -> Iterator[str]:
    tool = context.catalogue.tools[step.tool]
    for path, node in step.origins.items():
        origin = context.task.plan.nodes[node]
        if isinstance(origin, o.Policy) and not _declared(origin.value, tool, path, context.catalogue):
            yield f"{step.tool}: the constant {origin.value!r} for {path!r} is declared nowhere"


def _declared(value: Scalar, tool: Tool, path: str, catalogue: Catalogue) -> bool:
    """Return whether the services name this value for this argument, or it only says yes, no, nothing or the first."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int):
        return value == 1 and not tool.write and tool.side == "assistant"
    return isinstance(value, str) and (
        value in _enumerated(tool.schema, path)
        or value in {item for a in tool.alternatives if a.argument == path for item in (a.value, a.other)}
        or value in _of_gates(catalogue, tool.name, path)
    )


def _enumerated(schema: Mapping[str, Json], path: str) -> list[Json]:
    """Return the values that a tool's schema lists for the argument at a dotted path."""
    at: Json = dict(schema)
    for key in path.split("."):
        inner = at.get("properties") if isinstance(at, dict) else None
        at = inner.get(key) if isinstance(inner, dict) else None
    listed = at.get("enum") if isinstance(at, dict) else None
    return listed if isinstance(listed, list) else []


def _of_gates(catalogue: Catalogue, tool: str, path: str) -> set[Scalar]:
    """Return the constants that gates declare for an argument of their probe or remedy."""
    found: set[Scalar] = set()
    for compiled in catalogue.gates.values():
        probe, remedy = compiled.gate.probe, compiled.gate.remedy
        if probe is not None and probe.tool == tool and path in probe.arguments:
            found.add(probe.arguments[path])
        if remedy is not None and remedy.tool == tool and isinstance(fixed := remedy.arguments.get(path), Const):
            found.add(fixed.value)
    return found


def _answer_faults(context: TaskContext, step: Tell) -> Iterator[str]:
    reasons = {answer.name for answer in context.task.expectation.answers if answer.kind == "reason"}
    for name, node in step.origins.items():
        if isinstance(context.task.plan.nodes[node], o.Policy) and name not in reasons:
            yield f"the answer {name!r} is a constant"
