"""What a goal expects, where the state does not offer what it speaks of."""

from __future__ import annotations

import pytest

from generators.tasks.build import col, const, eq, node, rows, slot
from generators.tasks.expect import GoalError, derive_expectation
from schemas import goal as g
from services.runtime.algebra import evaluate_goal
from tests.generators.tasks.toy import script, toy_environment


def expected(goal: g.Goal) -> object:
    env = toy_environment(on=True)
    scope = evaluate_goal(goal, env.state_, {"cents": 81}, env.now)
    return derive_expectation(goal, scope, script(granted=True), env.catalogue)


NONE = rows("none", g.Select(source=g.Table(table="prices", prefix="p"), where=eq(col("p.cents"), slot("cents"))))
LEFT = g.FieldLeft(start=node("none", "p.cents"), amount=const(1))


def test_an_amount_of_a_record_that_is_not_there_drops_the_candidate() -> None:
    taken = g.Write(op="update", table="prices", id=const("p"), fields={"cents": LEFT})
    with pytest.raises(GoalError, match="no whole number"):
        expected(g.Goal(nodes=[NONE], writes=[taken]))
    total = g.TotalGoal(table="sales", column="cents", value=node("none", "p.cents"))
    with pytest.raises(GoalError, match="no whole number"):
        expected(g.Goal(nodes=[NONE], totals=[total]))


def test_a_record_without_an_id_and_an_answer_without_a_value_drop_it_too() -> None:
    gone = g.Write(op="delete", table="prices", id=node("none", "p.id"))
    with pytest.raises(GoalError, match="has no id"):
        expected(g.Goal(nodes=[NONE], writes=[gone]))
    answer = g.AnswerGoal(name="cents", kind="count", value=node("none", "p.cents"), cue="price")
    with pytest.raises(GoalError, match="has no value"):
        expected(g.Goal(nodes=[NONE], answers=[answer]))
