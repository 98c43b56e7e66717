"""The expectation that a goal implies, by the second engine: the other derivation must give the same canonical JSON.

The rules, on the state at the start of the task:

1. `changes` are those of the writes, in their order, then those of the gates. A write without `rows` gives one change,
   a write with `rows` one per row of that node; none where `when` does not hold.
2. A field rule becomes the contract's rule of the same name, with the values of its expressions; `id` becomes the id.
   On `create`, each of the table's `stamps` that the write does not name gets the range from `now` to a day later.
3. The changes of one write with `rows` are sorted by the canonical bytes they have without a variable; then the n-th,
   counted from 0, gets the variable `<var>.<n>`. A write without `rows` keeps `<var>`.
4. Each gate of the goal that is standing, has an effect and is closed adds the changes of its effect, in the order of
   `goal.gates`; the writes of an effect use neither slots nor nodes.
5. `totals`, `relations` and `answers` are in the goal's order, with values for expressions. An answer with `rows` is
   the sorted list of the different values of its column.
6. A declined goal has no writes and no totals. Its `because` must hold. Its answers begin with `reason` (kind and cue
   `reason`); for `consent_refused` and `cannot_afford` the gate of the decline must be asked about. There is one
   contract per subset of the gate effects of rule 4 whose consent the script grants and whose gate is not the one of
   the decline: smaller subsets first, those of one size in the order of `itertools.combinations`. Each allows the
   `residue` of the gate of the decline.
7. A goal that is not declined requires the ask for each gate of rule 4.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from schemas import goal as g
from schemas.base import Json, canonical
from schemas.contract import (
    Answer,
    AnyValue,
    Change,
    Contract,
    Equal,
    Expectation,
    Left,
    OneOf,
    Range,
    Ref,
    RequiredAsk,
    Rule,
    Total,
)
from validators.engine.evaluate import evaluate_pred
from validators.engine.goal_sql import GoalSql, Query
from validators.engine.structure import structure

if TYPE_CHECKING:
    from schemas.base import Scalar
    from schemas.task import UserScript
    from services.runtime.declare import Gate, Table
    from validators.engine.database import Bound, Database

Row: TypeAlias = Sequence[Json]
RuleOf: TypeAlias = Callable[[Row], Rule]
_ASKED = ("consent_refused", "cannot_afford")


class GoalMismatch(ValueError):
    """The goal does not fit the state: a decline that nothing justifies, or a value that is missing."""


class _Write(NamedTuple):
    """A write with the places of its values in the row of its query; -1 for none."""

    write: g.Write
    when: int
    id: int
    rules: Mapping[str, RuleOf]
    query: Query | None
    """One row per change; None when the values stand in the row of single values."""


class _Recipe(NamedTuple):
    """A compiled goal."""

    program: GoalSql
    singles: Query
    writes: tuple[_Write, ...]
    totals: tuple[tuple[int, int], ...]
    """Places of the value and of what it must exceed; -1 for none."""
    answers: tuple[int | Query, ...]
    because: int


class _Start(NamedTuple):
    """Where and when the goal is evaluated."""

    slots: Mapping[str, Json]
    now: str
    tables: Mapping[str, Table]
    db: Database


class _Filled(NamedTuple):
    """A compiled goal with its values."""

    recipe: _Recipe
    bound: Bound
    row: Row
    """The single values."""


class _Parts:
    """Collects expressions and gives each its place in a row."""

    def __init__(self) -> None:
        self.listed: list[g.Expr | g.Pred] = []

    def add(self, part: g.Expr | g.Pred | None) -> int:
        """Return the place of the part; -1 for none."""
        if part is None:
            return -1
        self.listed.append(part)
        return len(self.listed) - 1


def derive_expectation(
    goal: g.Goal,
    slots: Mapping[str, Json],
    now: str,
    script: UserScript,
    gates: Mapping[str, Gate],
    tables: Mapping[str, Table],
    db: Database,
) -> Expectation:
    """Return what decides whether an outcome passes; the database holds the state at the start of the task.

    Raises:
        GoalMismatch: the goal does not fit the state.
        GoalError: the goal refers to what is not there.
    """
    start = _Start(slots, now, tables, db)
    effects = {
        name: _written(_filled(g.Goal(writes=list(gates[name].effect)), start), start)
        for name in goal.gates
        if gates[name].standing and gates[name].effect and evaluate_pred(gates[name].closed, {}, now, db)
    }
    filled = _filled(goal, start)
    recipe, row = filled.recipe, filled.row
    answers = [_answer(a, place, filled, db) for a, place in zip(goal.answers, recipe.answers, strict=True)]
    if goal.decline is None:
        changes = [*_written(filled, start), *(change for effect in effects.values() for change in effect)]
        totals = [_total(total, row, places) for total, places in zip(goal.totals, recipe.totals, strict=True)]
        contract = Contract(changes=changes, totals=totals, relations=goal.relations)
        return Expectation(any_of=[contract], answers=answers, asks=[RequiredAsk(gate=name) for name in effects])
    if row[recipe.because] != 1:
        raise GoalMismatch(f"the request need not be declined as {goal.decline.reason!r}")
    return Expectation(
        any_of=_declined_ends(goal, goal.decline, effects, script, gates),
        answers=[Answer(name="reason", kind="reason", value=goal.decline.reason, cue="reason"), *answers],
        asks=[RequiredAsk(gate=goal.decline.gate)] if goal.decline.reason in _ASKED else [],
    )


def _declined_ends(
    goal: g.Goal,
    decline: g.Decline,
    effects: Mapping[str, list[Change]],
    script: UserScript,
    gates: Mapping[str, Gate],
) -> list[Contract]:
    if decline.reason in _ASKED and not decline.gate:
        raise GoalMismatch(f"a decline as {decline.reason!r} must name the gate that was asked about")
    granted = {consent.gate for consent in script.consents if consent.granted}
    optional = [effect for name, effect in effects.items() if name in granted and name != decline.gate]
    residue = list(gates[decline.gate].residue) if decline.gate else []
    return [
        Contract(changes=[change for effect in chosen for change in effect], allowed=residue, relations=goal.relations)
        for size in range(len(optional) + 1)
        for chosen in combinations(optional, size)
    ]


# --- compiling ----------------------------------------------------------------------------------------------------


def _compile(goal: g.Goal, db: Database) -> _Recipe:
    program, singles = GoalSql(db.columns, goal.nodes, shown_by=goal), _Parts()
    writes = [] if goal.decline else [_compile_write(write, program, singles) for write in goal.writes]
    totals = [] if goal.decline else [(singles.add(t.value), singles.add(t.beyond)) for t in goal.totals]
    answers: list[int | Query] = [
        program.per_row(answer.rows, [g.Col(name=answer.column)], None) if answer.rows else singles.add(answer.value)
        for answer in goal.answers
    ]
    because = singles.add(goal.decline.because if goal.decline else None)
    query = program.one_row(singles.listed)
    return _Recipe(program, query, tuple(writes), tuple(totals), tuple(answers), because)


def _compile_write(write: g.Write, program: GoalSql, singles: _Parts) -> _Write:
    parts = _Parts() if write.rows else singles
    when = -1 if write.rows else parts.add(write.when)
    place = parts.add(write.id)
    rules = {name: _rule_of(rule, parts) for name, rule in write.fields.items()}
    query = None
    if write.rows:
        query = program.per_row(write.rows, cast("list[g.Expr]", parts.listed), write.when)
    return _Write(write, when, place, rules, query)


def _rule_of(rule: g.FieldGoal, parts: _Parts) -> RuleOf:
    match rule:
        case g.FieldIs():
            place = parts.add(rule.value)
            return lambda row: Equal(value=row[place])
        case g.FieldIn():
            places = [parts.add(value) for value in rule.values]
            return lambda row: OneOf(values=[row[place] for place in places])
        case g.FieldWithin():
            low, high = parts.add(rule.low), parts.add(rule.high)
            return lambda row: Range(low=cast("Scalar", row[low]), high=cast("Scalar", row[high]))
        case g.FieldLeft():
            start, amount = parts.add(rule.start), parts.add(rule.amount)
            return lambda row: Left(start=_whole(row[start]), amounts=[_whole(row[amount])])
        case g.FieldRef():
            ref = Ref(var=rule.var)
            return lambda row: ref
        case g.FieldAny():
            return lambda row: AnyValue()


# --- filling in values --------------------------------------------------------------------------------------------


def _filled(goal: g.Goal, start: _Start) -> _Filled:
    recipe = start.db.compiled(b"expect\0" + structure(goal), lambda: _compile(goal, start.db))
    bound = start.db.bind(recipe.program, start.slots, start.now)
    (row,) = start.db.fetch(recipe.singles, bound)
    return _Filled(recipe, bound, row)


def _written(filled: _Filled, start: _Start) -> list[Change]:
    changes: list[Change] = []
    for write in filled.recipe.writes:
        if write.query is None:
            if write.when < 0 or filled.row[write.when] == 1:
                changes.append(_change(write, filled.row, start, write.write.var))
            continue
        rows = start.db.fetch(write.query, filled.bound)
        found = sorted((_change(write, one, start, "") for one in rows), key=canonical)
        named = write.write.var
        changes += [c.model_copy(update={"var": f"{named}.{n}"}) for n, c in enumerate(found)] if named else found
    return changes


def _change(write: _Write, row: Row, start: _Start, var: str) -> Change:
    goal = write.write
    key = row[write.id] if write.id >= 0 else ""
    if not isinstance(key, str):
        raise GoalMismatch(f"the {goal.op} in {goal.table!r} has the id {key!r}, which is no id")
    fields = {name: rule_of(row) for name, rule_of in write.rules.items()}
    if goal.op == "create":
        until = (dt.datetime.fromisoformat(start.now) + dt.timedelta(days=1)).isoformat()
        for stamp in start.tables[goal.table].stamps:
            fields.setdefault(stamp, Range(low=start.now, high=until))
    return Change(op=goal.op, table=goal.table, id=key, var=var, fields=fields)


def _total(total: g.TotalGoal, row: Row, places: tuple[int, int]) -> Total:
    value, beyond = places
    return Total(
        table=total.table,
        where=total.where,
        column=total.column,
        fn=total.fn,
        value=_whole(row[value]),
        beyond=None if beyond < 0 else _whole(row[beyond]),
    )


def _whole(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise GoalMismatch(f"an amount is {value!r}, which is no whole number")
    return value


def _answer(answer: g.AnswerGoal, place: int | Query, filled: _Filled, db: Database) -> Answer:
    value: Json
    if isinstance(place, Query):
        found = db.fetch(place, filled.bound)
        value = cast("list[Json]", sorted({str(name) for (name,) in found}))
    else:
        value = filled.row[place] if place >= 0 else None
        if value is None:
            raise GoalMismatch(f"the answer {answer.name!r} has no value")
    return Answer(name=answer.name, kind=answer.kind, value=value, cue=answer.cue)
