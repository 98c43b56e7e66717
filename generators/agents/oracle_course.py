"""The gold plan as turns of a conversation: which calls are made at once, and what the user is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from schemas.plan import Ask, Call, Confirm, Question, Tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schemas.base import Json, Scalar
    from schemas.plan import Plan
    from schemas.provenance import Origin, Result
    from services.runtime.catalogue import Catalogue

AT_ONCE = 8
"""Most calls of one reply."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of one reply."""

    calls: tuple[Call, ...]
    label: str = ""
    fails: bool = False
    """Whether they are meant to be refused."""


@dataclass(frozen=True, slots=True)
class Request:
    """A message that asks the user for something."""

    about: Ask | Question | Confirm | Call
    """A consent, a fact, a yes to a call, or a call of the user's own."""
    acts: tuple[Call, ...] = ()
    """What the user is to do."""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """A message beside what the plan needs; whatever the user answers, the plan goes on."""

    text: str
    label: str


Beat: TypeAlias = Calls | Request | Remark


def course_of(plan: Plan, catalogue: Catalogue) -> list[Beat]:
    """Return a plan as beats; what it tells is left to the final report, and what the user takes back to the user."""
    needs = needs_of(plan)
    beats: list[Beat] = []
    batch: list[int] = []
    steps = plan.steps

    def close() -> None:
        if batch:
            beats.append(Calls(tuple(cast("Call", steps[index]) for index in batch)))
            batch.clear()

    for index, step in enumerate(steps):
        if isinstance(step, Call) and step.side == "assistant":
            if not _joins(index, batch, plan, needs, catalogue):
                close()
            batch.append(index)
            continue
        if isinstance(step, Tell) or (isinstance(step, Call) and takes_back(step, catalogue)):
            continue
        close()
        previous = beats[-1] if beats else None
        if isinstance(step, Call) and isinstance(previous, Request) and _answers(step, previous):
            beats[-1] = Request(previous.about, (*previous.acts, step))
        else:
            beats.append(Request(step, (step,) if isinstance(step, Call) else ()))
    close()
    return beats


def takes_back(step: Call, catalogue: Catalogue) -> bool:
    """Return whether a call of the user's takes back a consent that was given for this request only."""
    gate = catalogue.gates.get(step.gate)
    if step.side != "user" or gate is None or gate.gate.remedy is None:
        return False
    undone = gate.gate.remedy.takes_back
    return bool(undone) and undone.items() <= step.arguments.items()


def _answers(step: Call, request: Request) -> bool:
    """Return whether a call of the user's is what a question for a consent brings about."""
    return isinstance(request.about, Ask) and request.about.granted and request.about.gate == step.gate


def _joins(index: int, batch: Sequence[int], plan: Plan, needs: Sequence[int], catalogue: Catalogue) -> bool:
    """Return whether a call can be asked for together with others: all are reads, and it needs the result of none."""
    if not batch or len(batch) == AT_ONCE:
        return False
    tools = [catalogue.tools[cast("Call", plan.steps[at]).tool] for at in (*batch, index)]
    if any(tool.write or tool.unlocks for tool in tools[:-1]) or tools[-1].write:
        return False
    return not any(needs[index] >> at & 1 for at in batch)


def needs_of(plan: Plan) -> list[int]:
    """Return for each step the earlier ones whose results an assistant must have seen to take it, a bit for each.

    Beside what the arguments are computed from, these are the results that decided that it is taken at all. A value
    that a call repeats, of its own arguments or of an earlier call of the tool, is no news.
    """
    first = _First(plan)
    nodes: list[int] = []
    for origin in plan.nodes:
        if origin.kind == "result":
            nodes.append(_source(origin, plan, nodes, first))
        elif origin.kind == "user_reply":
            nodes.append(1 << origin.step)
        else:
            nodes.append(_union(nodes, _inputs(origin)))
    found: list[int] = []
    latest = -1
    for step in plan.steps:
        own = step.origins.values() if isinstance(step, Call | Ask | Tell) else ()
        latest = max(latest, *own) if own else latest
        decided = [node for node in plan.decisions if node < latest]
        found.append(_union(nodes, own) | _union(nodes, decided))
    return found


def _union(nodes: Sequence[int], chosen: Iterable[int]) -> int:
    """Return the steps that any of some nodes needs."""
    found = 0
    for node in chosen:
        found |= nodes[node]
    return found


class _First:
    """The first calls of a plan whose results hold a value at a path."""

    def __init__(self, plan: Plan) -> None:
        self._calls: dict[str, list[tuple[int, Call]]] = {}
        for index, step in enumerate(plan.steps):
            if isinstance(step, Call):
                self._calls.setdefault(step.tool, []).append((index, step))
        self._found: dict[tuple[str, tuple[str | int, ...]], dict[Scalar, int]] = {}

    def with_value(self, tool: str, path: Sequence[str | int], value: Scalar) -> int:
        """Return the first call of a tool with a value at a path; there is one."""
        key = (tool, tuple(path))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = {}
            for index, call in self._calls[tool]:
                held = _dig(call, path)
                if not isinstance(held, (list, dict)):
                    found.setdefault(held, index)
        return found[value]


def _source(origin: Result, plan: Plan, nodes: Sequence[int], first: _First) -> int:
    """Return the steps that must have been taken for the value of a result to be known."""
    call = plan.steps[origin.step]
    value = _dig(call, origin.path)
    if not isinstance(call, Call) or value is None or isinstance(value, (list, dict)):
        return 1 << origin.step
    name = origin.path[-1] if len(origin.path) == 1 else ""
    if isinstance(name, str) and name in call.origins and call.arguments.get(name) == value:
        return nodes[call.origins[name]]
    return 1 << first.with_value(call.tool, origin.path, value)


def _dig(step: object, path: Sequence[str | int]) -> Json:
    """Return the value at a path of the result of a call; None where there is none."""
    value = step.result if isinstance(step, Call) else None
    for key in path:
        if isinstance(value, dict):
            value = value.get(str(key))
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def _inputs(origin: Origin) -> list[int]:
    """Return the nodes that a node is computed from."""
    # By its kind: whether it is of a type takes longer to ask.
    match origin.kind:
        case "derived" | "decided":
            return [*origin.args.values()]
        case "mapped" | "filtered" | "summed":
            return [origin.over, *origin.args.values()]
        case "unnested" | "plucked" | "grouped" | "read_out":
            return [origin.over]
        case "joined":
            return origin.inputs
        case "called":
            return [origin.over, *origin.inputs]
        case "element":
            return [origin.of]
        case _:
            return []
