"""What a change of mind takes back: it served the first wish, the last one has no use for it, and nothing stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas import provenance as o
from schemas.plan import Call
from tests.nonempty import nonempty
from tests.validators.tasks.altering import inserted
from tests.validators.tasks_support import altered, changed_where, replanned
from validators.tasks.minimality import check_drop_one
from validators.tasks.told import given_up, superseded, turning_point

if TYPE_CHECKING:
    from schemas.certificate import Verdict
    from validators.tasks.context import TaskContext


def reason(verdict: Verdict) -> str:
    assert not verdict.passed
    return verdict.reason


def test_what_was_taken_back_is_known_with_what_takes_it_back() -> None:
    context = changed_where(lambda c: bool(superseded(c)))
    turn = turning_point(context)
    assert turn is not None
    for made, undone in nonempty(superseded(context).items()):
        assert made < turn < undone
        first, last = context.task.plan.steps[made], context.task.plan.steps[undone]
        assert isinstance(first, Call) and isinstance(last, Call)
        assert context.catalogue.tools[first.tool].undo is not None
        assert isinstance(first.result, dict) and set(last.arguments.values()) <= set(map(str, first.result.values()))


def test_what_is_not_taken_back_is_missed() -> None:
    context = changed_where(lambda c: bool(superseded(c)))
    undone = next(iter(superseded(context).values()))
    planted = replanned(context, lambda steps: [s for n, s in enumerate(steps) if n != undone])
    assert not planted.passes(planted.gold)


def taken_up_again(context: TaskContext, made: int, undone: int) -> TaskContext:
    """The task whose plan takes something back and does it again in just the same way."""
    step = context.task.plan.steps[made]
    assert isinstance(step, Call)
    return inserted(context, undone + 1, step)


def test_taking_back_what_is_done_again_in_the_same_way_is_caught() -> None:
    context = changed_where(lambda c: bool(superseded(c)))
    made, undone = next(iter(superseded(context).items()))
    assert f"step {undone} takes back what step {made} did, and it is done again in the same way" in reason(
        check_drop_one(taken_up_again(context, made, undone))
    )


def test_taking_back_what_the_first_wish_did_not_call_for_is_caught() -> None:
    """The same plan, in a request whose first wish was about something that the calls do not rest on."""
    context = changed_where(lambda c: bool(superseded(c)))
    made, undone = next(iter(superseded(context).items()))
    outdated = given_up(context)
    nodes = [
        o.Policy(name=node.slot, value=None) if isinstance(node, o.Instruction) and node.slot in outdated else node
        for node in context.task.plan.nodes
    ]
    planted = altered(context, plan=context.task.plan.model_copy(update={"nodes": nodes}))
    assert f"step {made} is taken back by step {undone}, and the first wish did not call for it" in reason(
        check_drop_one(planted)
    )


def test_a_call_that_is_taken_back_without_a_change_of_mind_is_idle() -> None:
    context = changed_where(lambda c: bool(superseded(c)))
    script = context.task.script.model_copy(update={"change": None})
    assert "is not needed: without it the plan passes as well" in reason(
        check_drop_one(altered(context, script=script))
    )
