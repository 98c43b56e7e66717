"""Facts kept back and changes of mind: real tasks hold, and every broken copy of one is caught."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from schemas import provenance as o
from schemas.plan import Ask, Call, Question
from schemas.task import Change
from tests.validators.tasks.altering import change_of, changing, told_otherwise
from tests.validators.tasks_support import (
    altered,
    changed_where,
    context_of,
    kept_back_where,
    position,
    replanned,
    talkative_contexts,
)
from validators.tasks import check_task
from validators.tasks.conduct import check_user_stops
from validators.tasks.leaks import check_leaks
from validators.tasks.minimality import check_drop_one
from validators.tasks.provenance import check_provenance
from validators.tasks.references import check_references
from validators.tasks.schema import check_schema
from validators.tasks.slots_matter import check_slots_matter
from validators.tasks.told import given_up, kept_back, replies, restated, stated, superseded, turning_point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schemas.base import Json
    from schemas.certificate import Verdict
    from validators.tasks.context import TaskContext

LUCK = {
    "task.slots_matter",
    "task.discriminates",
    "task.optimum",
    "task.kin",
    "task.second_engine",
    "task.trivial_agents",
}
"""Candidates are rejected for these where the store does not offer what would set the request apart."""


def of(context: TaskContext, tool: str) -> list[int]:
    """The places of the calls of a tool."""
    return [n for n, step in enumerate(context.task.plan.steps) if isinstance(step, Call) and step.tool == tool]


def question(context: TaskContext) -> int:
    """The place of the first question for a fact."""
    return next(n for n, step in enumerate(context.task.plan.steps) if isinstance(step, Question))


def reason(verdict: Verdict) -> str:
    assert not verdict.passed
    return verdict.reason


def test_talkative_tasks_pass_but_for_what_the_store_decides() -> None:
    kept, tried = 0, {"kept back": 0, "changed": 0}
    for context in talkative_contexts(4):
        failed = {v.check: v.reason for v in check_task(context).verdicts if not v.passed}
        assert failed.keys() <= LUCK, failed
        kept += not failed
        tried["kept back"] += bool(kept_back(context))
        tried["changed"] += context.task.script.change is not None
    assert min(tried.values()) > 3
    assert kept > 0.8 * sum(tried.values())


def test_what_is_said_when() -> None:
    context = changed_where()
    change = change_of(context)
    (name,) = change.first
    first, last = ({s.name: s.value for s in slots} for slots in (stated(context), restated(context)))
    assert first[name] == change.first[name] != last[name]
    assert last.keys() == {name}
    turn = turning_point(context)
    assert turn is not None
    asked = context.task.plan.steps[turn]
    assert isinstance(asked, Ask) and asked.gate == change.gate
    assert replies(context)[turn].keys() == given_up(context)


def test_where_nothing_is_kept_back_or_changed_everything_is_stated() -> None:
    context = context_of("buy-best/fulfil")
    assert stated(context) == context.told
    assert not restated(context) and not kept_back(context)
    assert replies(context) == {} and superseded(context) == {} and turning_point(context) is None


# --- facts kept back -------------------------------------------------------------------------------------------------


def test_a_question_for_what_is_not_kept_back_is_caught() -> None:
    context = kept_back_where()
    open_slot = next(slot for slot in stated(context))
    more = Question(slot=open_slot.name, value=open_slot.value)
    planted = replanned(context, lambda steps: [more, *steps])
    assert f"step 0 asks for {open_slot.name!r}, which the user does not keep back" in reason(check_user_stops(planted))


def test_another_answer_than_the_script_gives_is_caught() -> None:
    context = kept_back_where(lambda c: kept_back(c)[0].kind == "count")
    at = question(context)
    planted = replanned(
        context, lambda steps: [s.model_copy(update={"value": 99}) if n == at else s for n, s in enumerate(steps)]
    )
    assert f"step {at}: the user answers" in reason(check_user_stops(planted))
    assert not check_provenance(planted).passed


def test_asking_for_the_same_again_is_caught() -> None:
    context = kept_back_where()
    at = question(context)
    again = context.task.plan.steps[at]
    planted = replanned(context, lambda steps: [*steps, again])
    assert f"asks for {kept_back(context)[0].name!r} again" in reason(check_user_stops(planted))
    assert f"asks for {kept_back(context)[0].name!r}, and no argument" in reason(check_drop_one(planted))


def test_a_fact_that_is_never_asked_for_is_caught() -> None:
    context = kept_back_where()
    at = question(context)
    planted = replanned(context, lambda steps: [s for n, s in enumerate(steps) if n != at])
    fault = f"the plan never asks for {kept_back(context)[0].name!r}, which the user keeps back"
    assert fault in reason(check_user_stops(planted))


def test_keeping_back_what_anyone_would_assume_is_caught() -> None:
    context = kept_back_where(lambda c: kept_back(c)[0].kind == "count")
    name = kept_back(context)[0].name
    planted = told_otherwise(context, name, value=1)
    assert f"the user keeps back that {name!r} is 1" in reason(check_user_stops(planted))
    assert all((slot.kind, slot.value) != ("count", 1) for c in talkative_contexts(3) for slot in kept_back(c))


def test_a_fact_kept_back_is_no_instruction() -> None:
    context = kept_back_where()
    nodes = [
        o.Instruction(slot=node.slot) if isinstance(node, o.UserReply) else node for node in context.task.plan.nodes
    ]
    planted = altered(context, plan=context.task.plan.model_copy(update={"nodes": nodes}))
    assert "is told up front" in reason(check_provenance(planted))


def test_a_fact_used_before_it_was_asked_for_is_caught() -> None:
    """The question is moved to the end, and what refers to later steps along with it."""
    context = kept_back_where(lambda c: isinstance(c.task.plan.steps[-1], Call))
    plan, at = context.task.plan, question(context)
    places = {old: new for new, old in enumerate([n for n in range(len(plan.steps)) if n != at] + [at])}
    nodes = [
        node.model_copy(update={"step": places[node.step]}) if isinstance(node, o.Result | o.UserReply) else node
        for node in plan.nodes
    ]
    steps = [*plan.steps[:at], *plan.steps[at + 1 :], plan.steps[at]]
    planted = altered(context, plan=plan.model_copy(update={"steps": steps, "nodes": nodes}))
    assert "comes from a result that is not there yet" in reason(check_provenance(planted))


def test_what_is_kept_back_may_not_stand_in_the_instruction() -> None:
    context = kept_back_where(lambda c: kept_back(c)[0].kind == "count")
    slot = kept_back(context)[0]
    planted = altered(context, instruction=f"{context.task.instruction} Or {slot.value}, say.")
    fault = f"slot {slot.name!r} is told on_request, and stands in the instruction"
    assert fault in reason(check_references(planted))


def test_what_is_kept_back_may_not_be_said_in_passing_on_a_change_of_mind() -> None:
    context = changed_where(lambda c: any(s.kind == "count" and s.name not in change_of(c).first for s in c.told))
    change = change_of(context)
    slot = next(s for s in context.told if s.kind == "count" and s.name not in change.first)
    planted = changing(
        told_otherwise(context, slot.name, told="on_request"), message=f"{change.message} And {slot.value} of it."
    )
    fault = f"slot {slot.name!r} is told on_request, and stands in what is said on changing their mind"
    assert fault in reason(check_references(planted))


def test_another_word_of_what_is_kept_back_is_no_part_of_the_request() -> None:
    context = kept_back_where(lambda c: kept_back(c)[0].kind == "term" and bool(kept_back(c)[0].alternatives))
    slot = kept_back(context)[0]
    other = str(slot.alternatives[0]).replace("_", " ")
    planted = altered(context, instruction=f"{context.task.instruction} Or is it {other}?")
    assert "which is no term among the slots" in reason(check_references(planted))


# --- changes of mind -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"gate": "NOWHERE"}, "which is no standing gate"),
        ({"gate": "BALANCE"}, "which is no standing gate"),
        ({"gate": "DATA_SHARING"}, "the plan never asks about DATA_SHARING"),
        ({"first": {}}, "the user changes their mind about nothing"),
        ({"first": {"color": "red"}}, "about 'color', which they did not tell"),
    ],
)
def test_a_change_of_mind_that_cannot_be_is_caught(changes: Mapping[str, Any], fault: str) -> None:
    context = changed_where(lambda c: "DATA_SHARING" not in c.task.gates)
    assert fault in reason(check_user_stops(changing(context, **changes)))


def test_a_change_of_mind_that_comes_with_a_refusal_is_caught() -> None:
    context = changed_where()
    turn = turning_point(context)
    planted = replanned(
        context,
        lambda steps: [s.model_copy(update={"granted": False}) if n == turn else s for n, s in enumerate(steps)],
    )
    gate = change_of(context).gate
    assert f"the user refuses {gate}, with which they change their mind" in reason(check_user_stops(planted))


def test_a_change_of_mind_that_nobody_has_to_hear_is_caught() -> None:
    context = changed_where()
    expectation = context.task.expectation
    asks = [ask for ask in expectation.asks if ask.gate != change_of(context).gate]
    planted = altered(context, expectation=expectation.model_copy(update={"asks": asks}))
    assert f"nobody has to ask about {change_of(context).gate}" in reason(check_user_stops(planted))


def test_a_first_wish_that_is_the_last_one_is_caught() -> None:
    context = changed_where()
    first: dict[str, Json] = {slot.name: slot.value for slot in restated(context)}
    planted = changing(context, first=first)
    assert "and it stays" in reason(check_user_stops(planted))
    assert "leads to what the last one does" in reason(check_slots_matter(planted))


def test_a_first_wish_of_another_kind_is_caught() -> None:
    context = changed_where(lambda c: restated(c)[0].kind == "count")
    (name,) = change_of(context).first
    assert f"the slot {name!r} of kind count has the value 'many'" in reason(
        check_user_stops(changing(context, first={name: "many"}))
    )


def test_a_change_of_mind_about_what_is_kept_back_is_caught() -> None:
    context = changed_where()
    (name,) = change_of(context).first
    planted = told_otherwise(context, name, told="on_request")
    assert f"about {name!r}, which they did not tell" in reason(check_user_stops(planted))


def test_the_request_states_the_first_wish_and_the_message_the_last_one() -> None:
    context = changed_where(lambda c: restated(c)[0].kind == "count")
    change = change_of(context)
    (name,) = change.first
    swapped = altered(context, instruction=change.message)
    assert f"slot {name!r} ({change.first[name]!r}) is not in what is said" in reason(check_references(swapped))
    silent = changing(context, message="Yes, go ahead.")
    assert "changing their mind, the user: slot" in reason(check_references(silent))
    more = changing(context, message=f"{change.message} And 97 more.")
    assert "changing their mind, the user: the text says 97" in reason(check_references(more))


def test_what_is_said_on_changing_their_mind_leaks_nothing() -> None:
    context = changed_where(lambda c: "add_to_cart" in c.task.tools)
    change = change_of(context)
    bought = context.task.plan.steps[of(context, "add_to_cart")[-1]]
    assert isinstance(bought, Call)
    spelled = changing(context, message=f"{change.message} I mean {bought.arguments['product_id']}.")
    assert "the user's words give away the id" in reason(check_leaks(spelled))


def test_the_first_wish_carried_out_after_all_is_caught() -> None:
    """Both wishes are told, and each value comes from somewhere: that the last one counts shows at the end alone."""
    context = changed_where(lambda c: restated(c)[0].kind == "count" and not superseded(c))
    turn, outdated = turning_point(context), given_up(context)
    nodes = [
        o.Instruction(slot=node.slot)
        if isinstance(node, o.UserReply) and node.step == turn and node.slot in outdated
        else node
        for node in context.task.plan.nodes
    ]
    planted = altered(context, plan=context.task.plan.model_copy(update={"nodes": nodes}))
    assert not check_provenance(planted).passed


def test_the_last_wish_known_before_it_was_told_is_caught() -> None:
    context = changed_where(lambda c: bool(superseded(c)))
    turn = turning_point(context)
    outdated = given_up(context)
    assert turn is not None
    nodes = [
        o.UserReply(step=turn, slot=node.slot) if isinstance(node, o.Instruction) and node.slot in outdated else node
        for node in context.task.plan.nodes
    ]
    planted = altered(context, plan=context.task.plan.model_copy(update={"nodes": nodes}))
    assert not check_provenance(planted).passed


def test_decisions_on_a_wish_that_was_given_up_do_not_bear_a_decline() -> None:
    context = context_of("buy-best/none_satisfies")
    (slot, *_) = [slot for slot in context.told if slot.name == "quantity"]
    change = Change(gate="PURCHASE", first={slot.name: slot.value}, message="")
    script = context.task.script.model_copy(update={"change": change})
    planted = altered(context, script=script)
    assert check_provenance(context).passed
    assert "and no decision rests on quantity" in reason(check_provenance(planted))


# --- form ------------------------------------------------------------------------------------------------------------


def test_replies_come_from_questions_only() -> None:
    context = kept_back_where()
    at = position(context.task.plan, context.task.tools[0])
    nodes = [
        node.model_copy(update={"step": at}) if isinstance(node, o.UserReply) else node
        for node in context.task.plan.nodes
    ]
    planted = altered(context, plan=context.task.plan.model_copy(update={"nodes": nodes}))
    assert "which is none that could give it" in reason(check_schema(planted))


@pytest.mark.parametrize("where", [kept_back_where, changed_where])
def test_the_label_follows_from_how_it_is_told(where: Callable[[], TaskContext]) -> None:
    context = where()
    label = "told_on_request" if where is kept_back_where else "change_of_mind"
    assert label in context.task.features
    planted = altered(context, features=[name for name in context.task.features if name != label])
    assert "features is" in reason(check_schema(planted))
