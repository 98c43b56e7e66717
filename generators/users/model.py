"""A user played by a model and held to its script: what breaks it is mended once, or else is a fault.

What it may do is decided here, as for a scripted user; what it may say is decided by a check that is passed in. A
conversation in which the model breaks its script says nothing about the assistant, and is never scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.dialogue.arguments import InvalidArguments, read_arguments
from generators.dialogue.messages import PLATFORM
from generators.dialogue.parts import Unreachable, UserFault, UserReply
from generators.users.card import card_of
from generators.users.model_acts import Acts
from generators.users.model_prompt import user_prompt
from generators.users.reading import ears_of, read
from generators.users.scripted import MOST_WAITS
from generators.users.sentences import is_promise
from language import mentions
from llm.errors import BadOutput, Fatal
from schemas.base import canonical_text
from schemas.models import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.dialogue.parts import Hands, Message, Plausible, Wish
    from generators.users.facts import Fact
    from generators.users.reading import Asked
    from llm.client import ModelClient
    from llm.reply import Reply, ToolCall
    from schemas.base import Json
    from schemas.task import Task
    from schemas.trajectory import Elicited
    from services.runtime.catalogue import Catalogue

END = "end_conversation"
YES = "say_yes"
MOST_STEPS = 8
"""Replies of the model in one turn."""
MOST_IDLE = 1
"""Answers in a row to a final report, after which the conversation is over whether or not the model ends it."""
EARLY = "the assistant is not done or asks you something: answer before you end"
OF_THE_MODEL = frozenset({"context_window", "content_policy"})
_NO_ARGUMENTS: Mapping[str, Json] = {"type": "object", "properties": {}, "additionalProperties": False}


def _own_tool(name: str, description: str) -> dict[str, Json]:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": dict(_NO_ARGUMENTS)},
    }


OWN_TOOLS = (
    _own_tool(YES, "Say yes to the action that the assistant has asked you to confirm."),
    _own_tool(END, "End the conversation after the assistant's final message."),
)


class ModelUser:
    """The user of one conversation. Implements `generators.dialogue.parts.User`."""

    def __init__(
        self,
        client: ModelClient,
        task: Task,
        now: str,
        catalogue: Catalogue,
        wish: Wish,
        plausible: Plausible,
        *,
        repeat: int = 0,
    ) -> None:
        """Play the user of `task` with `client`; `plausible` says what is wrong with a message."""
        self._client, self._plausible, self._repeat = client, plausible, repeat
        self._card = card_of(task, now)
        self._ears = ears_of(catalogue)
        self._acts = Acts(self._card, catalogue, wish)
        self._tools = [*(tool.openai() for tool in catalogue.offered("user", frozenset())), *OWN_TOOLS]
        self._out: set[str] = set()
        """Facts told on the way."""
        self._changed = False
        """Whether the user has changed their mind."""
        self._waits = 0
        """Announcements that the user has waited for."""
        self._idle = 0
        """Answers in a row to messages that ask nothing."""
        self.name = client.choice.model
        self.prompt = user_prompt(self._card, catalogue)
        self._own: list[Message] = [
            {"role": "system", "content": self.prompt},
            {"role": "assistant", "content": task.instruction},
        ]
        """The conversation as the model has it: the assistant is its user."""
        self._talk: list[Message] = [{"role": "user", "content": task.instruction}]
        """The conversation as others have it."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What is sent beside messages and tools."""
        return self._client.choice.asked

    async def reply(self, text: str, hands: Hands) -> UserReply:
        """Answer a message of the assistant. Raise UserFault or Unreachable."""
        self._own.append({"role": "user", "content": text})
        self._talk.append({"role": "assistant", "content": text})
        heard = read(text, self._card.facts, self._ears)
        asked = [one for one in heard if not one.conditional]
        self._acts.begin(asked, [one for one in heard if one.conditional], hands)
        usage, mended, words = Usage(), False, ""
        for _ in range(MOST_STEPS):
            reply = await self._asked()
            usage = usage.plus(reply.usage)
            words = reply.text if reply.text.strip() else words
            stop = any(call.name == END for call in reply.tool_calls)
            faults = self._do(reply, hands) if reply.tool_calls else []
            if not faults and reply.tool_calls and not stop:
                continue
            faults = faults or self._faults(words, text, asked, stop=stop)
            if not faults:
                return self._said(words, text, asked, usage, hands, stop=stop)
            if mended:
                raise UserFault(f"the model that plays the user breaks its script: {'; '.join(faults)}")
            if not reply.tool_calls:
                self._own.append({"role": "assistant", "content": reply.text})
            self._own.append({"role": "user", "content": f"{PLATFORM}Not like that: {'; '.join(faults)}. Again."})
            mended, words = True, ""
        raise UserFault(f"the model that plays the user does not come to an answer in {MOST_STEPS} steps")

    def agrees(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> bool:
        """Return whether a call that the user said yes to in words before is one that they want."""
        del hands
        return self._acts.agrees(tool, arguments)

    async def _asked(self) -> Reply:
        try:
            return await self._client.chat(self._own, tools=self._tools, repeat=self._repeat)
        except Fatal as error:
            failure = UserFault if error.kind in OF_THE_MODEL else Unreachable
            raise failure(str(error)) from error
        except BadOutput as error:
            raise UserFault(str(error)) from error

    def _do(self, reply: Reply, hands: Hands) -> list[str]:
        """Carry out what the model calls, and return what it must not do."""
        calls: list[Json] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.tool_calls
        ]
        self._own.append({"role": "assistant", "content": reply.text or None, "tool_calls": calls})
        faults: list[str] = []
        for call in reply.tool_calls:
            result, fault = self._done(call, hands)
            faults += [fault] if fault else []
            self._own.append({"role": "tool", "tool_call_id": call.id, "content": canonical_text(result)})
        return faults

    def _done(self, call: ToolCall, hands: Hands) -> tuple[dict[str, Json], str]:
        """Return the result of one call, and what is wrong with it."""
        if call.name == END:
            return {"ended": True}, ""
        try:
            arguments = {} if call.name == YES else read_arguments(call.arguments)
        except InvalidArguments as error:
            return {"error": {"code": "INVALID_ARGUMENTS", "message": str(error)}}, ""
        fault = self._acts.yes(hands) if call.name == YES else self._acts.fault(call.name, arguments)
        if fault:
            return {"error": {"code": "NOT_YOUR_WISH", "message": fault}}, fault
        if call.name == YES:
            return {"confirmed": True}, ""
        result = self._acts.do(call.name, arguments, hands)
        self._talk.append({"role": "tool", "content": canonical_text(result)})
        return result, ""

    def _faults(self, said: str, heard: str, asked: Sequence[Asked], *, stop: bool) -> list[str]:
        """Return what is wrong with the end of a turn."""
        if not said.strip():
            return [EARLY] if stop and self._is_early(heard, asked) else [] if stop else ["say something"]
        faults = self._plausible(said, self._talk)
        if stop and self._is_early(heard, asked):
            return [EARLY, *faults]
        return [*faults, *self._acts.faults(said), *self._change_faults(said)]

    def _is_early(self, heard: str, asked: Sequence[Asked]) -> bool:
        """Return whether a message leaves something for the user to answer or wait for."""
        return bool(asked) or (is_promise(heard) and self._waits < MOST_WAITS)

    def _change_faults(self, said: str) -> list[str]:
        """Return what is wrong with when the user says that they changed their mind."""
        change = self._card.script.change
        if change is None or self._changed:
            return []
        now = self._acts.decided(said).get(change.gate, False)
        told = [self._tells(said, self._card.facts.by_name[name], changed=True) for name in change.first]
        if now and not all(told):
            return [f"you change your mind now: say {change.message!r}"]
        return ["you change your mind only when you give the consent"] if not now and any(told) else []

    def _said(
        self, text: str, heard: str, asked: Sequence[Asked], usage: Usage, hands: Hands, *, stop: bool
    ) -> UserReply:
        """Return the answer, with what it tells and decides."""
        answered = self._acts.decided(text)
        told = self._told(text, {name for one in asked for name in one.slots}, answered)
        self._waits += is_promise(heard)
        self._idle = 0 if asked or told or hands.pending or is_promise(heard) else self._idle + 1
        stop = stop or self._idle > MOST_IDLE
        if stop:
            self._acts.take_back(hands)
        self._own.append({"role": "assistant", "content": text})
        self._talk.append({"role": "user", "content": text})
        return UserReply(text, stop=stop, told=told, answered=answered, usage=usage)

    def _told(self, text: str, asked: set[str], answered: Mapping[str, bool]) -> dict[str, Elicited]:
        """Return the facts that a message tells."""
        found: dict[str, Elicited] = {}
        change = self._card.script.change
        if change is not None and not self._changed and answered.get(change.gate, False):
            self._changed = True
            found.update(dict.fromkeys(change.first, "change"))
            self._out.update(change.first)
        for fact in self._card.facts.all:
            new = fact.kept_back and fact.name not in self._out
            if new and self._tells(text, fact, changed=self._changed):
                self._out.add(fact.name)
                found[fact.name] = "active" if fact.name in asked else "passive"
        return found

    def _tells(self, text: str, fact: Fact, *, changed: bool) -> bool:
        value = self._card.value(fact, changed=changed)
        return mentions(text, fact.slot.kind, value, _words(value), self._card.today)


def _words(value: Json) -> Sequence[str]:
    return (value,) if isinstance(value, str) else ()
