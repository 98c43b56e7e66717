"""Known defects of a published runner of conversations, each with a test that it is not repeated here."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import pytest

from generators.dialogue.messages import messages_of
from generators.dialogue.parts import Hands, UserReply
from generators.dialogue.runner import converse
from schemas.base import Json, canonical_text
from schemas.models import Usage
from schemas.trajectory import Budget, Did, Offered, Trajectory
from services.runtime.catalogue import installed_catalogue
from tests.generators.dialogue.players import (
    THANKS,
    Content,
    Replies,
    Says,
    called,
    hold,
    open_start,
    said,
    some_task,
    starts,
)
from tests.nonempty import nonempty
from tests.services import sample
from tests.services.sample import code_of


def acts(trajectory: Trajectory) -> list[Did]:
    """The calls of the user."""
    return [event for event in trajectory.events if isinstance(event, Did) and event.side == "user"]


def codes(assistant: Says) -> list[list[str]]:
    """The error codes that the assistant got, by turn; nothing for a call that went well."""
    return [[code_of(result) for result in results] for results in assistant.results if results]


# D31: after a tool of the user's the assistant got a line that read like success, whatever had come of it.


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("authorize_checkout", {"transaction_id": "tx_none"}, "TRANSACTION_NOT_FOUND"),
        ("top_up_wallet", {"amount": -1}, "INVALID_AMOUNT"),
        ("top_up_wallet", {"amount": 3}, ""),
    ],
)
def test_defect_D31_the_assistant_reads_what_a_tool_of_the_user_returned(
    tool: str, arguments: dict[str, Json], code: str
) -> None:
    def act(_: str, hands: Hands) -> UserReply:
        hands.call(tool, arguments)
        return UserReply("There you go.")

    assistant = Says([said("Please do that."), said("Bye.")])
    (did,) = acts(hold(assistant, Replies([act, THANKS]), env=sample.environment()))
    assert code_of(did.result) == code
    message = assistant.seen[1][-1]
    assert message["role"] == "user"
    assert str(message["content"]).startswith("There you go.\n[")
    assert canonical_text(did.result) in str(message["content"])


# D32: tools that the user called in their first turn were not executed, and the call was left without a result.


def test_defect_D32_what_the_user_does_in_the_first_answer_is_done_and_told() -> None:
    def act(_: str, hands: Hands) -> UserReply:
        hands.call("set_purchase_permission", {"allow": True})
        hands.call("top_up_wallet", {"amount": 3})
        return UserReply("")

    env = sample.environment(permissions=sample.permissions())
    assistant = Says([said("May I?"), said("Bye.")])
    trajectory = hold(assistant, Replies([act, THANKS]), env=env)
    assert [did.tool for did in acts(trajectory)] == ["set_purchase_permission", "top_up_wallet"]
    assert sample.done(env, "get_system_settings")["permissions"]["allow_purchase"] is True  # type: ignore[index,call-overload]
    text = str(assistant.seen[1][-1]["content"])
    assert all(f"[{did.tool}(" in text and canonical_text(did.result) in text for did in acts(trajectory))


def test_defect_D32_every_call_in_the_messages_has_its_result() -> None:
    turns = [
        called(("get_wallet", {}), ("get_cart", "{")),
        called(("nothing_of_this_name", {})),
        called(("top_up_wallet", {"amount": 1}), text="Let me."),
        said("Done."),
    ]
    messages: list[Any] = messages_of(hold(Says(turns), Replies([THANKS])))
    asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert asked == answered == [f"call_{number}" for number in range(1, 5)]


# D33: malformed arguments ended the whole conversation, and a prefixed call could lose its source.


@pytest.mark.parametrize("text", ["", " ", "{", "null", "[]", '"page"', "{'page': 1}", '{"page": NaN}', "page=1"])
def test_defect_D33_malformed_arguments_are_answered_and_the_conversation_goes_on(text: str) -> None:
    assistant = Says([called(("browse_items", text)), called(("browse_items", {"page": 1})), said("Done.")])
    trajectory = hold(assistant, Replies([THANKS]))
    assert codes(assistant) == [["INVALID_ARGUMENTS"], [""]]
    first = next(event for event in trajectory.events if isinstance(event, Did))
    assert (first.arguments, first.arguments_text) == (None, text)
    assert trajectory.end == "done"


@pytest.mark.parametrize("name", ["functions.get_cart", "get_cart.", "fitbit.get_cart", "fitbit.get_activity_plan", ""])
def test_defect_D33_a_name_with_a_dot_is_no_tool_and_no_source(name: str) -> None:
    assistant = Says([called((name, {})), called(("get_cart", {})), said("Done.")])
    assert hold(assistant, Replies([THANKS])).end == "done"
    assert codes(assistant) == [["UNKNOWN_TOOL"], [""]]


def test_defect_D33_a_prefixed_call_with_wrong_arguments_keeps_its_source() -> None:
    env = sample.environment(permissions=sample.permissions(raw_data=True))
    turns = [
        called(("get_source_features", {"source_name": "fitbit"})),
        called(("fitbit-get_activity_plan", "null")),
        called(("fitbit-get_activity_plan", {})),
        said("Done."),
    ]
    assistant = Says(turns)
    trajectory = hold(assistant, Replies([THANKS]), env=env)
    assert codes(assistant)[:2] == [[""], ["INVALID_ARGUMENTS"]]
    calls = [event for event in trajectory.events if isinstance(event, Did)]
    assert [call.tool for call in calls[1:]] == ["fitbit-get_activity_plan"] * 2
    assert "UNKNOWN_TOOL" not in codes(assistant)[2]


# D34: without a list of allowed tools, every registered tool could be called, discovered or not.


def test_defect_D34_no_tool_can_be_called_that_was_not_offered() -> None:
    known = [name for name, tool in installed_catalogue().tools.items() if tool.side == "assistant"]
    probe = Says([said("Hm.")])
    hold(probe, Replies([THANKS]))
    hidden = nonempty([name for name in known if name not in probe.tools[0]])
    assistant = Says([called(*((name, {}) for name in hidden)), said("Done.")])
    hold(assistant, Replies([THANKS]))
    assert set(codes(assistant)[0]) <= {"TOOL_NOT_AVAILABLE", "UNKNOWN_TOOL"}
    assert assistant.tools[1] == probe.tools[0]


def test_defect_D34_discovery_offers_tools_and_from_then_on_they_can_be_called() -> None:
    env = sample.environment(permissions=sample.permissions(raw_data=True))
    plan = ("fitbit-get_activity_plan", {})
    turns = [called(plan), called(("get_source_features", {"source_name": "fitbit"})), called(plan), said("Done.")]
    assistant = Says(turns)
    trajectory = hold(assistant, Replies([THANKS]), env=env)
    assert codes(assistant)[:2] == [["TOOL_NOT_AVAILABLE"], [""]]
    assert codes(assistant)[2] != ["TOOL_NOT_AVAILABLE"]
    assert [plan[0] in tools for tools in assistant.tools] == [False, False, True, True]
    (offer,) = [event for event in trajectory.events if isinstance(event, Offered)]
    assert {tool["function"]["name"] for tool in offer.tools} == set(assistant.tools[2]) - set(assistant.tools[1])  # type: ignore[index,call-overload]


# D35: guidance that the assistant was given was taken out of the prompt that was stored.


@pytest.mark.parametrize("answers", ["text", "tool"])
def test_defect_D35_the_stored_prompt_tools_and_messages_are_what_the_assistant_had(
    answers: Literal["text", "tool"],
) -> None:
    def act(_: str, hands: Hands) -> UserReply:
        hands.call("set_raw_data_permission", {"allow": True})
        return UserReply("You may.")

    turns = [
        called(("get_wallet", {})),
        said("May I look?"),
        called(("get_source_features", {"source_name": "fitbit"})),
        said("Done."),
    ]
    assistant = Says(turns)
    trajectory = hold(assistant, Replies([act, THANKS]), env=sample.environment(), answers=answers)
    stored = Trajectory.model_validate_json(trajectory.model_dump_json())
    messages = messages_of(stored)
    for seen in assistant.seen:
        assert seen[0] == {"role": "system", "content": stored.assistant.prompt}
        assert seen == messages[: len(seen)]
    offered = [tool["function"]["name"] for tool in json.loads(stored.tools_json)]
    assert offered == assistant.tools[0]
    later = [t["function"]["name"] for e in stored.events if isinstance(e, Offered) for t in e.tools]  # type: ignore[index,call-overload]
    assert sorted(offered + later) == sorted(assistant.tools[-1])


# D36: a conversation that ran out of rounds looked like one that had ended well.


@pytest.mark.parametrize(
    ("budget", "names"), [(Budget(turns=2), "2"), (Budget(calls=3), "3 tool calls"), (Budget(tokens=1), "1 tokens")]
)
def test_defect_D36_a_budget_that_ran_out_is_an_end_of_its_own(budget: Budget, names: str) -> None:
    turns = [turn for _ in range(9) for turn in (called(("get_cart", {})), said("Go on?"))]
    yes = UserReply("Yes.", usage=Usage(calls=1, output_tokens=1))
    trajectory = hold(Says(turns), Replies([yes] * 9), budget=budget)
    assert trajectory.end == "budget"
    assert names in trajectory.end_detail


def test_defect_D36_only_a_user_whose_request_is_met_makes_it_done() -> None:
    ends = {met: hold(Says([said("Done.")]), Replies([THANKS]), wish=Content(met=met)).end for met in (True, False)}
    assert ends == {True: "done", False: "user_stopped"}


# D40: conversations shared one profile, so that a rerun began where others had left it.


def spend(_: str, hands: Hands) -> UserReply:
    hands.call("set_purchase_permission", {"allow": True})
    hands.call("top_up_wallet", {"amount": 3})
    return UserReply("Done.")


def talk() -> tuple[Says, Replies]:
    return Says([said("Please."), called(("get_wallet", {})), said("Bye.")]), Replies([spend, THANKS])


def test_defect_D40_every_attempt_begins_at_the_start_of_the_task() -> None:
    task = some_task()
    first, second = (hold(*talk(), attempt=number) for number in range(2))
    assert first.start_hash == second.start_hash == task.start_hash
    assert first.end_hash == second.end_hash != task.start_hash
    assert second == first.changed({"attempt": 1, "trajectory_id": second.trajectory_id})


def test_defect_D40_conversations_at_the_same_time_do_not_meet() -> None:
    task = some_task()
    alone = hold(*talk())

    async def together() -> list[Trajectory]:
        talks = [(starts().open(task), *talk()) for _ in range(5)]
        return await asyncio.gather(*(converse(env, task, a, u, wish=Content()) for env, a, u in talks))

    assert asyncio.run(together()) == [alone] * 5
    assert open_start(task).state_hash() == task.start_hash
