"""From a goal and its values to what decides whether an outcome passes.

`validators` derive the same by their own engine.
"""

from __future__ import annotations

import datetime as dt
from itertools import combinations
from typing import TYPE_CHECKING, cast

from schemas import contract as k
from schemas import goal as g
from schemas.base import canonical
from services.runtime.algebra import NO_ROW, Scope, compile_expr, compile_pred
from services.runtime.identity import by_identity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.base import Json
    from schemas.task import UserScript
    from services.runtime.algebra import Row
    from services.runtime.catalogue import Catalogue


_expr = by_identity(compile_expr, kept=16384)
_pred = by_identity(compile_pred, kept=16384)
"""Compiled once for all tasks of a shape, which share their goal."""


class GoalError(Exception):
    """The goal does not hold as the form of the request says: the candidate is dropped with this reason."""


def _whole(value: object) -> int:
    """Return an amount. Raise GoalError when the state offers none, as where nothing satisfies the request any more."""
    if not isinstance(value, int) or isinstance(value, bool):
        msg = f"an amount of the goal is {value!r}, which is no whole number"
        raise GoalError(msg)
    return value


def _rule(rule: g.FieldGoal, row: Row, scope: Scope) -> k.Rule:
    def value(expr: g.Expr) -> Json:
        return cast("Json", _expr(expr)(row, scope))

    match rule:
        case g.FieldIs():
            return k.Equal(value=value(rule.value))
        case g.FieldIn():
            return k.OneOf(values=[value(item) for item in rule.values])
        case g.FieldWithin():
            return k.Range(low=cast("str", value(rule.low)), high=cast("str", value(rule.high)))
        case g.FieldLeft():
            return k.Left(start=_whole(value(rule.start)), amounts=[_whole(value(rule.amount))])
        case g.FieldRef():
            return k.Ref(var=rule.var)
        case g.FieldAny():
            return k.AnyValue()


def _change(write: g.Write, row: Row, scope: Scope, catalogue: Catalogue) -> k.Change:
    fields = {name: _rule(rule, row, scope) for name, rule in write.fields.items()}
    if write.op == "create":
        until = (dt.datetime.fromisoformat(scope.now) + dt.timedelta(days=1)).isoformat()
        for stamp in catalogue.tables[write.table].stamps:
            fields.setdefault(stamp, k.Range(low=scope.now, high=until))
    key = "" if write.id is None else _expr(write.id)(row, scope)
    if not isinstance(key, str):
        msg = f"the {write.op} in {write.table!r} has no id"
        raise GoalError(msg)
    return k.Change(op=write.op, table=write.table, id=key, fields=fields)


def changes_of(writes: Sequence[g.Write], scope: Scope, catalogue: Catalogue) -> list[k.Change]:
    """Return the changes of `writes` in order, those of a write with rows by their canonical form."""
    changes: list[k.Change] = []
    for write in writes:
        when = _pred(write.when) if write.when else None
        rows = cast("Sequence[Row]", scope.nodes[write.rows]) if write.rows else [NO_ROW]
        found = [_change(write, row, scope, catalogue) for row in rows if when is None or when(row, scope)]
        if write.rows:
            found.sort(key=canonical)
        for number, change in enumerate(found):
            var = f"{write.var}.{number}" if write.var and write.rows else write.var
            changes.append(change.changed({"var": var}) if var else change)
    return changes


def answers_of(goal: g.Goal, scope: Scope) -> list[k.Answer]:
    """Return the answers of a goal whose nodes are evaluated in `scope`. Raise GoalError when one has no value."""
    answers: list[k.Answer] = []
    if goal.decline:
        answers.append(k.Answer(name="reason", kind="reason", value=goal.decline.reason, cue="reason"))
    for answer in goal.answers:
        value: object
        if answer.rows:
            rows = cast("Sequence[Row]", scope.nodes[answer.rows])
            value = sorted({str(row[answer.column]) for row in rows})
        elif answer.value is not None:
            value = _expr(answer.value)(NO_ROW, scope)
        else:
            msg = f"answer {answer.name!r} has neither a value nor rows"
            raise GoalError(msg)
        if value is None:
            msg = f"answer {answer.name!r} has no value"
            raise GoalError(msg)
        answers.append(k.Answer(name=answer.name, kind=answer.kind, value=cast("Json", value), cue=answer.cue))
    return answers


def gate_changes(goal: g.Goal, scope: Scope, catalogue: Catalogue) -> dict[str, list[k.Change]]:
    """Return the declared effect of each standing gate of the goal that is closed at the start, in the goal's order."""
    found: dict[str, list[k.Change]] = {}
    for name in goal.gates:
        compiled = catalogue.gates[name]
        if compiled.gate.standing and compiled.gate.effect and compiled.closed(NO_ROW, scope):
            found[name] = changes_of(compiled.gate.effect, scope, catalogue)
    return found


def derive_expectation(goal: g.Goal, scope: Scope, script: UserScript, catalogue: Catalogue) -> k.Expectation:
    """Return the acceptable ends, answers and asks of `goal`, whose nodes are evaluated in `scope` at the task's start.

    A gate that is opened must have been asked about; a consent given once leaves nothing. A declined goal changes
    nothing, but any of the consents given on the way may stay, and what an attempt blocked by the gate of the decline
    leaves. Raise GoalError when the fact that makes declining right does not hold.
    """
    closed = gate_changes(goal, scope, catalogue)
    once = {consent.gate for consent in script.consents if consent.once}
    lasting = {name: effect for name, effect in closed.items() if name not in once}
    answers = answers_of(goal, scope)
    if goal.decline is None:
        contract = k.Contract(
            changes=changes_of(goal.writes, scope, catalogue)
            + [change for effect in lasting.values() for change in effect],
            totals=[_total(total, scope) for total in goal.totals],
            relations=goal.relations,
        )
        return k.Expectation(any_of=[contract], answers=answers, asks=[k.RequiredAsk(gate=name) for name in closed])
    if not _pred(goal.decline.because)(NO_ROW, scope):
        msg = f"the request need not be declined: {goal.decline.reason} does not hold"
        raise GoalError(msg)
    granted = {consent.gate for consent in script.consents if consent.granted}
    optional = [effect for name, effect in lasting.items() if name in granted and name != goal.decline.gate]
    subsets = [chosen for size in range(len(optional) + 1) for chosen in combinations(optional, size)]
    asked = goal.decline.reason in {"consent_refused", "cannot_afford"}
    residue = catalogue.gates[goal.decline.gate].gate.residue if goal.decline.gate else ()
    return k.Expectation(
        any_of=[
            k.Contract(
                changes=[change for effect in chosen for change in effect],
                allowed=list(residue),
                relations=goal.relations,
            )
            for chosen in subsets
        ],
        answers=answers,
        asks=[k.RequiredAsk(gate=goal.decline.gate)] if asked else [],
    )


def _total(total: g.TotalGoal, scope: Scope) -> k.Total:
    value = _whole(_expr(total.value)(NO_ROW, scope))
    beyond = None if total.beyond is None else _whole(_expr(total.beyond)(NO_ROW, scope))
    return k.Total(table=total.table, where=total.where, column=total.column, fn=total.fn, value=value, beyond=beyond)


def slot_values(slots: Mapping[str, Json]) -> dict[str, Json]:
    """Return slots as expressions name them: a period stands as `<name>_first` and `<name>_last`."""
    values: dict[str, Json] = {}
    for name, value in slots.items():
        if isinstance(value, list):
            values[f"{name}_first"], values[f"{name}_last"] = value
        else:
            values[name] = value
    return values
