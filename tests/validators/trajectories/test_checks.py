"""A recorded conversation is kept only when it is true; each way of being untrue is found by its check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from schemas.plan import Call
from schemas.trajectory import Declared, Did, Said
from tests.generators.dialogue.players import THANKS, Content, Replies, Says, called, hold, said
from tests.nonempty import nonempty
from tests.validators.scoring.talks import Talk, gold_talk, play, report_of
from tests.validators.tasks_support import context_of, context_where, contexts
from validators.scoring.outcome import Outcome
from validators.trajectories.checks import check_trajectory

if TYPE_CHECKING:
    from collections.abc import Callable

    from schemas.trajectory import Event, Trajectory
    from validators.tasks.context import TaskContext

ENUMERATE = Declared(error="enumerate", error_class="data", matters=True, committed=True)
BUY = ("buy-best/fulfil", ("PURCHASE",))


def failed(context: TaskContext, trajectory: Trajectory) -> set[str]:
    """The checks that fail."""
    return {one.check for one in check_trajectory(context, trajectory) if not one.passed}


def changed(trajectory: Trajectory, kind: type[Any], change: Callable[[Any], Any], nth: int = 0) -> Trajectory:
    """The trajectory with its n-th event of a kind changed."""
    events: list[Event] = list(trajectory.events)
    at = [place for place, event in enumerate(events) if isinstance(event, kind)][nth]
    events[at] = change(events[at])
    return trajectory.model_copy(update={"events": events})


def updated(**values: object) -> Callable[[Any], Any]:
    return lambda event: event.model_copy(update=values)


def test_honest_conversations_pass_every_check() -> None:
    for context in nonempty(contexts(0, 1)):
        assert failed(context, gold_talk(context)) == set(), context.task.template


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda t: t.model_copy(update={"trajectory_id": "x"}), "trajectory.form"),
        (lambda t: t.model_copy(update={"template": "x"}), "trajectory.form"),
        (lambda t: t.model_copy(update={"start_hash": "0" * 32}), "trajectory.form"),
        (lambda t: t.model_copy(update={"events": t.events[1:]}), "trajectory.form"),
        (lambda t: changed(t, Said, updated(text="Another request.")), "trajectory.form"),
        (lambda t: changed(t, Did, updated(arguments_text='{"page": 99}')), "trajectory.form"),
        (lambda t: changed(t, Did, updated(turn=99)), "trajectory.form"),
        (lambda t: changed(t, Did, updated(result={"items": []})), "trajectory.replay"),
        (lambda t: changed(t, Did, updated(state_hash="0" * 32)), "trajectory.replay"),
        (lambda t: changed(t, Did, updated(diff={"notes": {}, "x": 1})), "trajectory.replay"),
        (lambda t: changed(t, Did, updated(reply=99)), "trajectory.form"),
        (lambda t: t.model_copy(update={"declared": ENUMERATE}), "trajectory.form"),
        (lambda t: t.model_copy(update={"end": "budget", "end_detail": "the turns are used up"}), "trajectory.end"),
        (lambda t: t.model_copy(update={"end_hash": "0" * 32}), "trajectory.replay"),
        (lambda t: t.model_copy(update={"now": "2020-01-01T00:00:00"}), "trajectory.replay"),
        (lambda t: changed(t, Said, updated(told={"secret": "active"}), -1), "trajectory.user"),
        (lambda t: changed(t, Said, updated(answered={"NOTES": True}), -1), "trajectory.user"),
        (lambda t: t.model_copy(update={"end": "budget"}), "trajectory.end"),
        (lambda t: t.model_copy(update={"budget": t.budget.model_copy(update={"calls": 1})}), "trajectory.end"),
        (lambda t: t.model_copy(update={"budget": t.budget.model_copy(update={"turns": 0})}), "trajectory.end"),
    ],
)
def test_each_untruth_is_found_by_its_check(change: Callable[[Trajectory], Trajectory], check: str) -> None:
    context = context_of(*BUY)
    assert check in failed(context, change(gold_talk(context)))


def test_an_end_that_is_not_so_is_found() -> None:
    context = context_of(*BUY)
    talk = Talk(context)
    talk.say(report_of(context))
    talk.say("Thanks.", "user")
    assert failed(context, talk.trajectory("done")) == {"trajectory.end"}
    assert failed(context, talk.trajectory("user_stopped")) == set()


def test_a_user_who_acts_unasked_or_grants_what_the_script_refuses_is_found() -> None:
    context = context_of(*BUY)
    grant = next(s for s in context.task.plan.steps if isinstance(s, Call) and s.side == "user")
    talk = Talk(context)
    talk.call(grant.tool, grant.arguments, "user")
    talk.say("I allowed it at once.", "user")
    play(talk, [step for step in context.task.plan.steps if step is not grant])
    talk.say(report_of(context))
    assert "trajectory.user" in failed(context, talk.trajectory())
    refusing = context_of("reorder/consent_refused")
    bold = Talk(refusing)
    bold.ask("PURCHASE", granted=True, acts=[grant])
    bold.say("All right.")
    assert "trajectory.user" in failed(refusing, bold.trajectory("user_stopped"))


def test_of_what_is_allowed_already_the_user_may_say_so() -> None:
    context = context_of(*BUY)
    script = context.task.script
    assert "NOTES" not in {consent.gate for consent in script.consents}
    allowed = context_where("", lambda one: _may_read_notes(one) and not one.task.script.consents, plain=False)
    for one, found in ((context, {"trajectory.user"}), (allowed, set[str]())):
        talk = Talk(one)
        talk.ask("NOTES", granted=True)
        talk.say("All right.")
        talk.say("Thanks.", "user")
        assert failed(one, talk.trajectory("user_stopped")) == found


def _may_read_notes(context: TaskContext) -> bool:
    return (
        not Outcome(context, [Said(turn=0, by="user", text=""), Said(turn=1, by="assistant", text="")])
        .messages[0]
        .closed.intersection({"NOTES"})
    )


def test_less_than_the_amount_that_is_refused_may_be_given() -> None:
    context = context_where(
        "", lambda one: any(not c.granted and c.up_to_cents for c in one.task.script.consents), plain=False
    )
    talk = Talk(context)
    some = Call(side="user", tool="top_up_wallet", arguments={"amount": 1}, origins={})
    talk.ask("BALANCE", granted=True, acts=[some])
    talk.say("All right.")
    talk.say("Thanks.", "user")
    assert failed(context, talk.trajectory("user_stopped")) == set()


def test_a_report_is_no_tool_where_answers_are_read_in_the_text() -> None:
    """A call of it is one of a tool that is not there; a result that says otherwise is untrue."""
    context = context_of(*BUY)
    assistant = Says([called(("report", {"answers": [{"what": "total", "value": 3}]})), said("Sorry.")])
    env = context.open()
    trajectory = hold(assistant, Replies([THANKS]), task=context.task, env=env, wish=Content(met=False))
    assert failed(context, trajectory) == set()
    forged = changed(trajectory, Did, updated(result={"received": 1}))
    assert failed(context, forged) == {"trajectory.replay"}


def test_a_call_left_out_of_the_record_is_found() -> None:
    context = context_of(*BUY)
    trajectory = gold_talk(context)
    place = next(i for i, event in enumerate(trajectory.events) if isinstance(event, Did) and event.diff)
    events = [event for at, event in enumerate(trajectory.events) if at != place]
    assert "trajectory.replay" in failed(context, trajectory.model_copy(update={"events": events}))


def test_a_write_changes_what_is_recorded_of_it() -> None:
    context = context_of(*BUY)
    gold = gold_talk(context)
    nth = next(i for i, did in enumerate([e for e in gold.events if isinstance(e, Did)]) if did.diff)
    other = {"wallet": {"wallet": [None, {"balance_cents": 1}]}}
    assert failed(context, changed(gold, Did, updated(diff=other), nth)) == {"trajectory.replay"}


def test_who_opens_a_gate_says_so() -> None:
    context = context_of(*BUY)
    gold = gold_talk(context)
    said = [event for event in gold.events if isinstance(event, Said)]
    nth = next(place for place, event in enumerate(said) if event.answered)
    assert failed(context, changed(gold, Said, updated(answered={}), nth)) == {"trajectory.user"}
