"""Whether everything that the gold plan says comes from somewhere: what was told, what was read, what policy fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from schemas import provenance as o
from schemas.plan import Ask, Call, Confirm, Tell
from validators.contract.values import same
from validators.tasks.constants import constant_faults
from validators.tasks.context import slot_values
from validators.tasks.evaluation import Graph, GraphError
from validators.tasks.selection import called_faults, selection_faults
from validators.tasks.verdicts import verdict
from validators.tasks.vocabulary import TaskVocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.plan import Plan, Step
    from validators.tasks.context import TaskContext

_CHECK = "task.provenance"


def check_provenance(context: TaskContext) -> Verdict:
    """Return whether every argument, question and answer of the plan is traced, and its graph says what is so."""
    plan = context.task.plan
    told = {slot.name: (slot.kind, slot.value) for slot in context.told if slot.told == "upfront"}
    leaves = [(index, *leaf) for index, step in enumerate(plan.steps) for leaf in leaves_of(step)]
    counts = {"arguments": len(leaves), "traced": 0}
    try:
        graph = Graph(plan, slot_values(told), context.now)
    except GraphError as error:
        return verdict(_CHECK, [str(error)], counts)
    faults: list[str] = []
    for step, path, value, node in leaves:
        fault = _leaf_fault(graph, step, value, node)
        if fault:
            faults.append(f"step {step}: {path!r} {fault}")
    counts["traced"] = len(leaves) - len(faults)
    faults += _decision_faults(plan)
    if faults:
        return verdict(_CHECK, faults, counts)
    faults += _order_faults(plan)
    faults += selection_faults(graph)
    faults += called_faults(graph)
    faults += _page_faults(graph)
    if not faults:
        faults += constant_faults(context, TaskVocabulary(context))
    return verdict(_CHECK, faults, counts)


Leaf = tuple[str, object, "int | None"]
"""Path of a value that a step states, the value, and the node it is said to come from."""
_UNSTATED = object()
"""The value of a question, which is not recorded beside its origin."""


def leaves_of(step: Step) -> Iterator[Leaf]:
    """Yield the leaves of a call's arguments, the values that a question states, and the answers of a report."""
    if isinstance(step, Call):
        stated = set(step.origins)
        for name, value in step.arguments.items():
            yield from _argument(name, value, step.origins, stated)
        for path in sorted(stated):
            yield path, None, -1
    elif isinstance(step, Ask):
        for name, node in step.origins.items():
            yield name, _UNSTATED, node
    elif isinstance(step, Tell):
        for name in sorted(step.answers.keys() | step.origins.keys()):
            yield name, step.answers.get(name), step.origins.get(name)


def _argument(path: str, value: Json, origins: Mapping[str, int], stated: set[str]) -> Iterator[Leaf]:
    """Yield the leaves of an argument: where a node is named for it, or for the parts of a container."""
    if path in origins:
        stated.discard(path)
        yield path, value, origins[path]
    elif isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _argument(f"{path}.{key}", item, origins, stated)
    elif isinstance(value, list) and value:
        for key, item in enumerate(value):
            yield from _argument(f"{path}.{key}", item, origins, stated)
    else:
        yield path, value, None


def _leaf_fault(graph: Graph, step: int, value: object, node: int | None) -> str:
    if node is None:
        return "comes from nowhere"
    if not 0 <= node < len(graph.values):
        return "comes from a node that is not there, or is no argument"
    if value is not _UNSTATED and not same(graph.values[node], cast("Json", value)):
        return f"is {value!r}, its origin says {graph.values[node]!r}"
    if graph.latest[node] >= step:
        return "comes from a result that is not there yet"
    if not graph.grounded[node] and not isinstance(graph.plan.nodes[node], o.Policy):
        return "is computed from constants alone"
    return ""


def _decision_faults(plan: Plan) -> Iterator[str]:
    for node in plan.decisions:
        if not 0 <= node < len(plan.nodes) or not isinstance(plan.nodes[node], o.Decided):
            yield f"decision {node} is no branch of the plan"


def _order_faults(plan: Plan) -> Iterator[str]:
    """Yield confirmations of calls that are not made."""
    for index, step in enumerate(plan.steps):
        if isinstance(step, Confirm):
            following = (
                later for later in plan.steps[index + 1 :] if isinstance(later, Call) and later.tool == step.tool
            )
            call = next(following, None)
            if call is None or not same(dict(call.arguments), dict(step.arguments)):
                yield f"step {index}: the call of {step.tool} that the user confirms is not made"


def _page_faults(graph: Graph) -> Iterator[str]:
    """Yield joined pages of which one did not decide whether another follows."""
    plan = graph.plan
    asked: set[int] = set()
    for node in plan.decisions:
        decided = plan.nodes[node]
        sources = [plan.nodes[arg] for arg in decided.args.values()] if isinstance(decided, o.Decided) else []
        asked |= {source.step for source in sources if isinstance(source, o.Result)}
    for index, origin in enumerate(plan.nodes):
        if isinstance(origin, o.Joined):
            pages = [plan.nodes[node] for node in origin.inputs]
            steps = [page.step for page in pages if isinstance(page, o.Result)]
            tools = {graph.call(step).tool for step in steps}
            if (
                len(steps) != len(pages)
                or len(set(steps)) != len(steps)
                or len(tools) > 1
                or not asked.issuperset(steps)
            ):
                yield f"node {index}: the pages of a listing are joined, and not each of them led on or was the last"
