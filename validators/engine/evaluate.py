"""Values of a goal and truths of predicates, by the second engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from validators.engine.encode import decode
from validators.engine.goal_sql import GoalSql, Query
from validators.engine.structure import name_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from schemas.base import Json
    from schemas.goal import Expr, Goal, Pred
    from validators.engine.database import Database


class Values(NamedTuple):
    """What the nodes of a goal are."""

    scalars: Mapping[str, Json]
    rows: Mapping[str, list[dict[str, Json]]]


def evaluate_goal(
    goal: Goal, slots: Mapping[str, Json], now: str, db: Database, nodes: Collection[str] | None = None
) -> Values:
    """Return every scalar node of a goal and the rows of its relation nodes; the database holds the start state.

    `nodes` names the relation nodes wanted; left out, it is those that writes, answers and the optimum use. A period is
    given as the two slots `<slot>_first` and `<slot>_last`.

    Raises:
        GoalError: the goal refers to what is not there.
    """
    if nodes is None:
        named = [*(write.rows for write in goal.writes), *(answer.rows for answer in goal.answers)]
        nodes = dict.fromkeys([name for name in named if name] + ([goal.optimum.rows] if goal.optimum else []))
    key = b"nodes\0" + "\0".join(nodes).encode() + b"\0" + name_of(goal)
    program, queries = db.compiled(key, lambda: _compile(goal, nodes, db))
    bound = db.bind(program, slots, now)
    return Values(
        {name: decode(bound[parameter]) for name, parameter in program.scalars.items()},
        {
            name: [dict(zip(query.columns, row, strict=True)) for row in db.fetch(query, bound)]
            for name, query in queries.items()
        },
    )


def _compile(goal: Goal, nodes: Collection[str], db: Database) -> tuple[GoalSql, dict[str, Query]]:
    program = GoalSql(db.columns, goal.nodes)
    return program, {name: program.node_rows(name) for name in nodes}


def evaluate_parts(parts: Sequence[Expr | Pred], slots: Mapping[str, Json], now: str, db: Database) -> tuple[Json, ...]:
    """Return the values of expressions without a row; a predicate is 1 or 0."""
    key = b"parts\0" + b"\0".join(map(name_of, parts))
    program, query = db.compiled(key, lambda: _compile_parts(parts, db))
    return db.run(program, query, slots, now)[0]


def _compile_parts(parts: Sequence[Expr | Pred], db: Database) -> tuple[GoalSql, Query]:
    program = GoalSql(db.columns)
    return program, program.one_row(parts)


def evaluate_pred(pred: Pred, slots: Mapping[str, Json], now: str, db: Database) -> bool:
    """Return whether a predicate without a row holds."""
    return evaluate_parts([pred], slots, now, db) == (1,)
