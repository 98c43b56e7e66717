"""Form of a task: its JSON Schema, by another engine than the one that made the model, and rules no type expresses."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import jsonschema_rs
import orjson

from schemas.plan import Ask, Call, Confirm, Question, Tell
from schemas.provenance import Decided, Result, UserReply
from schemas.task import Task
from validators.tasks.graph import inputs
from validators.tasks.labels import label_faults
from validators.tasks.parts import part_faults
from validators.tasks.schema_slots import slot_faults
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.plan import Plan
    from validators.tasks.context import TaskContext


def check_schema(context: TaskContext) -> Verdict:
    """Return whether the record has the form of a task."""
    return verdict("task.schema", list(_faults(context)))


def _faults(context: TaskContext) -> Iterator[str]:
    task = context.task
    yield from schema_faults(context.data if context.data is not None else _data_of(task))
    yield from _identity(context)
    yield from _unique("slot", [slot.name for slot in context.told])
    yield from _unique("answer", [answer.name for answer in task.expectation.answers])
    yield from _unique(
        "answer told", [name for step in task.plan.steps if isinstance(step, Tell) for name in step.answers]
    )
    yield from _unique("consent", [consent.gate for consent in task.script.consents])
    yield from _unique("setup record", [f"{patch.table}/{patch.id}" for patch in task.setup])
    for slot in context.told:
        yield from slot_faults(slot)
    for patch in task.setup:
        if patch.record is not None and patch.record.get("id") != patch.id:
            yield f"the setup of {patch.table}/{patch.id} holds the record {patch.record.get('id')!r}"
    yield from _plan_faults(context)
    yield from _list_faults(context)
    yield from label_faults(context)
    loose = list(provenance_faults(task.plan))
    yield from loose or part_faults(task)
    if not _demands(task):
        yield "nothing is required: no change, no answer and no question"


_Validator = jsonschema_rs.Draft202012Validator


@lru_cache(maxsize=1)
def _validator() -> _Validator:
    return _Validator(Task.model_json_schema())


@lru_cache(maxsize=1)
def _validators() -> tuple[_Validator, _Validator]:
    """Return the schema of tasks in two parts: all around the goals, of which each is anything, and one goal."""
    whole, around = Task.model_json_schema(), Task.model_json_schema()
    around["properties"]["goals"]["items"] = {}
    return _Validator(around), _Validator({**whole["properties"]["goals"]["items"], "$defs": whole["$defs"]})


def _fits(record: Json) -> bool:
    """Return whether a record keeps to the JSON Schema of tasks; the same goal is looked at once."""
    around, _ = _validators()
    if not around.is_valid(record):
        return False
    goals = cast("dict[str, list[Json]]", record)["goals"]
    return all(_goal_fits(orjson.dumps(goal)) for goal in goals)


@lru_cache(maxsize=4096)
def _goal_fits(text: bytes) -> bool:
    return _validators()[1].is_valid(orjson.loads(text))


def _data_of(task: Task) -> Json:
    """Return the record as JSON data. A recorded result may be any JSON, and replay compares it: it is left out."""
    return cast("Json", orjson.loads(task.model_dump_json(exclude=_RESULTS)))


_RESULTS: dict[str, dict[str, dict[str, set[str]]]] = {"plan": {"steps": {"__all__": {"result"}}}}


def schema_faults(record: Json) -> Iterator[str]:
    """Yield what breaks the JSON Schema of tasks."""
    if not _fits(record):
        for error in _validator().iter_errors(record):
            yield f"{'/'.join(map(str, error.instance_path)) or 'the record'}: {error.message[:200]}"


def _identity(context: TaskContext) -> Iterator[str]:
    task, environment = context.task, context.user.record
    if task.user_id != environment.user_id:
        yield f"the task is of user {task.user_id!r}, the environment of {environment.user_id!r}"
    if task.task_id != f"{task.user_id}-t{task.ordinal:05d}" or task.ordinal < 0:
        yield f"task_id is {task.task_id!r}, which is not made of {task.user_id!r} and {task.ordinal}"
    if not task.instruction.strip():
        yield "the instruction is empty"
    if not task.intents:
        yield "there is no intent"


def _unique(what: str, names: Iterable[str]) -> Iterator[str]:
    yield from (f"the {what} {name!r} occurs {n} times" for name, n in Counter(names).items() if n > 1)


# --- the plan ------------------------------------------------------------------------------------------------------


def _plan_faults(context: TaskContext) -> Iterator[str]:
    steps = context.task.plan.steps
    if not steps:
        yield "the plan is empty"
    for number, step in enumerate(steps):
        if isinstance(step, Call | Confirm):
            tool = context.catalogue.tools.get(step.tool)
            if tool is None:
                yield f"step {number}: there is no tool {step.tool!r}"
            elif isinstance(step, Call) and tool.side != step.side:
                yield f"step {number}: {step.tool} is not offered to the {step.side}"
        gate = step.gate if isinstance(step, Call | Ask) else ""
        if gate and gate not in context.catalogue.gates:
            yield f"step {number}: there is no gate {gate!r}"


def _list_faults(context: TaskContext) -> Iterator[str]:
    """Yield what is wrong with the lists that tell what the plan does."""
    task, steps = context.task, context.task.plan.steps
    tools = sorted({step.tool for step in steps if isinstance(step, Call)})
    if task.tools != tools:
        yield f"tools is {task.tools}, the plan calls {tools}"
    gates = sorted({step.gate for step in steps if isinstance(step, Call | Ask) and step.gate})
    if task.gates != gates:
        yield f"gates is {task.gates}, the plan meets {gates}"
    if task.features != sorted(set(task.features)):
        yield f"features is not sorted or names one twice: {task.features}"
    standing = [
        gate for gate in gates if gate in context.catalogue.gates and context.catalogue.gates[gate].gate.standing
    ]
    if standing:
        closed = context.open().closed_gates()
        yield from (
            f"the plan meets the gate {gate}, which is open at the start" for gate in standing if gate not in closed
        )


def _demands(task: Task) -> bool:
    expectation = task.expectation
    if expectation.answers or expectation.asks:
        return bool(expectation.any_of)
    return bool(expectation.any_of) and all(
        contract.changes or any(total.fn != "le" and total.value for total in contract.totals)
        for contract in expectation.any_of
    )


# --- provenance ----------------------------------------------------------------------------------------------------


def provenance_faults(plan: Plan) -> Iterator[str]:
    """Yield indices of nodes and steps that point nowhere, forward, or at a step of the wrong kind."""
    nodes, steps = plan.nodes, plan.steps
    for number, origin in enumerate(nodes):
        below = inputs(origin)
        if below and (min(below) < 0 or max(below) >= number):
            yield f"node {number} ({origin.kind}) is computed from a node that does not come before it"
        if isinstance(origin, Result | UserReply):
            wanted = Call if isinstance(origin, Result) else Ask | Question
            if not 0 <= origin.step < len(steps) or not isinstance(steps[origin.step], wanted):
                yield f"node {number} ({origin.kind}) names step {origin.step}, which is none that could give it"
    for number, step in enumerate(steps):
        origins = step.origins if isinstance(step, Call | Ask | Tell) else {}
        yield from (
            f"step {number}: {path!r} comes from node {index}, which there is not"
            for path, index in origins.items()
            if not 0 <= index < len(nodes)
        )
    for index in plan.decisions:
        if not 0 <= index < len(nodes) or not isinstance(nodes[index], Decided):
            yield f"the decision {index} is no node that decides"
