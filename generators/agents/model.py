"""An assistant played by a model: it gets the conversation and the tools, and what it answers is its turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from generators.dialogue.parts import AssistantFailed, AssistantTurn, CallRequest, Unreachable
from llm.errors import BadOutput, Fatal
from schemas.base import canonical_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.dialogue.parts import AssistantView, Message
    from llm.client import ModelClient
    from llm.reply import Reply
    from schemas.base import Json

Actions: TypeAlias = Literal["native", "json"]
"""How a model calls tools: as tool calls of its interface, or as a JSON object in its text."""
OF_THE_MODEL = frozenset({"context_window", "content_policy"})
"""Failures of a call that are the model's own: it cannot go on with this conversation."""
ACTION: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "say": {"type": "string"},
        "calls": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["say", "calls"],
    "additionalProperties": False,
}
"""A turn as JSON: a message to the user, or calls."""
_HOW = (
    'Answer with one JSON object and nothing else: {"say": "…", "calls": []} to write to the user, or'
    ' {"say": "", "calls": [{"tool": "…", "arguments": {…}}]} to call tools. The tools, with the JSON'
    " Schema of their arguments:\n"
)


class ModelAssistant:
    """The model of one conversation. Implements `generators.dialogue.parts.Assistant`."""

    declared = None

    def __init__(self, client: ModelClient, *, repeat: int = 0, actions: Actions = "native") -> None:
        """Play with `client`; `repeat` tells attempts at one task apart, so that each is asked for anew."""
        self._client = client
        self._repeat = repeat
        self._actions: Actions = actions
        self.name = client.choice.model

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What is sent beside messages and tools."""
        return {**self._client.choice.asked, "actions": self._actions}

    async def turn(self, view: AssistantView) -> AssistantTurn:
        """Return what the model does next. Raise AssistantFailed or Unreachable."""
        try:
            reply = await self._asked(view)
        except Fatal as error:
            failure = AssistantFailed if error.kind in OF_THE_MODEL else Unreachable
            raise failure(str(error)) from error
        except BadOutput as error:
            raise AssistantFailed(str(error)) from error
        if self._actions == "json":
            return _acted(reply, len(view.messages))
        calls = tuple(CallRequest(call.id, call.name, call.arguments) for call in reply.tool_calls)
        return AssistantTurn(reply.text, calls, usage=reply.usage)

    async def _asked(self, view: AssistantView) -> Reply:
        if self._actions == "native":
            tools = cast("Sequence[Mapping[str, Json]]", view.tools)
            return await self._client.chat(view.messages, tools=tools, repeat=self._repeat)
        return await self._client.chat(_in_text(view), schema=ACTION, repeat=self._repeat)


def _in_text(view: AssistantView) -> list[Message]:
    """Return the conversation for a model that knows no tool calls: tools in the prompt, calls and results as text."""
    offered = [cast("dict[str, Json]", tool)["function"] for tool in view.tools]
    first, *rest = view.messages
    found: list[Message] = [{"role": "system", "content": f"{first['content']}\n{_HOW}{canonical_text(offered)}"}]
    for message in rest:
        if message["role"] == "tool":
            found.append({"role": "user", "content": f"[Result] {message['content']}"})
        elif message.get("tool_calls"):
            made = [cast("dict[str, Json]", call)["function"] for call in cast("list[Json]", message["tool_calls"])]
            calls = [
                {"tool": one["name"], "arguments": one["arguments"]} for one in cast("list[dict[str, Json]]", made)
            ]
            found.append({"role": "assistant", "content": canonical_text({"say": "", "calls": calls})})
        else:
            found.append(message)
    return found


def _acted(reply: Reply, number: int) -> AssistantTurn:
    """Return the turn that a JSON object states."""
    data = cast("dict[str, Json]", reply.data)
    calls = [
        CallRequest(f"json_{number}_{at}", str(call["tool"]), canonical_text(call["arguments"]))
        for at, call in enumerate(cast("list[dict[str, Json]]", data["calls"]))
    ]
    return AssistantTurn(str(data["say"]), tuple(calls), usage=reply.usage)
