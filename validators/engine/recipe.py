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
    """A write with the places of its values, in the row of single values or in those of a query; -1 for none."""

    write: g.Write
    when: int
    id: int
    values: tuple[int, ...]
    """Places of all values of its fields."""
    rules: Mapping[str, RuleOf]

    def happens(self, row: Row) -> bool:
        """Return whether the write's condition holds, whose value stands in the row."""
        return self.when < 0 or row[self.when] == 1


class Recipe(NamedTuple):
    """A compiled goal."""

    program: GoalSql
    singles: Query
    writes: tuple[WriteRecipe, ...]
    rows: Mapping[str, Query]
    """Relation node -> the query of one row per row of it, with the values of all writes over it."""
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


def rows_of(write: WriteRecipe, own: Filled, db: Database) -> list[Row]:
    """Return the row of values of each change that a write comes to."""
    node = write.write.rows
    rows = db.fetch(own.recipe.rows[node], own.bound) if node else [own.row]
    return [row for row in rows if write.happens(row)]


def compile_recipe(goal: g.Goal, db: Database) -> Recipe:
    """Return a goal ready to be filled. Raise GoalError when it refers to what is not there."""
    program, singles = GoalSql(db.columns, goal.nodes, shown_by=goal), _Parts()
    rows: dict[str, _Parts] = {}
    writes: list[WriteRecipe] = []
    for write in [] if goal.decline else goal.writes:
        parts = rows.setdefault(write.rows, _Parts()) if write.rows else singles
        writes.append(_compile_write(write, parts))
    totals = [] if goal.decline else [(singles.add(t.value), singles.add(t.beyond)) for t in goal.totals]
    answers: list[int | Query] = [
        program.per_row(answer.rows, [g.Col(name=answer.column)]) if answer.rows else singles.add(answer.value)
        for answer in goal.answers
    ]
    because = singles.add(goal.decline.because if goal.decline else None)
    queries = {node: program.per_row(node, parts.listed) for node, parts in rows.items()}
    query = program.one_row(singles.listed)
    return Recipe(program, query, tuple(writes), queries, tuple(totals), tuple(answers), because)


def _compile_write(write: g.Write, parts: _Parts) -> WriteRecipe:
    when, place = parts.add(write.when), parts.add(write.id)
    first = len(parts.listed)
    rules = {name: _rule_of(rule, parts) for name, rule in write.fields.items()}
    return WriteRecipe(write, when, place, tuple(range(first, len(parts.listed))), rules)


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
