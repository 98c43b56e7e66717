"""A goal compiled: one program, and where the value of each of its writes, totals and answers will stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from schemas import goal as g
from schemas.base import Json
from schemas.contract import AnyValue, Equal, Left, OneOf, Range, Ref, Rule
from validators.engine.goal_sql import GoalSql, Query
from validators.engine.structure import name_of

if TYPE_CHECKING:
    from schemas.base import Scalar
    from validators.engine.database import Bound, Database

Row: TypeAlias = Sequence[Json]
RuleOf: TypeAlias = Callable[[Row], Rule]


class GoalMismatch(ValueError):
    """The goal does not fit the state: a decline that nothing justifies, or a value that is missing."""


class WriteRecipe(NamedTuple):
    """A write with the places of its values in the row of its query; -1 for none."""

    write: g.Write
    when: int
    id: int
    values: tuple[int, ...]
    """Places of all values of its fields."""
    rules: Mapping[str, RuleOf]
    query: Query | None
    """One row per change; None when the values stand in the row of single values."""


class Recipe(NamedTuple):
    """A compiled goal."""

    program: GoalSql
    singles: Query
    writes: tuple[WriteRecipe, ...]
    totals: tuple[tuple[int, int], ...]
    """Places of the value and of what it must exceed; -1 for none."""
    answers: tuple[int | Query, ...]
    """Place of the value, -1 for none, or a query of one row per name."""
    because: int
    """Place of the fact that a decline rests on; -1 when nothing is declined."""


class Filled(NamedTuple):
    """A compiled goal with its values."""

    recipe: Recipe
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


def recipe_of(goal: g.Goal, db: Database) -> Recipe:
    """Return a compiled goal, kept by its content. Raise GoalError when it refers to what is not there."""
    return db.compiled(b"recipe\0" + name_of(goal), lambda: compile_recipe(goal, db))


def filled(recipe: Recipe, slots: Mapping[str, Json], now: str, db: Database) -> Filled:
    """Return a compiled goal with its values; the database holds the start state.

    Raises:
        GoalError: a slot that it uses is not given.
    """
    bound = db.bind(recipe.program, slots, now)
    (row,) = db.fetch(recipe.singles, bound)
    return Filled(recipe, bound, row)


def compile_recipe(goal: g.Goal, db: Database) -> Recipe:
    """Return a goal ready to be filled. Raise GoalError when it refers to what is not there."""
    program, singles = GoalSql(db.columns, goal.nodes, shown_by=goal), _Parts()
    writes = [] if goal.decline else [_compile_write(write, program, singles) for write in goal.writes]
    totals = [] if goal.decline else [(singles.add(t.value), singles.add(t.beyond)) for t in goal.totals]
    answers: list[int | Query] = [
        program.per_row(answer.rows, [g.Col(name=answer.column)], None) if answer.rows else singles.add(answer.value)
        for answer in goal.answers
    ]
    because = singles.add(goal.decline.because if goal.decline else None)
    query = program.one_row(singles.listed)
    return Recipe(program, query, tuple(writes), tuple(totals), tuple(answers), because)


def _compile_write(write: g.Write, program: GoalSql, singles: _Parts) -> WriteRecipe:
    parts = _Parts() if write.rows else singles
    when = -1 if write.rows else parts.add(write.when)
    place = parts.add(write.id)
    first = len(parts.listed)
    rules = {name: _rule_of(rule, parts) for name, rule in write.fields.items()}
    values = tuple(range(first, len(parts.listed)))
    query = None
    if write.rows:
        query = program.per_row(write.rows, cast("list[g.Expr]", parts.listed), write.when)
    return WriteRecipe(write, when, place, values, rules, query)


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
            return lambda row: Left(start=whole(row[start]), amounts=[whole(row[amount])])
        case g.FieldRef():
            ref = Ref(var=rule.var)
            return lambda row: ref
        case g.FieldAny():
            return lambda row: AnyValue()


def whole(value: Json) -> int:
    """Return an amount. Raise GoalMismatch for anything else."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise GoalMismatch(f"an amount is {value!r}, which is no whole number")
    return value
