"""Conditions hold: a closed gate blocks the plan, and an approval is good once, for a time and for one amount."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from msgspec.structs import replace as with_fields

from schemas.plan import Ask, Call
from services.runtime.algebra import NO_ROW, Scope, compile_expr
from services.runtime.identity import by_identity
from services.runtime.state import State
from validators.tasks.replay import replay as carry_out
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.certificate import Verdict
    from schemas.goal import Write
    from services.runtime.declare import Approval
    from services.runtime.environment import Environment
    from services.runtime.records import Record
    from services.runtime.state import Key
    from validators.tasks.context import TaskContext


_expr = by_identity(compile_expr)


def check_permissions(context: TaskContext) -> Verdict:
    """Return whether each condition on a call of the plan blocks it when it is not met, with the declared code."""
    counts = {"total": 0, "blocked": 0}
    faults: list[str] = []
    for what, wanted, code in _attempts(context):
        counts["total"] += 1
        counts["blocked"] += code == wanted
        if code != wanted:
            faults.append(f"{what} returns {code or 'a result'}, not {wanted}")
    note = "" if counts["total"] else "the plan passes no gate and makes no call that is approved or confirmed"
    return verdict("task.permissions", faults, counts, note)


def _attempts(context: TaskContext) -> Iterator[tuple[str, str, str]]:
    """Yield what was tried, the code it must return, and the one it returned."""
    yield from _closed_gates(context)
    for number, step in enumerate(context.task.plan.steps):
        if isinstance(step, Call):
            tool = context.catalogue.tools[step.tool]
            if tool.approval is not None:
                yield from _approvals(context, number, step, tool.approval)
            if tool.confirm:
                yield f"step {number} without a yes", "CONFIRMATION_REQUIRED", _unconfirmed(context, number, step)


# --- gates ---------------------------------------------------------------------------------------------------------


def _closed_gates(context: TaskContext) -> Iterator[tuple[str, str, str]]:
    """Close each gate at the start, leave out its remedy, and make the calls it guards."""
    guarded: dict[str, list[int]] = {}
    for number, step in enumerate(context.task.plan.steps):
        if isinstance(step, Call):
            for gate in context.catalogue.tools[step.tool].gates:
                guarded.setdefault(gate, []).append(number)
    for gate, calls in guarded.items():
        declared = context.catalogue.gates[gate].gate
        acts = [act for act in context.acts if not _is_remedy(act.step, gate)]
        outcome = carry_out(context, acts, patch=closing(context, declared.closing))
        at = {act.gold: position for position, act in enumerate(acts)}
        for number in calls:
            yield f"step {number} with {gate} closed", declared.code, outcome.error(at[number])


def _is_remedy(step: object, gate: str) -> bool:
    return isinstance(step, Call | Ask) and step.gate == gate


def closing(context: TaskContext, writes: tuple[Write, ...]) -> Mapping[Key, Record | None]:
    """Return the records by which a gate is closed at the task's start. Raise ValueError when the writes name none."""
    scope = Scope(State(context.start), context.now, {})
    patch: dict[Key, Record | None] = {}
    for write in writes:
        if write.op != "update" or write.id is None:
            msg = f"a gate is closed by an update of {write.table}, which must name the record"
            raise ValueError(msg)
        key = str(_expr(write.id)(NO_ROW, scope))
        values = {name: _expr(rule.value)(NO_ROW, scope) for name, rule in write.fields.items() if rule.rule == "equal"}
        patch[write.table, key] = with_fields(context.start.tables[write.table][key], **values)
    if not patch:
        msg = "a gate of the plan does not declare how it is closed"
        raise ValueError(msg)
    return patch


# --- approvals -----------------------------------------------------------------------------------------------------


def _code(context: TaskContext, env: Environment, step: Call) -> str:
    context.calls += 1
    error = env.call(step.tool, step.arguments, step.side).get("error")
    return str(error["code"]) if isinstance(error, dict) else ""


def _at(context: TaskContext, number: int) -> Environment:
    """Return an environment where the gold stands before step `number`."""
    env = context.open()
    env.restore(context.gold.snapshots[number])
    return env


def _approvals(context: TaskContext, number: int, step: Call, approval: Approval) -> Iterator[tuple[str, str, str]]:
    again = _code(context, _at(context, number + 1), step)
    yield f"step {number} made twice", approval.replayed, again
    key = str(step.arguments[approval.id_argument])
    record = _at(context, number).state_.get(approval.table, key)
    if record is None:
        msg = f"step {number} approves {approval.table}/{key}, which is not there"
        raise ValueError(msg)
    old = dt.datetime.fromisoformat(context.now) - dt.timedelta(hours=approval.hours, minutes=1)
    # One cent less, because more could also exceed the balance.
    amount = getattr(record, approval.amount_field) - 1
    for what, wanted, change in (
        ("too late", approval.expired, {approval.created_field: old.isoformat()}),
        ("with another amount", approval.changed, {approval.amount_field: amount}),
    ):
        env = _at(context, number)
        env.state_.set(approval.table, key, with_fields(record, **change))
        yield f"step {number} made {what}", wanted, _code(context, env, step)


def _unconfirmed(context: TaskContext, number: int, step: Call) -> str:
    env = _at(context, number)
    env.session = env.session._replace(confirmed=())
    return _code(context, env, step)
