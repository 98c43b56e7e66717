"""The chat messages that an assistant sees, made from events. What a trajectory records gives them back exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import canonical_text
from schemas.trajectory import Confirmed, Did, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generators.dialogue.parts import Message
    from schemas.base import Json
    from schemas.trajectory import Event, Trajectory

PLATFORM = "[Platform] "
"""Begins what the platform says: it has no role of its own in chat completions, and stands where a user would."""


def messages_of(trajectory: Trajectory) -> list[Message]:
    """Return the conversation as the assistant had it, from the system prompt on.

    Words with which the user ends it are the last message, although no turn of the assistant followed.
    """
    return [system_message(trajectory.assistant.prompt), *messages_from(trajectory.events)]


def messages_from(events: Iterable[Event]) -> list[Message]:
    """Return the messages that events make, the system prompt aside."""
    found: list[Message] = []
    said = ""
    calls: list[Did] = []
    acts: list[Did | Confirmed] = []

    def close() -> None:
        """End what the assistant said or called last."""
        nonlocal said, calls
        if calls:
            found.extend(call_messages(said, calls))
        elif said:
            found.append(assistant_message(said))
        said, calls = "", []

    for event in events:
        if isinstance(event, Did) and event.side == "assistant":
            if calls and (event.turn, event.reply) != (calls[-1].turn, calls[-1].reply):
                close()
            calls.append(event)
        elif isinstance(event, Did) or (isinstance(event, Confirmed) and in_users_turn(event)):
            acts.append(event)
        elif isinstance(event, Said):
            close()
            if event.by == "assistant":
                said = event.text
            elif event.by == "user":
                found.append(user_message(event.text, acts))
                acts = []
            else:
                found.append(platform_message(event.text))
    close()
    return found


def in_users_turn(event: Event) -> bool:
    """Return whether an event belongs to a turn of the user: theirs are the even ones, the request being turn 0."""
    return event.turn % 2 == 0


def system_message(prompt: str) -> Message:
    """Return the first message."""
    return {"role": "system", "content": prompt}


def assistant_message(text: str) -> Message:
    """Return what the assistant said to the user."""
    return {"role": "assistant", "content": text}


def call_messages(text: str, calls: Sequence[Did]) -> list[Message]:
    """Return a reply with calls and, after it, what each of them returned."""
    asked: list[Json] = [
        {"id": c.call_id, "type": "function", "function": {"name": c.tool, "arguments": c.arguments_text}}
        for c in calls
    ]
    reply: Message = {"role": "assistant", "content": text or None, "tool_calls": asked}
    results: list[Message] = [
        {"role": "tool", "tool_call_id": c.call_id, "content": canonical_text(c.result)} for c in calls
    ]
    return [reply, *results]


def user_message(text: str, acts: Sequence[Did | Confirmed]) -> Message:
    """Return what the user said, with a line for everything that they did before: the assistant is told truthfully."""
    lines = [act_line(act) for act in acts]
    return {"role": "user", "content": "\n".join([text, *lines] if text else lines)}


def act_line(act: Did | Confirmed) -> str:
    """Return one act of the user's as the assistant reads it."""
    given = ", ".join(f"{name}={canonical_text(value)}" for name, value in sorted((act.arguments or {}).items()))
    if isinstance(act, Confirmed):
        return f"[confirmed: {act.tool}({given})]"
    return f"[{act.tool}({given}) -> {canonical_text(act.result)}]"


def platform_message(text: str) -> Message:
    """Return what the platform tells the assistant."""
    return {"role": "user", "content": PLATFORM + text}
