"""Relations of a compiled goal hold what it reads of them, and know the rest."""

from __future__ import annotations

import pytest

from schemas import goal as g
from tests.validators.sql_support import DB, ITEM, NOW, c, col, compare
from validators.engine.recipe import compile_recipe, filled
from validators.engine.sql import GoalError

_DOUBLE = g.Arith(fn="mul", args=[col("i.price"), c(2)])
_DEAR = g.NamedNode(
    name="dear",
    rows=g.Select(
        source=ITEM,
        columns=[g.Column(name="double", value=_DOUBLE)],
        where=compare("gt", col("double"), c(100)),
        order=[g.Order(key=col("i.name"))],
    ),
)


def _answering(value: g.Expr, *others: g.NamedNode) -> g.Goal:
    return g.Goal(nodes=[_DEAR, *others], answers=[g.AnswerGoal(name="n", kind="count", value=value, cue="n")])


def test_rows_of_which_nothing_is_read_are_counted() -> None:
    counted = _answering(g.Aggregate(fn="count", source=g.NodeRows(name="dear")))
    assert filled(compile_recipe(counted, DB), {}, NOW, DB).row == (2,)
    grouped = g.NamedNode(name="once", rows=g.Group(source=g.NodeRows(name="dear"), keys=[], measures=[]))
    counted = _answering(g.Aggregate(fn="count", source=g.NodeRows(name="once")), grouped)
    assert filled(compile_recipe(counted, DB), {}, NOW, DB).row == (1,)


def test_only_what_is_read_is_written_out() -> None:
    recipe = compile_recipe(_answering(g.Node(name="dear", field="i.id")), DB)
    assert filled(recipe, {}, NOW, DB).row == ("a",)
    assert [step.parameters for step in recipe.program.steps] == [("f0_0",)]
    assert '"i.name"' not in recipe.program.steps[0].sql.split("ROW_NUMBER", 1)[0]


def test_a_column_that_is_not_there_is_told_with_all_that_are() -> None:
    wrong = g.Aggregate(fn="max", source=g.NodeRows(name="dear"), of=col("wrong"))
    # "live" stands nowhere in the goal, and the table has no more than the goal names.
    with pytest.raises(GoalError, match=r"no column 'wrong'; there are i.name, i.price, double\Z"):
        compile_recipe(_answering(wrong), DB)
