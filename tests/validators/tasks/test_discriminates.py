"""The check that a careless reading of the goal leads elsewhere, and the rewrites it is made of."""

from __future__ import annotations

from schemas import goal as g
from tests.validators.tasks_support import altered, context_of, context_where, contexts
from validators.tasks.context import TaskContext
from validators.tasks.discriminates import check_discriminates
from validators.tasks.rewrites import sites_of


def with_goal(context: TaskContext, goal: g.Goal) -> TaskContext:
    return altered(context, goals=[goal])


def test_real_tasks_pass_but_for_a_few() -> None:
    verdicts = [check_discriminates(context) for user in range(6) for context in contexts(user, 2)]
    assert sum(verdict.passed for verdict in verdicts) >= 0.95 * len(verdicts)
    for verdict in verdicts:
        assert verdict.counts["different"] == (1 if verdict.passed and not verdict.evidence else 0)


def test_conditions_that_hold_anyway_do_not_discriminate() -> None:
    """Where only completed orders are looked at, leaving out that they are completed orders goes unnoticed."""
    context = context_of("spending-question/fulfil/orders")
    assert check_discriminates(context).passed
    (orders,) = [node for node in context.parts[0].goal.nodes if node.name == "orders"]
    assert isinstance(orders.rows, g.Select) and isinstance(orders.rows.where, g.All)
    own = g.Select(source=orders.rows.source, where=orders.rows.where)
    nodes = [
        g.NamedNode(name="own", rows=own),
        orders.model_copy(
            update={
                "rows": orders.rows.model_copy(update={"source": g.NodeRows(name="own"), "where": orders.rows.where})
            }
        ),
    ]
    twice = with_goal(context, context.parts[0].goal.model_copy(update={"nodes": nodes}))
    assert "careless readings lead to the same result" in check_discriminates(twice).reason


def test_a_discount_that_nobody_gets_does_not_discriminate() -> None:
    """Every price is over nothing, with the discount and without it."""

    def telling(context: TaskContext) -> bool:
        limited = any(slot.name == "price_over" for slot in context.told)
        return limited and check_discriminates(context).counts["different"] > 0

    context = context_where("clean-up-cart/fulfil", telling)
    slots = [slot.model_copy(update={"value": 0}) if slot.name == "price_over" else slot for slot in context.told]
    use = context.task.intents[0].model_copy(update={"slots": slots})
    assert "careless readings" in check_discriminates(altered(context, intents=[use])).reason


def test_a_goal_with_nothing_to_take_carelessly_passes_with_its_reason() -> None:
    context = next(
        context
        for user in range(12)
        for context in contexts(user, 2)
        if context.task.template == "clean-up-cart/fulfil/brand"
    )
    verdict = check_discriminates(context)
    assert verdict.passed
    assert verdict.evidence.startswith("the goal has no condition")


# --- rewrites -----------------------------------------------------------------------------------------------------


def eq(name: str, value: g.Expr) -> g.Test:
    return g.Test(fn="eq", left=g.Col(name=name), right=value)


TABLE = g.Table(table="orders", prefix="o")
SLOT, CONST = g.Slot(name="colour"), g.Const(value=1)
PRICE = g.Named(name="price", body=g.Arith(fn="add", args=[SLOT, CONST]), naive=CONST)


def goal_of(*relations: g.Rel) -> g.Goal:
    return g.Goal(nodes=[g.NamedNode(name=f"n{i}", rows=rel) for i, rel in enumerate(relations)])


def rewritten(goal: g.Goal) -> list[tuple[str, frozenset[str], g.Goal]]:
    return [(site.kind, site.slots, site.rewrite(goal)) for site in sites_of(goal)]


def test_each_part_of_a_conjunction_and_the_whole_filter_can_go() -> None:
    where = g.All(of=[eq("o.colour", SLOT), eq("o.size", CONST)])
    goal = goal_of(g.Select(source=TABLE, where=where))
    assert rewritten(goal) == [
        ("condition", {"colour"}, goal_of(g.Select(source=TABLE, where=g.All(of=[where.of[1]])))),
        ("condition", set(), goal_of(g.Select(source=TABLE, where=g.All(of=[where.of[0]])))),
        ("filter", {"colour"}, goal_of(g.Select(source=TABLE))),
    ]


def test_a_single_condition_goes_once() -> None:
    for where in (eq("o.size", CONST), g.All(of=[eq("o.size", CONST)])):
        (site,) = sites_of(goal_of(g.Select(source=TABLE, where=where)))
        assert site.kind == "condition"
    assert sites_of(goal_of(g.Select(source=TABLE, where=g.All(of=[])))) == []


def test_parts_of_a_disjunction_stay() -> None:
    either = g.Any(of=[eq("o.size", CONST), eq("o.colour", SLOT)])
    (site,) = sites_of(goal_of(g.Select(source=TABLE, where=either)))
    assert (site.kind, site.slots) == ("condition", {"colour"})


def test_named_expressions_are_taken_carelessly_wherever_they_stand() -> None:
    column = g.Column(name="price", value=PRICE)
    goal = goal_of(g.Select(source=TABLE, columns=[column], order=[g.Order(key=PRICE)]))
    kinds = [(kind, slots) for kind, slots, _ in rewritten(goal)]
    assert kinds == [("named", {"colour"})] * 2
    first = rewritten(goal)[0][2].nodes[0].rows
    assert isinstance(first, g.Select)
    assert first.columns[0].value == CONST
    assert first.order[0].key == PRICE


def test_conditions_inside_joins_lookups_and_groups_are_found() -> None:
    inner = g.Select(source=TABLE, where=eq("o.size", CONST))
    scalar = g.Lookup(source=TABLE, where=eq("o.id", CONST), field="o.size")
    goal = g.Goal(
        nodes=[
            g.NamedNode(name="a", scalar=scalar),
            g.NamedNode(
                name="b",
                rows=g.Group(
                    source=g.Join(
                        left=inner, right=g.Table(table="lines", prefix="l"), on=g.All(of=[eq("l.id", SLOT)])
                    ),
                    keys=["o.size"],
                    measures=[g.Measure(name="n", fn="count")],
                ),
            ),
        ]
    )
    places = [site.place for site in sites_of(goal)]
    assert places == [
        ("nodes", 0, "scalar", "where"),
        ("nodes", 1, "rows", "source", "left", "where"),
        ("nodes", 1, "rows", "source", "on", "of", 0),
    ]
    for site in sites_of(goal):
        assert g.Goal.model_validate(site.rewrite(goal).model_dump()) != goal


def test_a_rewrite_leaves_the_goal_as_it_was() -> None:
    goal = context_of("buy-best/fulfil").parts[0].goal
    before = goal.model_dump_json()
    for site in sites_of(goal):
        assert site.rewrite(goal).model_dump_json() != before
    assert goal.model_dump_json() == before
