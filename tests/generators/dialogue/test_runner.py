"""What the runner does with all that an assistant may do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from generators.dialogue.parts import AssistantFailed, AssistantTurn, Hands, Unreachable, UserFault, UserReply
from generators.dialogue.runner import EMPTY
from schemas.models import Usage
from schemas.trajectory import Budget, Confirmed, Did, Offered, Said, Trajectory
from services.runtime.environment import Environment
from tests.generators.dialogue.players import THANKS, Content, Replies, Says, called, hold, open_start, said


def did(trajectory: Trajectory) -> list[Did]:
    return [event for event in trajectory.events if isinstance(event, Did)]


def code(event: Did) -> str:
    error = event.result.get("error")
    return str(error["code"]) if isinstance(error, dict) else ""


def allow(hands: Hands) -> UserReply:
    hands.call("set_purchase_permission", {"allow": True})
    return UserReply("Done.", told={"quantity": "active"}, answered={"PURCHASE": True})


def test_a_conversation_is_recorded_whole() -> None:
    assistant = Says([called(("get_wallet", {})), said("May I?"), said("All done.")])
    user = Replies([lambda _, hands: allow(hands), THANKS])
    trajectory = hold(assistant, user, attempt=3)
    assert trajectory.trajectory_id == f"{trajectory.task_id}-k03"
    assert [(e.event, e.turn) for e in trajectory.events] == [
        ("said", 0),
        ("did", 1),
        ("said", 1),
        ("did", 2),
        ("said", 2),
        ("said", 3),
        ("said", 4),
    ]
    assert (trajectory.end, trajectory.score) == ("done", None)
    assert user.heard == ["May I?", "All done."]
    assert [d.call_id for d in did(trajectory)] == ["call_1", "call_2"]
    answer = trajectory.events[4]
    assert isinstance(answer, Said)
    assert (answer.told, answer.answered) == ({"quantity": "active"}, {"PURCHASE": True})
    assert assistant.acts == [[], [], ["set_purchase_permission"]]
    assert trajectory == Trajectory.model_validate(json.loads(trajectory.model_dump_json()))


def test_the_assistant_is_told_truthfully_what_the_user_did() -> None:
    assistant = Says([said("May I?"), said("Done.")])
    hold(assistant, Replies([lambda _, hands: allow(hands), THANKS]))
    line = '[set_purchase_permission(allow=true) -> {"allowed":true,"permission":"allow_purchase"}]'
    assert assistant.seen[1][-1] == {"role": "user", "content": f"Done.\n{line}"}


def test_hashes_and_changes_follow_the_calls() -> None:
    task_env = open_start()
    closed = task_env.catalogue.gates["NOTES"]
    user = Replies([lambda _, h: UserReply(str(h.call("set_user_notes_permission", {"allow": True}))), THANKS])
    calls = called(("add_note", {"note": "milk"}), ("list_notes", {}), ("add_note", {"note": 3}))
    trajectory = hold(Says([said("May I?"), calls, said("Done.")]), user, env=task_env)
    permission, write, read, wrong = did(trajectory)
    assert closed.gate.code == "PERMISSION_DENIED"
    assert trajectory.start_hash != write.state_hash == read.state_hash == wrong.state_hash == trajectory.end_hash
    assert permission.side == "user"
    changed: Any = write.diff
    ((before, after),) = changed["notes"].values()
    assert before is None
    assert after["text"] == "milk"
    assert (read.diff, wrong.diff, code(wrong)) == ({}, {}, "INVALID_ARGUMENTS")


@pytest.mark.parametrize("text", ["", "null", '{"page": 1', "[]", '{"page": 1, "page": 1}', '{"page": NaN}'])
def test_malformed_arguments_are_answered_and_nothing_is_called(text: str) -> None:
    trajectory = hold(Says([called(("browse_items", text)), said("Sorry.")]), Replies([THANKS]))
    (event,) = did(trajectory)
    assert (event.arguments_text, event.arguments, code(event)) == (text, None, "INVALID_ARGUMENTS")
    assert trajectory.end == "done"


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("no_such_tool", "UNKNOWN_TOOL"),
        ("", "UNKNOWN_TOOL"),
        ("report", "UNKNOWN_TOOL"),
        ("\ud800", "UNKNOWN_TOOL"),
        ("top_up_wallet", "WRONG_SIDE"),
        ("med-get_resources", "TOOL_NOT_AVAILABLE"),
    ],
)
def test_calls_that_nobody_can_make_are_answered(tool: str, expected: str) -> None:
    trajectory = hold(Says([called((tool, {})), said("Sorry.")]), Replies([THANKS]))
    assert [code(event) for event in did(trajectory)] == [expected]
    trajectory.model_dump_json()


def test_an_empty_reply_is_answered_by_the_platform() -> None:
    # A zero-width space and a control character cannot be seen either.
    assistant = Says([said(""), said(" \n"), said("\u200b"), said("\x00 \x07"), said("Hello.")])
    user = Replies([THANKS])
    trajectory = hold(assistant, user)
    assert [e.text for e in trajectory.events if isinstance(e, Said) and e.by == "platform"] == [EMPTY] * 4
    assert user.heard == ["Hello."]


def test_only_empty_replies_use_up_the_turns() -> None:
    trajectory = hold(Says([said("")] * 9), Replies([]), budget=Budget(turns=5))
    assert (trajectory.end, "5 turns" in trajectory.end_detail) == ("budget", True)


def test_text_beside_calls_is_recorded_and_not_delivered() -> None:
    user = Replies([THANKS])
    trajectory = hold(Says([called(("get_wallet", {}), text="Let me look."), said("Done.")]), user)
    assert user.heard == ["Done."]
    assert [e.text for e in trajectory.events if isinstance(e, Said)][1] == "Let me look."


def test_calls_of_one_reply_run_in_order_and_share_it() -> None:
    calls = called(("get_wallet", {}), ("list_cart", {}))
    assistant = Says([calls, called(("get_wallet", {})), said("Done.")])
    trajectory = hold(assistant, Replies([THANKS]))
    assert [d.reply for d in did(trajectory)] == [0, 0, 1]
    assert [len(results) for results in assistant.results] == [0, 2, 1]


def test_the_last_turn_is_answered_and_no_further_one_is_taken() -> None:
    user = Replies([UserReply("And?"), UserReply("And?")])
    trajectory = hold(Says([said("One."), said("Two."), said("Three.")]), user, budget=Budget(turns=2))
    assert (trajectory.end, user.heard) == ("budget", ["One.", "Two."])


def test_calls_beyond_the_budget_end_it() -> None:
    calls = called(*[("get_wallet", {})] * 3)
    trajectory = hold(Says([calls, calls]), Replies([]), budget=Budget(calls=4))
    assert (trajectory.end, len(did(trajectory))) == ("budget", 4)
    assert "4 tool calls" in trajectory.end_detail


def test_a_report_is_possible_when_all_calls_are_made() -> None:
    trajectory = hold(Says([called(("get_wallet", {})), said("Done.")]), Replies([THANKS]), budget=Budget(calls=1))
    assert trajectory.end == "done"


@pytest.mark.parametrize(
    ("budget", "usage", "says"),
    [
        (Budget(tokens=100), Usage(calls=1, input_tokens=60, output_tokens=40), "100 tokens"),
        (Budget(cost="0.5"), Usage(calls=1, cost="0.5"), "0.5 dollars"),
        (Budget(cost="0.5"), Usage(calls=1, cost=None), "not known"),
        (Budget(seconds=1e-9), Usage(), "1e-09 seconds"),
    ],
)
def test_what_models_use_is_bounded(budget: Budget, usage: Usage, says: str) -> None:
    turns = [AssistantTurn(text="Hm.", usage=usage)] * 2
    trajectory = hold(Says(turns), Replies([UserReply("Yes?")] * 2), budget=budget)
    assert (trajectory.end, says in trajectory.end_detail) == ("budget", True)
    assert trajectory.assistant.usage == usage


def test_usage_of_both_sides_is_kept_apart() -> None:
    turn = AssistantTurn(text="Done.", usage=Usage(calls=1, input_tokens=5, cost="0.1"))
    user = Replies([UserReply("Bye.", stop=True, usage=Usage(calls=1, output_tokens=7, cost="0.2"))])
    trajectory = hold(Says([turn]), user)
    assert (trajectory.assistant.usage.tokens, trajectory.user.usage.tokens) == (5, 7)


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (AssistantFailed("no"), "agent_error"),
        (Unreachable("no"), "infrastructure_error"),
        (UserFault("no"), "user_fault"),
    ],
)
def test_what_a_side_raises_is_an_end_of_its_own(error: Exception, end: str) -> None:
    assistant = hold(Says([error]), Replies([]))
    assert (assistant.end, assistant.end_detail) == (end, "no")
    if not isinstance(error, AssistantFailed):
        assert hold(Says([said("Hello.")]), Replies([error])).end == end


def test_a_silent_user_is_a_fault_of_the_user() -> None:
    assert hold(Says([said("Hello.")]), Replies([UserReply("")])).end == "user_fault"


@pytest.mark.parametrize(
    ("met", "gave_up", "end"),
    [(True, False, "done"), (False, False, "user_stopped"), (True, True, "user_stopped")],
)
def test_the_end_is_true(met: bool, gave_up: bool, end: str) -> None:
    user = Replies([UserReply("", stop=True, gave_up=gave_up)])
    trajectory = hold(Says([said("Hello.")]), user, wish=Content(met=met))
    assert trajectory.end == end
    assert isinstance(trajectory.events[-1], Said)
    assert trajectory.events[-1].by == "assistant"


# --- a yes to a call ------------------------------------------------------------------------------------------------


def note_env() -> tuple[Environment, str]:
    """An environment that holds a note which may be deleted, and its id."""
    env = open_start()
    env.call("set_user_notes_permission", {"allow": True}, "user")
    note = env.call("add_note", {"note": "milk"})
    return env, str(note["note_id"])


def test_a_user_who_agreed_in_words_says_yes_to_the_call() -> None:
    env, note = note_env()
    calls = called(("delete_note", {"note_id": note}))
    trajectory = hold(
        Says([said("Delete it?"), calls, said("Done.")]),
        Replies([UserReply("Yes."), THANKS], ("delete_note",)),
        env=env,
    )
    confirmed = [e for e in trajectory.events if isinstance(e, Confirmed)]
    assert [(c.tool, c.arguments, c.turn) for c in confirmed] == [("delete_note", {"note_id": note}, 3)]
    assert [code(event) for event in did(trajectory)] == [""]


def test_a_call_waits_for_a_yes_that_is_good_once() -> None:
    env, note = note_env()
    calls = called(("delete_note", {"note_id": note}))
    seen: list[Any] = []

    def confirm(_: str, hands: Hands) -> UserReply:
        seen.append([(tool, dict(arguments)) for tool, arguments in hands.pending])
        hands.confirm(*hands.pending[-1])
        seen.append(list(hands.pending))
        return UserReply("Yes.")

    assistant = Says([calls, said("Delete it?"), calls, calls, said("Done.")])
    trajectory = hold(assistant, Replies([confirm, THANKS]), env=env)
    assert seen == [[("delete_note", {"note_id": note})], []]
    assert [code(event) for event in did(trajectory)] == ["CONFIRMATION_REQUIRED", "", "CONFIRMATION_REQUIRED"]
    assert assistant.seen[2][-1] == {"role": "user", "content": f'Yes.\n[confirmed: delete_note(note_id="{note}")]'}


def test_a_user_sees_their_records_and_nothing_hidden() -> None:
    def look(_: str, hands: Hands) -> UserReply:
        with pytest.raises(KeyError):
            hands.look(next(name for name, table in env.catalogue.tables.items() if table.hidden))
        return UserReply(",".join(hands.look("wallet")), stop=True)

    env = open_start()
    trajectory = hold(Says([said("Hello.")]), Replies([look]), env=env)
    last = trajectory.events[-1]
    assert isinstance(last, Said)
    assert last.text


# --- tools that are found on the way --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opener", "arguments", "found"),
    [
        ("get_source_features", {"source_name": ""}, "-get_intraday_steps"),
        ("get_med_features", {}, "med-get_resources"),
    ],
)
def test_what_discovery_unlocks_is_offered_from_the_next_turn_on(
    opener: str, arguments: dict[str, Any], found: str
) -> None:
    env = open_start()
    for tool in ("set_raw_data_permission", "set_med_assistant_permission", "set_purchase_permission"):
        env.call(tool, {"allow": True}, "user")
    if "source_name" in arguments:
        shown: Any = env.call("get_system_settings")
        source = next(m["source"] for m in shown["marketplaces"] if m["connected"])
        arguments, found = {"source_name": source}, source + found
    else:
        env.call("top_up_wallet", {"amount": 100}, "user")
        request = env.call("upgrade_membership_request", {"vip_duration": "1_month"})
        assert "error" not in env.call("authorize_checkout", {"transaction_id": request["transaction_id"]}, "user")
    assistant = Says([called((opener, arguments)), said("Found.")])
    trajectory = hold(assistant, Replies([THANKS]), env=env)
    assert [code(event) for event in did(trajectory)] == [""]
    before, after = assistant.tools
    assert found not in before
    assert found in after
    assert after == sorted(after)
    (offered,) = [e for e in trajectory.events if isinstance(e, Offered)]
    new: list[Any] = offered.tools
    assert sorted([*before, *(str(tool["function"]["name"]) for tool in new)]) == after
    assert found not in trajectory.tools_json


# --- the tool `report` ----------------------------------------------------------------------------------------------


def test_answers_can_be_reported_as_values() -> None:
    right = {"answers": [{"what": "total", "value": 12.5}, {"what": "held", "value": ["a", "b"]}]}
    wrong = [{}, {"answers": []}, {"answers": [{"what": "total"}]}, {"answers": [{"what": "x", "value": 1, "y": 2}]}]
    assistant = Says([called(("report", right), *[("report", one) for one in wrong]), said("Done.")])
    trajectory = hold(assistant, Replies([THANKS]), answers="tool")
    first, *others = did(trajectory)
    assert first.result == {"received": 2}
    assert [code(event) for event in others] == ["INVALID_ARGUMENTS"] * len(wrong)
    assert "report" in assistant.tools[0]
    assert "`report`" in trajectory.assistant.prompt
    assert trajectory.start_hash == trajectory.end_hash
