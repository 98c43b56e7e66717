"""The gold plan, executed: it starts where it says, returns what it says, and ends in what the contract accepts."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, cast

import orjson

from schemas.base import Model, canonical
from schemas.goal import Table as Rows
from schemas.plan import Ask, Call
from services.runtime.algebra import NO_ROW, Scope
from services.runtime.blobs import Blob
from services.runtime.state import State
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.base import Json
    from schemas.certificate import Verdict
    from services.runtime.declare import Invariant
    from validators.tasks.context import TaskContext


def check_replay(context: TaskContext) -> Verdict:
    """Return whether the gold plan does on a fresh environment exactly what it recorded."""
    gold = context.gold
    faults = [*_start_faults(context), *_result_faults(context), *_script_faults(context), *_told_faults(context)]
    if gold.end_hash != context.task.end_hash:
        faults.append(f"end_hash is {context.task.end_hash}, the plan ends at {gold.end_hash}")
    return verdict("task.replay", faults, {"calls": sum(result is not None for result in gold.results)})


def check_contract(context: TaskContext) -> Verdict:
    """Return whether the expectation accepts what the gold plan did."""
    judgement = context.judgement(context.gold)
    return verdict("task.contract", [] if judgement.passed else [judgement.reason])


# --- the start -----------------------------------------------------------------------------------------------------


def _start_faults(context: TaskContext) -> Iterator[str]:
    task = context.task
    environment = f"{context.user.base.hash:032x}"
    if task.environment_hash != environment:
        yield f"environment_hash is {task.environment_hash}, the environment's records give {environment}"
    start = f"{context.start.hash:032x}"
    if task.start_hash != start:
        yield f"start_hash is {task.start_hash}, environment and setup give {start}"
    yield from _reference_faults(context)
    yield from _clock_faults(context)
    for table in sorted({patch.table for patch in task.setup}):
        if issubclass(context.catalogue.tables[table].record, Blob):
            yield f"the setup changes {table}, which describes blobs, and blobs stay as they are"
    scope = Scope(State(context.start), context.now, {})
    changed = {patch.table for patch in task.setup}
    for invariant in context.catalogue.invariants.values():
        if changed & tables_read(invariant) and not context.user.relation(invariant.name)(NO_ROW, scope):
            yield f"after setup the invariant {invariant.name} does not hold: {invariant.text}"


_READ: dict[int, tuple[Invariant, Set[str]]] = {}
"""By identity, next to what is identified, so that it is not taken for another one."""


def tables_read(invariant: Invariant) -> Set[str]:
    """Return the tables that an invariant looks at; only their change can break it."""
    found = _READ.get(id(invariant))
    if found is None:
        read = {part.table for part in _parts(invariant.holds) if isinstance(part, Rows)}
        found = _READ[id(invariant)] = (invariant, read)
    return found[1]


def _parts(value: object) -> Iterator[Model]:
    if isinstance(value, Model):
        yield value
        for field in type(value).model_fields:
            yield from _parts(getattr(value, field))
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _parts(item)


def _reference_faults(context: TaskContext) -> Iterator[str]:
    """Yield references of set-up records that lead nowhere, and references to records that the setup took away."""
    tables, start = context.catalogue.tables, context.start
    gone = {(patch.table, patch.id) for patch in context.task.setup if patch.record is None}
    for patch in context.task.setup:
        record = start.tables[patch.table].get(patch.id)
        for field, target in tables[patch.table].references.items() if record is not None else ():
            known = start.records(target)
            yield from (
                f"{patch.table}/{patch.id}.{field} refers to {key!r}, which {target} does not hold"
                for key in _ids(getattr(record, field))
                if key not in known
            )
    for table, key in sorted(gone):
        for name, declared in tables.items():
            for field, target in declared.references.items():
                if target == table and any(key in _ids(getattr(r, field)) for r in start.tables[name].values()):
                    yield f"the setup takes away {table}/{key}, to which a record of {name} refers by {field}"


def _ids(value: object) -> tuple[object, ...]:
    if value is None:
        return ()
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)


def _clock_faults(context: TaskContext) -> Iterator[str]:
    for patch in context.task.setup:
        for field in context.catalogue.tables[patch.table].observed:
            value = None if patch.record is None else patch.record.get(field)
            # A date is a prefix of the times of its day, so that today's passes.
            if isinstance(value, str) and value > context.now:
                yield f"the setup of {patch.table}/{patch.id} puts {field} at {value}, after now ({context.now})"


# --- the plan ------------------------------------------------------------------------------------------------------


def alike(one: object, other: object) -> bool:
    """Return whether two JSON values have one canonical form."""
    # Equal bytes are equal values; only what differs has to be brought to one number form.
    if orjson.dumps(one, option=orjson.OPT_SORT_KEYS) == orjson.dumps(other, option=orjson.OPT_SORT_KEYS):
        return True
    return canonical(one) == canonical(other)


def _result_faults(context: TaskContext) -> Iterator[str]:
    gold = context.gold
    for fault in gold.errors:
        yield f"step {fault.at} ({_tool(context, fault.at)}) returns {fault.code}"
    for number, (step, result) in enumerate(zip(context.task.plan.steps, gold.results, strict=True)):
        if isinstance(step, Call) and not gold.error(number) and not alike(step.result, result):
            yield f"step {number} ({step.tool}) does not return the recorded result"


def _tool(context: TaskContext, number: int) -> str:
    step = context.task.plan.steps[number]
    return step.tool if isinstance(step, Call) else step.step


def _script_faults(context: TaskContext) -> Iterator[str]:
    """Yield questions that the user answers otherwise, and acts of the user for a gate without a yes before them."""
    script = context.task.script
    consents = {consent.gate: consent.granted for consent in script.consents}
    limits = {consent.gate: consent.up_to_cents for consent in script.consents}
    granted: set[str] = set()
    agreed: dict[str, int] = {}
    for number, step in enumerate(context.task.plan.steps):
        if isinstance(step, Ask):
            if consents.get(step.gate) is not step.granted:
                yield f"step {number}: the user answers {consents.get(step.gate)} for {step.gate}, not {step.granted}"
            yield from _limit_faults(number, step, limits.get(step.gate), agreed.get(step.gate, 0))
            if step.granted:
                agreed[step.gate] = agreed.get(step.gate, 0) + sum(_cents(step))
                granted.add(step.gate)
        elif isinstance(step, Call) and step.side == "user" and step.gate and step.gate not in granted:
            yield f"step {number}: the user acts for {step.gate} without having said yes to it"
    for gate, given in consents.items():
        compiled = context.catalogue.gates.get(gate)
        if compiled is not None and compiled.gate.accumulates and given is (script.top_up == "refuse"):
            yield f"the script says {given} for {gate} and {script.top_up!r} for its amount"


def _cents(step: Ask) -> list[int]:
    return [round(value * 100) for value in step.values.values() if isinstance(value, int | float)]


def _limit_faults(number: int, step: Ask, limit: int | None, agreed: int) -> Iterator[str]:
    """Yield an amount that the user agrees to beyond their limit, or refuses within it, `agreed` being said yes to.

    A limit is one for all amounts together, so that it does not matter whether they are asked for one by one.
    """
    if limit is None:
        return
    asked = _cents(step)
    if len(asked) != 1:
        yield f"step {number}: the user agrees to an amount for {step.gate}, and is asked for {len(asked)}"
    elif (agreed + asked[0] <= limit) is not step.granted:
        done = "agrees to" if step.granted else "refuses"
        yield f"step {number}: the user {done} {agreed + asked[0]} cents, with a limit of {limit}"


def _told_faults(context: TaskContext) -> Iterator[str]:
    expected = {answer.name: answer for answer in context.task.expectation.answers}
    told = context.gold.answers
    for name in sorted(expected.keys() ^ told.keys()):
        yield f"the answer {name!r} is " + ("not told" if name in expected else "told and not expected")
    for name, answer in expected.items():
        if name in told and not _same_answer(answer.kind, told[name], answer.value):
            yield f"the answer {name!r} is told as {told[name]!r}, expected is {answer.value!r}"


def _same_answer(kind: str, told: Json, expected: Json) -> bool:
    if kind == "names" and isinstance(told, list) and isinstance(expected, list):
        return {canonical(name) for name in told} == {canonical(name) for name in expected}
    return alike(told, expected)
