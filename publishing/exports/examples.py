"""A trajectory as a training example: whether it is one, its messages, and what is needed to carry it out again.

An example was scored and was ended by the user, so it is neither cut short nor unjudged. One to follow also passed,
calls no tool that was not offered, and gives no arguments that do not fit, unless on purpose, to show how to recover.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import orjson

from generators.dialogue.messages import in_users_turn, messages_of
from publishing.splits import index_of, split_of
from schemas.base import canonical_text
from schemas.trajectory import Confirmed, Did, Offered, Said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.base import Json
    from schemas.trajectory import EndReason, Event, Trajectory

Message = dict[str, "Json"]
FINISHED: frozenset[EndReason] = frozenset({"done", "user_stopped"})
"""Ends that cut nothing short."""
MISTAKE = "mistake"
"""Label of calls that go wrong on purpose, so that what follows shows how to recover."""
RECORD = (
    "trajectory_id",
    "task_id",
    "split",
    "assistant",
    "variant",
    "labels_json",
    "start_hash",
    "end_hash",
    "beside_json",
)
"""What stands beside the messages of an example, all of it text."""


@dataclass(frozen=True, slots=True)
class Example:
    """One conversation up to the last message of the assistant."""

    messages: list[Message]
    """Arguments of calls are objects, every content is text, ids of calls are `call00000`, `call00001`, …"""
    tools: list[Json]
    """All tools that were offered, those offered on the way last."""
    wrong: list[bool]
    """Whether a message makes a wrong call on purpose, so that only what follows is to be learnt."""
    record: dict[str, str]
    """See `RECORD`. `beside_json` lists what the user did, with the number of calls that the assistant had made before;
    `labels_json` gives messages, by index, the kind of turn that they are."""


def unfit(trajectory: Trajectory) -> str:
    """Return why a trajectory is an example of nothing; empty when it is one."""
    if trajectory.score is None:
        return "not scored"
    if trajectory.end not in FINISHED:
        return "not ended by the user"
    if any(did.arguments is None for did in _calls(trajectory)):
        return "with arguments that are no JSON object"
    return ""


def unfit_to_follow(trajectory: Trajectory) -> str:
    """Return why a trajectory is no example to follow; empty when it is one."""
    reason = unfit(trajectory)
    if reason or trajectory.score is None:
        return reason
    return _wrong_call(trajectory) if trajectory.score.passed else "not passed"


def example_of(trajectory: Trajectory) -> Example:
    """Return the example that a fit trajectory is. Raise ValueError when messages and events do not fit together."""
    messages = _until_last_word(messages_of(trajectory))
    record = {
        "trajectory_id": trajectory.trajectory_id,
        "task_id": trajectory.task_id,
        "split": split_of(index_of(trajectory.user_id)),
        "assistant": trajectory.assistant.name,
        "variant": trajectory.variant,
        "start_hash": trajectory.start_hash,
        "end_hash": trajectory.end_hash,
        "beside_json": canonical_text(_beside(trajectory)),
    }
    forms = _Forms(trajectory)
    made = forms.all(messages)
    record["labels_json"] = canonical_text(forms.labels)
    return Example(made, _tools(trajectory), forms.wrong, {name: record[name] for name in RECORD})


def error_code(did: Did) -> str:
    """Return the code of the error that a call returned; empty when it returned none."""
    error = did.result.get("error")
    return str(error.get("code", "")) if isinstance(error, dict) else ""


def tool_names(tools: Json) -> frozenset[str]:
    """Return the names in the `tools` list of a chat-completions request."""
    return frozenset(map(_name, cast("list[Json]", tools)))


def _calls(trajectory: Trajectory) -> Iterator[Did]:
    return (event for event in trajectory.events if isinstance(event, Did) and event.side == "assistant")


def _wrong_call(trajectory: Trajectory) -> str:
    offered = tool_names(orjson.loads(trajectory.tools_json))
    for event in trajectory.events:
        if isinstance(event, Offered):
            offered |= tool_names(event.tools)
        elif isinstance(event, Did) and event.side == "assistant":
            if event.tool not in offered:
                return "with a call of a tool that was not offered"
            if error_code(event) == "INVALID_ARGUMENTS" and event.label != MISTAKE:
                return "with arguments that do not fit"
    return ""


def _name(tool: Json) -> str:
    return str(cast("dict[str, dict[str, Json]]", tool)["function"]["name"])


def _tools(trajectory: Trajectory) -> list[Json]:
    tools = cast("list[Json]", orjson.loads(trajectory.tools_json))
    later = [tool for event in trajectory.events if isinstance(event, Offered) for tool in event.tools]
    return list({_name(tool): tool for tool in [*tools, *later]}.values())


def _beside(trajectory: Trajectory) -> list[Json]:
    """Return what the user did, in order: calls and confirmations, with the calls of the assistant before each.

    `shown` says whether a line of the messages tells of it.
    """
    found: list[Json] = []
    made = 0
    last = max((at for at, event in enumerate(trajectory.events) if _is_assistants(event)), default=-1)
    for at, event in enumerate(trajectory.events):
        if isinstance(event, Confirmed) or (isinstance(event, Did) and event.side == "user"):
            done: dict[str, Json] = {
                "after": made,
                "do": "confirm" if isinstance(event, Confirmed) else "call",
                "tool": event.tool,
                "arguments": event.arguments or {},
                "shown": at < last and in_users_turn(event),
            }
            found.append(done)
        elif isinstance(event, Did):
            made += 1
    return found


def _is_assistants(event: Event) -> bool:
    if isinstance(event, Did):
        return event.side == "assistant"
    return isinstance(event, Said) and event.by == "assistant" and bool(event.text)


def _until_last_word(messages: list[Message]) -> list[Message]:
    """Return the messages up to the last one of the assistant; what the user said then teaches nothing."""
    last = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    return messages[: last + 1]


class _Forms:
    """Brings messages into their one form, and finds the label of each among the events."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._calls = list(_calls(trajectory))
        self._said = (event for event in trajectory.events if isinstance(event, Said) and _is_assistants(event))
        self._made = 0
        self._ids: dict[str, tuple[str, str]] = {}
        self.labels: dict[str, Json] = {}
        self.wrong: list[bool] = []

    def all(self, messages: list[Message]) -> list[Message]:
        """Return the messages. Raise ValueError when the calls among them are not those of the events."""
        found = [self._form(message) for message in messages]
        if self._made != len(self._calls):
            msg = f"{len(self._calls)} calls were made, {self._made} stand in the messages"
            raise ValueError(msg)
        return found

    def _form(self, message: Message) -> Message:
        form: Message = {"role": message["role"], "content": message.get("content") or ""}
        label, wrong = "", False
        if message["role"] == "tool":
            form["tool_call_id"], form["name"] = self._ids[str(message["tool_call_id"])]
        elif message["role"] == "assistant":
            calls = cast("list[dict[str, Json]]", message.get("tool_calls") or [])
            if form["content"]:
                label = next(self._said).label
            if calls:
                made = self._calls[self._made : self._made + len(calls)]
                label = label or made[0].label
                wrong = any(did.label == MISTAKE and error_code(did) for did in made)
                form["tool_calls"] = [self._call(str(call["id"])) for call in calls]
        if label:
            self.labels[str(len(self.wrong))] = label
        self.wrong.append(wrong)
        return form

    def _call(self, given: str) -> Json:
        did = self._calls[self._made]
        name = f"call{self._made:05d}"
        self._ids[given] = (name, did.tool)
        self._made += 1
        # Arguments that are no object are in no example, see `unfit`.
        return {"id": name, "type": "function", "function": {"name": did.tool, "arguments": did.arguments or {}}}
