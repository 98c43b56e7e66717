"""The messages of a trajectory are those that its assistant saw."""

from __future__ import annotations

import json

from generators.dialogue.messages import messages_of
from generators.dialogue.parts import Hands, UserReply
from schemas.trajectory import Budget, Trajectory
from tests.generators.dialogue.players import THANKS, Replies, Says, called, hold, said


def allow(_: str, hands: Hands) -> UserReply:
    hands.call("set_purchase_permission", {"allow": True})
    hands.call("top_up_wallet", {"amount": 3})
    return UserReply("There you go.")


def test_messages_are_what_the_assistant_saw() -> None:
    turns = [
        called(("get_wallet", {}), ("browse_items", {"page": 1}), text="One moment."),
        called(("list_cart", "{")),
        said(""),
        said("May I order?"),
        called(("get_wallet", {})),
        called(("get_wallet", {}), text="Again."),
        said("Done."),
    ]
    assistant = Says(turns)
    trajectory = hold(assistant, Replies([allow, THANKS]))
    stored = Trajectory.model_validate(json.loads(trajectory.model_dump_json()))
    for messages in (messages_of(trajectory), messages_of(stored)):
        last = {"role": "assistant", "content": "Done."}
        assert messages == [*assistant.seen[-1], last, {"role": "user", "content": "Thanks, bye."}]
        assert all(messages[: len(seen)] == seen for seen in assistant.seen)
    assert [m["role"] for m in messages_of(trajectory)] == [
        *("system", "user", "assistant", "tool", "tool", "assistant", "tool", "user", "assistant", "user"),
        *("assistant", "tool", "assistant", "tool", "assistant", "user"),
    ]


def test_a_conversation_that_ends_within_a_reply_is_rebuilt() -> None:
    assistant = Says([called(("get_wallet", {}), ("list_cart", {}), text="Hm."), said("Never.")])
    messages = messages_of(hold(assistant, Replies([]), budget=Budget(calls=1)))
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool"]
    assert messages[2]["content"] == "Hm."
