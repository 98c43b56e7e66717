"""Whether everything that the gold plan says comes from somewhere: what was told, what was read, what policy fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from schemas import provenance as o
from schemas.plan import Ask, Call, Confirm, Tell
from validators.contract.values import same
from validators.tasks.constants import constant_faults
from validators.tasks.course import course_faults
from validators.tasks.evaluation import GraphError
from validators.tasks.selection import called_faults, selection_faults
from validators.tasks.verdicts import verdict
from validators.tasks.vocabulary import TaskVocabulary
from validators.tasks.worth import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.plan import Plan, Step
    from schemas.task import Slot
    from validators.tasks.context import TaskContext
    from validators.tasks.evaluation import Graph

_CHECK = "task.provenance"


def check_provenance(context: TaskContext) -> Verdict:
    """Return whether every argument, question and answer of the plan is traced, and its graph says what is so."""
    plan = context.task.plan
    leaves = [(index, *leaf) for index, step in enumerate(plan.steps) for leaf in leaves_of(step)]
    counts = {"arguments": len(leaves), "traced": 0}
    try:
        graph = graph_of(context)
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
    faults += implicit_faults(graph, context.told)
    faults += selection_faults(graph)
    faults += called_faults(graph)
    # What is said of a plan's course presumes that its values are in order; the plainest fault is told.
    faults = faults or list(constant_faults(context, TaskVocabulary(context)))
    faults = faults or list(course_faults(context, graph))
    return verdict(_CHECK, faults, counts)


Leaf = tuple[str, object, "int | None"]
"""Path of a value that a step states, the value, and the node it is said to come from."""


def leaves_of(step: Step) -> Iterator[Leaf]:
    """Yield the leaves of a call's arguments, the values that a question states, and the answers of a report."""
    if isinstance(step, Call):
        stated = set(step.origins)
        for name, value in step.arguments.items():
            yield from _argument(name, value, step.origins, stated)
        for path in sorted(stated):
            yield path, None, -1
    elif isinstance(step, Ask):
        for name in sorted(step.values.keys() | step.origins.keys()):
            yield name, step.values.get(name), step.origins.get(name)
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
    if not same(graph.values[node], cast("Json", value)):
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


def implicit_faults(graph: Graph, slots: Sequence[Slot]) -> Iterator[str]:
    """Yield the slots that the user leaves to a text of theirs, and that no text read in the plan states."""
    read = [node for node, _ in graph.nodes_of(o.ReadOut)]
    if not read and any(isinstance(step, Ask) and not step.granted for step in graph.plan.steps):
        return  # The user did not let the text be read.
    for slot in slots:
        name = slot.name.rpartition(".")[2]
        if slot.told == "implicit" and not any(
            same(row.get(name), slot.value) for node in read for row in graph.rows(node)
        ):
            yield f"slot {slot.name!r} is left to a text, and no text that was read states {slot.value!r}"
