"""The check that everything a plan says comes from somewhere: each way of planting a value is caught."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas import provenance as o
from schemas.base import Json, Scalar
from schemas.goal import All, Arith, Col, Const, Not, Order, Slot
from schemas.goal import Test as Compare
from schemas.plan import Call, Confirm, Plan, Tell
from tests.validators.tasks_support import altered, context_of, contexts, position
from validators.tasks.context import TaskContext
from validators.tasks.evaluation import Graph, GraphError
from validators.tasks.provenance import check_provenance, leaves_of

BUY = "buy-best/fulfil"


def replanned(context: TaskContext, **changes: object) -> TaskContext:
    return altered(context, plan=context.task.plan.model_copy(update=changes))


def with_node(context: TaskContext, index: int, origin: o.Origin) -> TaskContext:
    nodes = list(context.task.plan.nodes)
    nodes[index] = origin
    return replanned(context, nodes=nodes)


def node_of(plan: Plan, kind: type, test: Callable[[o.Origin], bool] = lambda _: True) -> int:
    return next(i for i, origin in enumerate(plan.nodes) if isinstance(origin, kind) and test(origin))


def with_origin(context: TaskContext, step: int, path: str, origin: o.Origin, value: Json = None) -> TaskContext:
    """The task, with an argument of a step coming from a node of its own; with a value, that is its value."""
    plan = context.task.plan
    call = plan.steps[step]
    assert isinstance(call, Call | Tell)
    steps = list(plan.steps)
    changes: dict[str, object] = {"origins": {**call.origins, path: len(plan.nodes)}}
    if value is not None:
        part = "arguments" if isinstance(call, Call) else "answers"
        changes[part] = {**getattr(call, part), path: value}
    steps[step] = call.model_copy(update=changes)
    return replanned(context, steps=steps, nodes=[*plan.nodes, origin])


def argument(context: TaskContext, step: int, path: str) -> Json:
    call = context.task.plan.steps[step]
    assert isinstance(call, Call)
    return call.arguments[path]


def reason(context: TaskContext) -> str:
    verdict = check_provenance(context)
    assert not verdict.passed
    return verdict.reason


def test_real_tasks_pass_and_every_argument_is_traced() -> None:
    for user in range(4):
        for context in contexts(user, 2):
            verdict = check_provenance(context)
            assert verdict.passed, (context.task.task_id, verdict.reason)
            assert verdict.counts["arguments"] == verdict.counts["traced"]


def test_a_hard_coded_id_is_caught() -> None:
    context = context_of(BUY)
    step = position(context.task.plan, "add_to_cart")
    key = argument(context, step, "product_id")
    assert isinstance(key, str)
    planted = with_origin(context, step, "product_id", o.Policy(name="favourite", value=key))
    assert "is the id of a record" in reason(planted)


def test_a_constant_quantity_is_caught() -> None:
    context = context_of(BUY)
    step = position(context.task.plan, "add_to_cart")
    number = argument(context, step, "quantity")
    assert isinstance(number, int)
    planted = with_origin(context, step, "quantity", o.Policy(name="quantity", value=number))
    assert "for 'quantity' is declared nowhere" in reason(planted) or "nothing declares" in reason(planted)


def test_a_constant_quantity_of_one_is_caught_too() -> None:
    context = context_of(BUY)
    step = position(context.task.plan, "add_to_cart")
    planted = with_origin(context, step, "quantity", o.Policy(name="quantity", value=1), value=1)
    assert "for 'quantity' is declared nowhere" in reason(planted)


@pytest.mark.parametrize("amount", [1250, 12.5])
def test_money_never_comes_from_policy(amount: Scalar) -> None:
    context = context_of(BUY, ("BALANCE",))
    step = position(context.task.plan, "top_up_wallet")
    planted = with_origin(context, step, "amount", o.Policy(name="amount", value=amount), value=amount)
    assert "is a number that nothing declares" in reason(planted)


def test_a_size_that_no_tool_declares_is_caught() -> None:
    context = context_of(BUY)
    step = position(context.task.plan, "add_to_cart")
    planted = with_origin(context, step, "size", o.Policy(name="size", value="pack_6"), value="pack_6")
    assert "declared nowhere" in reason(planted)


def test_what_the_user_told_must_come_from_the_instruction() -> None:
    context = context_of(BUY)
    index = node_of(context.task.plan, o.Instruction, lambda n: getattr(n, "slot", "") == "category")
    (slot,) = [slot for slot in context.told if slot.name == "category"]
    assert isinstance(slot.value, str)
    planted = with_node(context, index, o.Policy(name="category", value=slot.value))
    assert "is what the user told" in reason(planted)


def test_a_number_the_user_told_must_come_from_the_instruction() -> None:
    context = context_of(BUY)
    index = node_of(context.task.plan, o.Instruction, lambda n: getattr(n, "slot", "") == "quantity")
    (slot,) = [slot for slot in context.told if slot.name == "quantity"]
    assert isinstance(slot.value, int)
    assert "is a number that nothing declares" in reason(
        with_node(context, index, o.Policy(name="quantity", value=slot.value))
    )


def test_a_constant_computed_into_an_argument_is_caught() -> None:
    context = context_of(BUY)
    step = position(context.task.plan, "add_to_cart")
    number = argument(context, step, "quantity")
    assert isinstance(number, int)
    laundered = o.Derived(value=Arith(fn="add", args=[Const(value=number - 1), Const(value=1)]), args={})
    assert "is computed from constants alone" in reason(with_origin(context, step, "quantity", laundered))


@pytest.mark.parametrize("told", [True, False])
def test_a_word_of_the_data_in_a_predicate_is_caught(told: bool) -> None:
    context = context_of(BUY)
    plan = context.task.plan
    (slot,) = [slot for slot in context.told if slot.name == "category"]
    index = node_of(plan, o.Filtered, lambda n: "category" in getattr(n, "args", {}))
    origin = plan.nodes[index]
    assert isinstance(origin, o.Filtered) and isinstance(slot.value, str)
    test = Compare(fn="eq", left=Col(name="category"), right=Const(value=slot.value))
    planted = with_node(context, index, origin.model_copy(update={"where": test, "args": {}}))
    if not told:
        use = context.task.intents[0]
        kept = [slot for slot in use.slots if slot.name != "category"]
        planted = altered(planted, intents=[use.model_copy(update={"slots": kept})])
        nodes = list(planted.task.plan.nodes)
        nodes[node_of(plan, o.Instruction, lambda n: getattr(n, "slot", "") == "category")] = o.Clock()
        planted = replanned(planted, nodes=nodes)
    assert ("is what the user told" if told else "is a text of some record") in reason(planted)


def test_an_id_in_a_predicate_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    key = argument(context, position(plan, "add_to_cart"), "product_id")
    index = max(i for i, origin in enumerate(plan.nodes) if isinstance(origin, o.Filtered) and origin.order)
    origin = plan.nodes[index]
    assert isinstance(origin, o.Filtered) and isinstance(key, str) and origin.where is not None
    only = Compare(fn="eq", left=Col(name="product_id"), right=Const(value=key))
    planted = with_node(context, index, origin.model_copy(update={"where": All(of=[origin.where, only])}))
    assert "is the id of a record" in reason(planted)


def test_a_number_in_an_expression_that_the_goal_does_not_know_is_caught() -> None:
    context = context_of("spending-question/fulfil/total")
    plan = context.task.plan
    index = node_of(plan, o.Summed)
    origin = plan.nodes[index]
    assert isinstance(origin, o.Summed) and origin.value is not None
    # Adding 0 · 37 changes nothing, and is still a number out of nowhere.
    nothing = Arith(fn="mul", args=[Const(value=37), Const(value=0)])
    value = Arith(fn="add", args=[origin.value, nothing])
    assert "the constant 37 is a number" in reason(
        with_node(context, index, origin.model_copy(update={"value": value}))
    )


def test_another_value_than_its_origin_says_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    step = position(plan, "inspect_item")
    call = plan.steps[step]
    other = plan.steps[position(plan, "inspect_item", 1)]
    assert isinstance(call, Call) and isinstance(other, Call)
    steps = list(plan.steps)
    steps[step] = call.model_copy(update={"arguments": dict(other.arguments)})
    assert "its origin says" in reason(replanned(context, steps=steps))


def test_an_answer_that_is_not_what_was_read_is_caught() -> None:
    context = context_of("spending-question/fulfil/orders")
    plan = context.task.plan
    tell = plan.steps[-1]
    assert isinstance(tell, Tell) and isinstance(tell.answers["orders"], int)
    wrong = tell.model_copy(update={"answers": {"orders": tell.answers["orders"] + 1}})
    assert "its origin says" in reason(replanned(context, steps=[*plan.steps[:-1], wrong]))


def test_an_answer_out_of_nowhere_is_caught() -> None:
    context = context_of("spending-question/fulfil/orders")
    plan = context.task.plan
    tell = plan.steps[-1]
    assert isinstance(tell, Tell)
    bare = replanned(context, steps=[*plan.steps[:-1], tell.model_copy(update={"origins": {}})])
    assert "'orders' comes from nowhere" in reason(bare)
    fixed = with_origin(context, len(plan.steps) - 1, "orders", o.Policy(name="orders", value=1), value=1)
    assert "the answer 'orders' is a constant" in reason(fixed)


def test_an_origin_without_an_argument_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    step = position(plan, "prepare_order")
    steps = list(plan.steps)
    steps[step] = steps[step].model_copy(update={"origins": {"voucher_id": 0}})
    assert "is no argument" in reason(replanned(context, steps=steps))


def test_a_result_that_is_not_there_yet_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    step = position(plan, "inspect_item")
    late = o.Result(step=position(plan, "add_to_cart"), path=["product_id"])
    value = argument(context, position(plan, "add_to_cart"), "product_id")
    planted = with_origin(context, step, "product_id", late, value=value)
    assert "comes from a result that is not there yet" in reason(planted)


def test_a_branch_that_the_results_do_not_call_for_is_caught() -> None:
    context = context_of(BUY)
    index = context.task.plan.decisions[-1]
    origin = context.task.plan.nodes[index]
    assert isinstance(origin, o.Decided)
    flipped = with_node(context, index, origin.model_copy(update={"test": Not(of=origin.test)}))
    assert "the branch taken" in reason(flipped)


def test_decisions_must_be_branches() -> None:
    context = context_of(BUY)
    assert "is no branch" in reason(replanned(context, decisions=[0]))
    assert "is no branch" in reason(replanned(context, decisions=[*context.task.plan.decisions, 10_000]))


def test_calls_that_do_not_cover_all_rows_are_caught() -> None:
    context = context_of(BUY)
    index = node_of(context.task.plan, o.Called)
    origin = context.task.plan.nodes[index]
    assert isinstance(origin, o.Called)
    shorter = origin.model_copy(update={"inputs": origin.inputs[:-1]})
    assert "calls for" in reason(with_node(context, index, shorter))


def test_calls_that_belong_to_other_rows_are_caught() -> None:
    context = context_of("clean-up-cart/fulfil/allergen")
    index = node_of(context.task.plan, o.Called)
    origin = context.task.plan.nodes[index]
    assert isinstance(origin, o.Called)
    swapped = origin.model_copy(update={"inputs": origin.inputs[::-1]})
    assert not check_provenance(with_node(context, index, swapped)).passed


def test_the_second_best_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    graph = Graph(plan, context.slots, context.now)
    step = position(plan, "add_to_cart")
    index = argument_node(plan, step, "product_id")
    origin = plan.nodes[index]
    assert isinstance(origin, o.Element) and len(graph.rows(origin.of)) > 1
    second = with_node(context, index, origin.model_copy(update={"path": [1, "product_id"]}))
    value = graph.rows(origin.of)[1]["product_id"]
    steps = [
        s.model_copy(update={"arguments": {**s.arguments, "product_id": value}})
        if isinstance(s, Call) and s.tool == "add_to_cart"
        else s
        for s in plan.steps
    ]
    assert "no order sets them apart" in reason(replanned(second, steps=steps))


def test_the_right_id_taken_by_its_place_in_a_list_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    step = position(plan, "add_to_cart")
    (called,) = [origin for origin in plan.nodes if isinstance(origin, o.Called)]
    shelf = Graph(plan, context.slots, context.now).rows(called.over)
    at = [row["product_id"] for row in shelf].index(argument(context, step, "product_id"))
    assert len(shelf) > 1
    planted = with_origin(context, step, "product_id", o.Element(of=called.over, path=[at, "product_id"]))
    assert f"[{at}] of {len(shelf)} elements are picked" in reason(planted)


def argument_node(plan: Plan, step: int, path: str) -> int:
    call = plan.steps[step]
    assert isinstance(call, Call)
    return call.origins[path]


def test_a_choice_without_an_order_or_among_equals_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    index = max(i for i, origin in enumerate(plan.nodes) if isinstance(origin, o.Filtered) and origin.order)
    origin = plan.nodes[index]
    assert isinstance(origin, o.Filtered)
    first = Graph(plan, context.slots, context.now).rows(index)[0]["product_id"]
    for order in ([], [Order(key=Col(name="category"))]):
        planted = with_node(context, index, origin.model_copy(update={"order": order}))
        try:
            found = Graph(planted.task.plan, context.slots, context.now).rows(index)[0]["product_id"]
        except GraphError:
            # What was decided on with the right choice does not hold for another one.
            assert "the branch taken" in reason(planted)
            continue
        assert ("no order sets them apart" if found == first else "its origin says") in reason(planted)


def test_a_page_that_nobody_asked_about_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    pages = [d for d in plan.decisions if "page" in getattr(plan.nodes[d], "args", {})]
    fewer = [d for d in plan.decisions if d != pages[-1]]
    assert "not each of them led on" in reason(replanned(context, decisions=fewer))


def test_a_fact_that_is_told_later_only_is_no_instruction() -> None:
    context = context_of(BUY)
    use = context.task.intents[0]
    slots = [slot.model_copy(update={"told": "on_request"}) for slot in use.slots]
    later = altered(context, intents=[use.model_copy(update={"slots": slots})])
    assert "is told up front" in reason(later)


def test_nodes_refer_to_earlier_ones_only() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    forward = with_node(context, 0, o.Derived(value=Slot(name="x"), args={"x": len(plan.nodes) - 1}))
    assert "refers to a node that is not before it" in reason(forward)


def test_a_confirmation_of_another_call_is_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    step = position(plan, "add_to_cart")
    call = plan.steps[step]
    assert isinstance(call, Call)
    for arguments, fine in ((call.arguments, True), ({**call.arguments, "quantity": 99}, False)):
        confirm = Confirm(tool=call.tool, arguments=arguments)
        verdict = check_provenance(_with_step(context, step, confirm))
        assert ("that the user confirms is not made" in verdict.reason) is not fine
        assert verdict.passed is fine


def _with_step(context: TaskContext, at: int, step: Confirm) -> TaskContext:
    """The task with a step put in, and what refers to later steps moved along."""
    plan = context.task.plan
    nodes = [
        n.model_copy(update={"step": n.step + 1}) if isinstance(n, o.Result) and n.step >= at else n for n in plan.nodes
    ]
    return replanned(context, steps=[*plan.steps[:at], step, *plan.steps[at:]], nodes=nodes)


def test_leaves_of_nested_arguments_are_found_one_by_one() -> None:
    call = Call(
        side="assistant",
        tool="update_profile",
        arguments={"daily_goal": {"steps": 9000, "AZM": 30}, "health_risks": ["a", "b"], "basic_info": {}},
        origins={"daily_goal.steps": 3, "health_risks": 4, "daily_goal.mets": 5},
    )
    assert list(leaves_of(call)) == [
        ("daily_goal.steps", 9000, 3),
        ("daily_goal.AZM", 30, None),
        ("health_risks", ["a", "b"], 4),
        ("basic_info", {}, None),
        ("daily_goal.mets", None, -1),
    ]
