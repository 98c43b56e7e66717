"""A user played by a model, over real HTTP: held to the script, mended once, and a fault where it stays so."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from generators.users.consent_words import says_no, says_yes
from generators.users.model import END
from generators.users.replies import load_replies
from schemas.task import Consent
from schemas.trajectory import Budget, Did, Said, Trajectory
from services.runtime.algebra import NO_ROW, Scope
from tests.defects_rollout.staging import first_context, oracle_talks
from tests.generators.dialogue.players import Says, said
from tests.llm.conftest import Serve, _no_keys, serve
from tests.model_players import converse_with, user_as
from tests.validators import tasks_support
from validators.scoring.score import score
from validators.tasks.context import TaskContext

__all__ = ["_no_keys", "serve"]
Reply = dict[str, Any]
BUYS = first_context(lambda context: context.task.template == "buy-best/fulfil")
KEEPS = tasks_support.kept_back_where(lambda c: any(s.kind == "count" for u in c.task.intents for s in u.slots))
CHANGES = tasks_support.changed_where()


def scripted_talks() -> list[tuple[TaskContext, Trajectory]]:
    """Conversations of the best with the scripted user, of each kind of thing that a user does."""
    every = oracle_talks()
    long = [talk for talk in every if sum(isinstance(e, Did) and e.side == "user" for e in talk[1].events) > 1]
    changing = [talk for talk in every if talk[0].task.script.change is not None]
    return [*every[:4], *long[:6], *changing[:4], *every[-4:]]


def test_a_model_that_keeps_to_its_script_lets_the_best_pass(serve: Serve) -> None:
    talks = scripted_talks()
    url = serve(user_as([trajectory for _, trajectory in talks])).url
    for context, before in talks:
        trajectory = converse_with(context, user=url)
        assert (trajectory.end, trajectory.end_detail) == ("done", ""), context.task.task_id
        assert trajectory.end_hash == before.end_hash
        found = score(context, trajectory)
        assert found is not None and found.passed, (context.task.task_id, found)
        words = [e for e in before.events if isinstance(e, Said) and e.by == "user"]
        mine = [e for e in trajectory.events if isinstance(e, Said) and e.by == "user"]
        assert [(e.text, set(e.told)) for e in mine] == [(e.text, set(e.told)) for e in words]
        assert [e.answered for e in mine] == [e.answered for e in words]


# --- what breaks the script -----------------------------------------------------------------------------------------


def consenting(*consents: Consent, of: TaskContext = BUYS) -> TaskContext:
    script = of.task.script.changed({"consents": list(consents)})
    return tasks_support.altered(of, script=script)


ALLOW = "May I have your permission to make purchases for you?"
TOP_UP = "Would you top up your wallet by $12.50?"
GRANT: Reply = {"tool_calls": [{"name": "set_purchase_permission", "arguments": {"allow": True}}]}
FORBID: Reply = {"tool_calls": [{"name": "set_purchase_permission", "arguments": {"allow": False}}]}
STOPS: Reply = {"tool_calls": [{"name": END, "arguments": {}}]}


def puts_in(amount: float) -> Reply:
    return {"tool_calls": [{"name": "top_up_wallet", "arguments": {"amount": amount}}]}


def says(text: str) -> Reply:
    return {"content": text}


YES = Consent(gate="PURCHASE", granted=True)
NO = Consent(gate="PURCHASE", granted=False)
UP_TO = Consent(gate="BALANCE", granted=False, up_to_cents=2_000)


def kept_back(context: TaskContext) -> str:
    return str(next(s.value for u in context.task.intents for s in u.slots if s.told == "on_request"))


@dataclass(frozen=True)
class Case:
    """What a model does after a message of the assistant, what it does instead, and what it is told."""

    heard: str
    wrong: Reply
    right: Reply
    why: str
    context: Callable[[], TaskContext] = lambda: BUYS


CASES = {
    "invents a number": Case("Shall I go ahead?", says("Yes, take 47 of them."), says("Yes, please."), "invent '47"),
    "names a tool": Case("Shall I go ahead?", says("Call browse_items."), says("Yes."), "name the tool browse_items"),
    "tells unasked": Case(
        "All right, I am working on it now.",
        says(f"By the way, I want {kept_back(KEEPS)} of them."),
        says("All right."),
        "although nobody has asked",
        lambda: KEEPS,
    ),
    "ends while asked": Case("Shall I go ahead?", STOPS, says("Yes, please."), "answer before you end"),
    "ends at a promise": Case("One moment, I'll look it up.", STOPS, says("OK."), "answer before you end"),
    "grants what it refuses": Case(ALLOW, GRANT, says("No."), "do not give this consent", lambda: consenting(NO)),
    "grants what nobody asked for": Case("Shall I go ahead?", GRANT, says("Yes."), "nobody has asked you for that"),
    "agrees to what it refuses": Case(ALLOW, says("Yes, sure."), says("No."), "say no", lambda: consenting(NO)),
    "refuses what it grants": Case(ALLOW, says("No."), says("Why?"), "call set_purchase", lambda: consenting(YES)),
    "closes what it is to open": Case(ALLOW, FORBID, says("Why?"), "does not give", lambda: consenting(YES)),
    "puts in too much": Case(
        TOP_UP.replace("12.50", "21"),
        puts_in(21),
        says("No, too much."),
        "more than you agree",
        lambda: consenting(UP_TO),
    ),
    "puts in another amount": Case(TOP_UP, puts_in(15), says("Why?"), "not the amount", lambda: consenting(UP_TO)),
    "puts in unasked amount": Case(
        "Could you top up your wallet?", puts_in(15), says("How much?"), "ask for it", lambda: consenting(UP_TO)
    ),
    "names its limit": Case(
        TOP_UP, says("At most $20.00?"), says("Why?"), "invent '$20.00'", lambda: consenting(UP_TO)
    ),
    "speaks as the assistant": Case("Hello.", says("How can I help you today?"), says("Hi."), "as the assistant"),
    "says nothing": Case("Shall I go ahead?", says(""), says("Yes."), "say something"),
}


def once(case: Case, serve: Serve, *replies: Reply) -> tuple[Trajectory, list[Reply]]:
    """The conversation of one message, answered by these replies, and what the server got."""
    seen: list[Reply] = []

    def behave(request: Reply) -> Reply:
        seen.append(request)
        return replies[min(len(seen), len(replies)) - 1]

    context = case.context()
    assistant = Says(map(said, [case.heard]))
    return converse_with(context, assistant=assistant, user=serve(behave).url, budget=Budget(turns=1)), seen


@pytest.mark.parametrize("name", list(CASES))
def test_what_breaks_the_script_is_mended_once(serve: Serve, name: str) -> None:
    case = CASES[name]
    trajectory, seen = once(case, serve, case.wrong, case.right)
    assert trajectory.end == "budget", trajectory.end_detail
    last = [e.text for e in trajectory.events if isinstance(e, Said)][-1]
    assert last == case.right["content"]
    assert [e for e in trajectory.events if isinstance(e, Did)] == []
    assert len(seen) == 2
    asked_again = seen[1]["messages"][-1]
    assert asked_again["role"] == "user"
    assert asked_again["content"].startswith("[Platform] Not like that: ")
    assert case.why in asked_again["content"]
    assert trajectory.user.usage.calls == 2


@pytest.mark.parametrize("name", list(CASES))
def test_what_stays_broken_is_a_fault_of_the_user_and_scores_nothing(serve: Serve, name: str) -> None:
    case = CASES[name]
    trajectory, seen = once(case, serve, case.wrong)
    assert (trajectory.end, len(seen)) == ("user_fault", 2)
    assert case.why in trajectory.end_detail
    assert score(case.context(), trajectory) is None
    assert trajectory.start_hash == trajectory.end_hash


# --- what it decides ------------------------------------------------------------------------------------------------


def decided(context: TaskContext, serve: Serve, heard: str, *replies: Reply) -> Mapping[str, bool]:
    case = Case(heard, {}, {}, "", lambda: context)
    trajectory, _ = once(case, serve, *replies)
    assert trajectory.end == "budget", trajectory.end_detail
    return [e for e in trajectory.events if isinstance(e, Said)][-1].answered


def test_a_question_back_decides_nothing(serve: Serve) -> None:
    limited = consenting(UP_TO)
    assert decided(limited, serve, "Could you top up your wallet?", says("How much would that be?")) == {}
    assert decided(consenting(NO), serve, ALLOW, says("What would you need it for?")) == {}


def test_what_was_done_or_refused_is_decided(serve: Serve) -> None:
    assert decided(consenting(YES), serve, ALLOW, GRANT, says("Done.")) == {"PURCHASE": True}
    assert decided(consenting(NO), serve, ALLOW, says("No, I don't want that.")) == {"PURCHASE": False}
    limited = consenting(UP_TO)
    given = decided(limited, serve, TOP_UP, puts_in(12.5), says("Added $12.50."))
    assert set(given.values()) == {True}
    assert set(decided(limited, serve, TOP_UP.replace("12.50", "25"), says("Too much."))) == set(given)


def test_who_hears_only_that_it_is_off_may_open_it_and_need_not(serve: Serve) -> None:
    off = "The purchase permission is off."
    assert decided(consenting(YES), serve, off, GRANT, says("It's on now.")) == {"PURCHASE": True}
    assert decided(consenting(YES), serve, off, says("I see.")) == {}
    trajectory, _ = once(Case(off, {}, {}, "", lambda: consenting(NO)), serve, GRANT)
    assert "you do not give this consent" in trajectory.end_detail


def test_of_what_is_allowed_already_a_user_may_say_so(serve: Serve) -> None:
    open_notes = tasks_support.context_where("", may_read_notes, plain=False)
    asks = "Mind if I take a look at your notes?"
    assert decided(open_notes, serve, asks, says("Yes, go ahead.")) == {"NOTES": True}
    assert decided(consenting(), serve, asks, says("No, just what I asked for.")) == {"NOTES": False}


def may_read_notes(context: TaskContext) -> bool:
    env = context.open()
    closed = env.catalogue.gates["NOTES"].closed(NO_ROW, Scope(env.state_, env.now, {}))
    return not closed and not context.task.script.consents


def test_a_limit_holds_for_all_that_was_put_in(serve: Serve) -> None:
    replies = iter([puts_in(12.5), says("Added."), puts_in(12.5), says("No, too much.")])
    assistant = Says(map(said, [TOP_UP, TOP_UP]))
    url = serve(lambda _: next(replies)).url
    trajectory = converse_with(consenting(UP_TO), assistant=assistant, user=url, budget=Budget(turns=2))
    assert trajectory.end == "budget", trajectory.end_detail
    assert [e.arguments for e in trajectory.events if isinstance(e, Did)] == [{"amount": 12.5}]


def test_a_consent_given_once_is_taken_back_in_the_end(serve: Serve) -> None:
    once_only = consenting(Consent(gate="PURCHASE", granted=True, once=True))
    replies = iter([GRANT, says("Done."), {**STOPS, "content": "Thanks."}])
    assistant = Says(map(said, [ALLOW, "I could not find it, so nothing was bought."]))
    trajectory = converse_with(once_only, assistant=assistant, user=serve(lambda _: next(replies)).url)
    assert trajectory.end == "user_stopped"
    assert [e.arguments for e in trajectory.events if isinstance(e, Did)] == [{"allow": True}, {"allow": False}]


def test_what_the_users_own_tool_said_may_be_said(serve: Serve) -> None:
    replies: list[Reply] = [puts_in(12.5)]

    def behave(request: Reply) -> Reply:
        if request["messages"][-1]["role"] != "tool":
            return replies[0]
        balance = json.loads(request["messages"][-1]["content"])["balance"]
        return says(f"Done, there is ${balance:.2f} in it now.")

    assistant = Says(map(said, [TOP_UP]))
    context = consenting(UP_TO)
    trajectory = converse_with(context, assistant=assistant, user=serve(behave).url, budget=Budget(turns=1))
    assert trajectory.end == "budget", trajectory.end_detail


def test_a_change_of_mind_comes_with_the_consent_and_not_before(serve: Serve) -> None:
    change = CHANGES.task.script.change
    assert change is not None
    early = Case("Shall I go ahead?", says(change.message), says("Yes."), "", lambda: CHANGES)
    trajectory, seen = once(early, serve, early.wrong, early.right)
    assert "only when you give the consent" in seen[1]["messages"][-1]["content"]
    assert trajectory.end == "budget"


# --- when it ends ---------------------------------------------------------------------------------------------------


def test_a_model_that_never_ends_does_not_hold_up_the_end(serve: Serve) -> None:
    assistant = Says(map(said, ["I could not do it.", "You're welcome.", "Goodbye."]))
    trajectory = converse_with(BUYS, assistant=assistant, user=serve(lambda _: says("Thanks!")).url)
    assert trajectory.end == "user_stopped"
    assert len([e for e in trajectory.events if isinstance(e, Said) and e.by == "assistant"]) == 2


def test_a_model_that_only_calls_is_a_fault(serve: Serve) -> None:
    broken: Reply = {"tool_calls": [{"name": "set_purchase_permission", "arguments": '{"allow": '}]}
    trajectory, seen = once(Case(ALLOW, {}, {}, ""), serve, broken)
    assert (trajectory.end, len(seen)) == ("user_fault", 8)


def test_what_is_said_beside_a_call_is_said(serve: Serve) -> None:
    trajectory, _ = once(
        Case(ALLOW, {}, {}, "", lambda: consenting(YES)), serve, {**GRANT, "content": "Sure, I allow it."}, says("")
    )
    assert [e.text for e in trajectory.events if isinstance(e, Said)][-1] == "Sure, I allow it."


def test_failures_of_its_model_are_told_apart(serve: Serve) -> None:
    heard = Says(map(said, ["Shall I go ahead?"]))
    long = serve(
        script=["400"],
        complaint="This model's maximum context length is 8192 tokens.",
        complaint_code="context_length_exceeded",
    )
    trajectory = converse_with(BUYS, assistant=heard, user=long.url)
    assert (trajectory.end, score(BUYS, trajectory)) == ("user_fault", None)
    heard = Says(map(said, ["Shall I go ahead?"]))
    trajectory = converse_with(BUYS, assistant=heard, user="http://127.0.0.1:9/v1")
    assert (trajectory.end, score(BUYS, trajectory)) == ("infrastructure_error", None)


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("Yes, go ahead.", True, False),
        ("Sure, no problem!", True, False),
        ("No.", False, True),
        ("No, why would you need that?", False, True),
        ("No idea, how much is it?", False, False),
        ("How much?", False, False),
        ("I'd rather not.", False, True),
        ("Sorry, that is too much for me.", False, True),
        ("OK, but not that.", False, True),
        ("I don\u2019t know.", False, False),
        ("I won\u2019t do that.", False, True),
    ],
)
def test_yes_and_no(text: str, yes: bool, no: bool) -> None:
    assert (says_yes(text), says_no(text)) == (yes, no)


def test_what_scripted_users_say_is_yes_or_no() -> None:
    for replies in load_replies().values():
        for form in (*replies.refused, *replies.too_much, *replies.only_asked, *replies.not_asked):
            assert says_no(form), form
        for form in (*replies.agreed, *replies.granted, *replies.topped_up):
            assert not says_no(form), form
        assert all(map(says_yes, replies.agreed))
