"""The check that the best choice wins by a gap, and that the result rests on it alone."""

from __future__ import annotations

import pytest

from schemas import goal as g
from schemas.goal import Goal, Optimum
from schemas.task import Patch, Task
from tests.generators.tasks import scenes
from tests.generators.tasks.intents.handmade import candidates
from tests.validators.tasks_support import altered, context_of, contexts
from validators.engine.evaluate import evaluate_goal
from validators.tasks.context import TaskContext, UserContext
from validators.tasks.optimum import check_optimum

BUY = "buy-best/fulfil"


def with_goal(context: TaskContext, **changes: object) -> TaskContext:
    return altered(context, goals=[context.parts[0].goal.model_copy(update=changes)])


def alone(task: Task) -> TaskContext:
    """The context of a task by itself."""
    environment = scenes.user(int(task.user_id.removeprefix("u")))[1]
    return TaskContext(UserContext(environment, scenes.world()), task)


def with_node(goal: Goal, name: str, **changes: object) -> list[g.NamedNode]:
    """The nodes of a goal, with one relation changed."""
    return [
        node.model_copy(update={"rows": node.rows.model_copy(update=changes)})
        if node.name == name and node.rows
        else node
        for node in goal.nodes
    ]


def several_choices() -> TaskContext:
    """A purchase with two or more choices."""
    for user in range(12):
        for context in contexts(user, 2):
            if context.task.template == BUY:
                rows = evaluate_goal(context.parts[0].goal, context.slots, context.now, context.db, ["choices"]).rows
                if len(rows["choices"]) > 1:
                    return context
    raise LookupError("no purchase with several choices")


def test_real_tasks_pass() -> None:
    for user in range(6):
        for context in contexts(user, 2):
            verdict = check_optimum(context)
            assert verdict.passed, (context.task.task_id, verdict.reason)
            assert bool(verdict.evidence) is (context.parts[0].goal.optimum is None)


def test_a_tie_is_caught() -> None:
    context = several_choices()
    goal = context.parts[0].goal
    columns = [g.Column(name="merit", value=g.Const(value=1))]
    tied = g.NamedNode(
        name="choices",
        rows=g.Select(
            source=next(n.rows for n in goal.nodes if n.name == "choices" and n.rows is not None),
            columns=[column.model_copy(update={"name": "level"}) for column in columns],
            order=[g.Order(key=g.Col(name="level"))],
        ),
    )
    nodes = [tied if node.name == "choices" else node for node in goal.nodes]
    planted = with_goal(context, nodes=nodes, optimum=Optimum(rows="choices", keys=["level"]))
    assert "does not beat all others" in check_optimum(planted).reason


def test_a_choice_per_group_needs_its_groups_and_a_gap_in_each() -> None:
    tasks, _ = candidates("budget_basket", 2)
    task = next(task for task in tasks if task.intents[0].form == "fulfil")
    context = alone(task)
    assert check_optimum(context).passed
    goal = context.parts[0].goal
    ungrouped = with_goal(context, optimum=Optimum(rows="matching", keys=["total"]))
    assert "with the best choice alone" in check_optimum(ungrouped).reason
    # All packs hold five units, so that this order is all ties.
    key = g.Col(name="p.pack_units")
    tied = Optimum(rows="matching", keys=["p.pack_units"], within=["p.category"])
    nodes = with_node(goal, "matching", order=[g.Order(key=key)])
    assert "does not beat all others" in check_optimum(with_goal(context, nodes=nodes, optimum=tied)).reason


def test_an_order_by_something_else_than_the_keys_is_caught() -> None:
    context = context_of(BUY)
    planted = with_goal(context, optimum=Optimum(rows="choices", keys=["a.stock"]))
    assert "is not ordered by a.stock" in check_optimum(planted).reason
    unordered = with_goal(context, nodes=with_node(context.parts[0].goal, "choices", order=[]))
    assert "is not ordered by" in check_optimum(unordered).reason
    absent = with_goal(context, optimum=Optimum(rows="nowhere", keys=["merit"]))
    assert "is not ordered by" in check_optimum(absent).reason


@pytest.mark.parametrize("template", [BUY, "buy-best/consent_refused", "buy-best/cannot_afford"])
def test_no_choice_at_all_fails(template: str) -> None:
    context = context_of(template)
    empty = with_node(context.parts[0].goal, "choices", where=g.Any(of=[]))
    assert check_optimum(with_goal(context, nodes=empty)).reason == "there is no choice in 'choices'"


def test_a_result_that_does_not_rest_on_the_choice_is_caught() -> None:
    context = several_choices()
    fixed = g.Write(
        op="update",
        table="permissions",
        id=g.Const(value="purchase"),
        fields={"allowed": g.FieldIs(value=g.Const(value=True))},
    )
    planted = with_goal(context, writes=[fixed], totals=[], answers=[], gates=[])
    assert check_optimum(planted).reason == "without the best choice the result is the same"


def test_a_result_that_rests_on_other_choices_too_is_caught() -> None:
    context = several_choices()
    number = g.Aggregate(fn="count", source=g.NodeRows(name="choices"))
    answer = g.AnswerGoal(name="choices", kind="count", value=number, cue="choices")
    planted = with_goal(context, answers=[answer])
    assert check_optimum(planted).reason == "with the best choice alone the result is another"


def test_two_products_that_are_equally_good_are_caught() -> None:
    """The same sugar in two products of the store, and nothing else to decide between them."""
    context = several_choices()
    rows = evaluate_goal(context.parts[0].goal, context.slots, context.now, context.db, ["choices"]).rows["choices"]
    best = rows[0]["merit"]
    goal = context.parts[0].goal
    # The second best is as good as the best: what decides is lowered to the best for all others.
    level = g.Arith(fn="max", args=[g.Col(name="merit"), g.Const(value=rows[1]["merit"])])  # type: ignore[arg-type]
    node = next(n.rows for n in goal.nodes if n.name == "choices" and n.rows is not None)
    tied = g.Select(
        source=node, columns=[g.Column(name="level", value=level)], order=[g.Order(key=g.Col(name="level"))]
    )
    nodes = [g.NamedNode(name="choices", rows=tied) if n.name == "choices" else n for n in goal.nodes]
    planted = with_goal(context, nodes=nodes, optimum=Optimum(rows="choices", keys=["level"]))
    assert best != rows[1]["merit"]
    assert "does not beat all others" in check_optimum(planted).reason


def test_two_products_with_as_many_units_left_are_caught() -> None:
    tasks, _ = candidates("buy_best", 12)
    for context in (alone(task) for task in tasks if task.intents[0].form == "out_of_stock"):
        goal = context.parts[0].goal
        rows = evaluate_goal(goal, context.slots, context.now, context.db, ["matching"]).rows["matching"]
        if len(rows) > 1:
            key, most = str(rows[1]["a.id"]), rows[0]["a.stock"]
            record = {**context.tables["assortment"][key], "stock": most}
            setup = [patch for patch in context.task.setup if patch.id != key]
            tied = altered(context, setup=[*setup, Patch(table="assortment", id=key, record=record)])
            assert "does not beat all others" in check_optimum(tied).reason
            return
    raise LookupError("no sold-out request that several products match")
