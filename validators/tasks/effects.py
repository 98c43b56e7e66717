"""What a goal comes to, as bare values by the second engine: equal values mean equal expectations.

Building an expectation costs more than the query it is filled from. Where goals that differ only in their conditions
are compared, the values of writes, totals and answers tell as much: what gates and the script add is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from schemas import goal as g
from schemas.base import canonical
from validators.engine.goal_sql import GoalSql, Query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.base import Json
    from schemas.goal import Goal
    from validators.engine.database import Database

Effects: TypeAlias = "tuple[object, ...] | None"
"""Values in the order of the goal; None where the goal does not fit the state, so that nothing is expected."""


class _Write(NamedTuple):
    """Where the values of a write stand: places in the row of single values, or a query of one row per change."""

    places: tuple[int, ...]
    when: int
    has_id: bool
    query: Query | None


class Recipe(NamedTuple):
    """A compiled goal."""

    program: GoalSql
    singles: Query
    because: int
    """Place of the fact that a decline rests on; -1 when nothing is declined."""
    writes: tuple[_Write, ...]
    totals: tuple[int, ...]
    answers: tuple[int | Query, ...]


def compile_effects(goal: Goal, db: Database) -> Recipe:
    """Return what evaluates the effects of a goal. Raise GoalError when it refers to what is not there."""
    program = GoalSql(db.columns, goal.nodes, shown_by=goal)
    parts: list[g.Expr | g.Pred] = []

    def add(part: g.Expr | g.Pred) -> int:
        parts.append(part)
        return len(parts) - 1

    because = add(goal.decline.because) if goal.decline else -1
    writes: list[_Write] = []
    for write in [] if goal.decline else goal.writes:
        values = ([write.id] if write.id else []) + [value for rule in write.fields.values() for value in _values(rule)]
        if write.rows:
            query = program.per_row(write.rows, values, write.when)
            writes.append(_Write((), -1, write.id is not None, query))
        else:
            when = add(write.when) if write.when else -1
            writes.append(_Write(tuple(add(value) for value in values), when, write.id is not None, None))
    amounts = [] if goal.decline else [a for t in goal.totals for a in (t.value, t.beyond) if a is not None]
    totals = [add(amount) for amount in amounts]
    answers: list[int | Query] = []
    for answer in goal.answers:
        if answer.rows:
            answers.append(program.per_row(answer.rows, [g.Col(name=answer.column)], None))
        elif answer.value is not None:
            answers.append(add(answer.value))
    return Recipe(program, program.one_row(parts), because, tuple(writes), tuple(totals), tuple(answers))


def _values(rule: g.FieldGoal) -> list[g.Expr]:
    match rule:
        case g.FieldIs():
            return [rule.value]
        case g.FieldIn():
            return rule.values
        case g.FieldWithin():
            return [rule.low, rule.high]
        case g.FieldLeft():
            return [rule.start, rule.amount]
        case g.FieldRef() | g.FieldAny():
            return []


def effects_of(recipe: Recipe, slots: Mapping[str, Json], now: str, db: Database) -> Effects:
    """Return the effects with these slots; the database holds the start state. Raise GoalError for a slot not given."""
    bound = db.bind(recipe.program, slots, now)
    (row,) = db.fetch(recipe.singles, bound)
    if recipe.because >= 0 and row[recipe.because] != 1:
        return None
    found: list[object] = []
    for write in recipe.writes:
        if write.query is not None:
            rows = db.fetch(write.query, bound)
        elif write.when < 0 or row[write.when] == 1:
            rows = [tuple(row[place] for place in write.places)]
        else:
            rows = []
        if write.has_id and any(not isinstance(values[0], str) for values in rows):
            return None
        found.append(_sorted(rows))
    for total in recipe.totals:
        if not isinstance(row[total], int):
            return None
        found.append(row[total])
    for answer in recipe.answers:
        value = _distinct(db.fetch(answer, bound)) if isinstance(answer, Query) else row[answer]
        if value is None:
            return None
        found.append(value)
    return tuple(found)


def _sorted(rows: Sequence[tuple[Json, ...]]) -> Sequence[tuple[Json, ...]]:
    return rows if len(rows) < _SEVERAL else sorted(rows, key=canonical)


_SEVERAL = 2


def _distinct(rows: Sequence[tuple[Json, ...]]) -> list[str]:
    return sorted({str(value) for (value,) in rows})
