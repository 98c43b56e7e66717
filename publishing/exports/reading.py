"""Reading an exported row back: the calls in it, carried out again at the start of its task.

A row of any format is enough, beside the task and its environment: the assistant's calls and all results stand in the
messages, what the user did in `beside_json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import orjson

from generators.dialogue.messages import act_line
from generators.dialogue.report import NAME as REPORT
from generators.dialogue.report import reported
from publishing.exports.examples import tool_names
from publishing.exports.rows import OF_ONE, OF_TASK, SIDES
from schemas.base import canonical_text
from schemas.trajectory import Confirmed, Did

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from publishing.exports.rows import Format
    from schemas.base import Json
    from services.runtime.environment import Environment

    Starts = Callable[[str], Environment]
    """Opens an environment at the start of the task with an id. Raises LookupError when there is no such task."""


class Conversation(NamedTuple):
    """One conversation of a row."""

    messages: list[Mapping[str, Json]]
    tools: Json
    """All tools that were offered, or the JSON text of them."""
    record: Mapping[str, str]


class Step(NamedTuple):
    """Something that was done in a conversation."""

    do: str
    """`call`, or `confirm` for the user's yes to a call."""
    side: str
    tool: str
    arguments: dict[str, Json]
    result: str
    """Canonical JSON of what the assistant saw; empty for what the user did."""
    shown: bool = False
    """Whether the messages tell of what the user did."""


def conversations(form: Format, row: Mapping[str, Json]) -> list[Conversation]:
    """Return the conversations of a row: two of a pair, else one. Raise KeyError when it lacks a column."""
    if form == "openai":
        return [Conversation(_messages(row, "messages"), row["tools"], cast("dict[str, str]", row["metadata"]))]
    if form == "trl":
        return [Conversation(_messages(row, "messages"), row["tools"], cast("Mapping[str, str]", row))]
    prompt = _messages(row, "prompt")
    return [Conversation([*prompt, *_messages(row, side)], row["tools"], _record(row, side)) for side in SIDES]


def check_row(form: Format, row: Mapping[str, Json], starts: Starts) -> str:
    """Return what is different when the conversations of a row are carried out again; empty when nothing is."""
    for conversation in conversations(form, row):
        problem = check(conversation, starts(conversation.record["task_id"]))
        if problem:
            return f"{conversation.record['trajectory_id']}: {problem}"
    return ""


def check(conversation: Conversation, env: Environment) -> str:
    """Return what is different when a conversation is carried out in `env`; empty when nothing is."""
    record = conversation.record
    if env.state_hash() != record["start_hash"]:
        return "the task starts in another state"
    told = (line for m in conversation.messages if m["role"] == "user" for line in str(m["content"]).split("\n"))
    platform = frozenset({REPORT}) & tool_names(_parsed(conversation.tools))
    for number, step in enumerate(steps_of(conversation)):
        wanted, result = step.result, _do(step, env, platform)
        if wanted and wanted != canonical_text(result):
            return f"step {number}, {step.tool}, returns something else"
        if step.shown and _line(step, result) not in told:
            return f"step {number}, {step.tool}, is not told as it happens"
    return "" if env.state_hash() == record["end_hash"] else "it ends in another state"


def _do(step: Step, env: Environment, platform: frozenset[str]) -> dict[str, Json]:
    """Carry out a step and return its result; `platform` are the tools that no environment has."""
    if step.do == "confirm":
        env.confirm(step.tool, step.arguments)
        return {}
    if step.tool in platform:
        return reported(step.arguments)
    return env.call(step.tool, step.arguments, "user" if step.side == "user" else "assistant")


def _line(step: Step, result: dict[str, Json]) -> str:
    if step.do == "confirm":
        return act_line(Confirmed(turn=0, tool=step.tool, arguments=step.arguments))
    return act_line(
        Did(
            turn=0,
            side="user",
            call_id="",
            tool=step.tool,
            arguments_text="",
            arguments=step.arguments,
            result=result,
            state_hash="",
        )
    )


def steps_of(conversation: Conversation) -> Iterator[Step]:
    """Yield what was done, in order. Raise ValueError when arguments are no JSON object or a result is missing."""
    beside = cast("list[dict[str, Json]]", orjson.loads(conversation.record["beside_json"]))
    results = {str(m["tool_call_id"]): str(m["content"]) for m in conversation.messages if m["role"] == "tool"}
    calls = [
        call
        for message in conversation.messages
        for call in cast("list[dict[str, Json]]", message.get("tool_calls") or [])
    ]
    for made in range(len(calls) + 1):
        for act in (act for act in beside if act["after"] == made):
            shown = act["shown"] is True
            yield Step(str(act["do"]), "user", str(act["tool"]), _object(act["arguments"]), "", shown)
        if made < len(calls):
            function = cast("dict[str, Json]", calls[made]["function"])
            result = results[str(calls[made]["id"])]
            yield Step("call", "assistant", str(function["name"]), _object(function["arguments"]), result)


def _parsed(value: Json) -> Json:
    return orjson.loads(value) if isinstance(value, str) else value


def _object(arguments: Json) -> dict[str, Json]:
    found = _parsed(arguments)
    if not isinstance(found, dict):
        msg = f"arguments are {found!r}, no object"
        raise ValueError(msg)
    return cast("dict[str, Json]", found)


def _messages(row: Mapping[str, Json], column: str) -> list[Mapping[str, Json]]:
    """Return a column with messages, each an object or, as parquet holds it, the JSON text of one."""
    found = cast("Sequence[Json]", row[column])
    return [cast("Mapping[str, Json]", _parsed(message)) for message in found]


def _record(row: Mapping[str, Json], side: str) -> dict[str, str]:
    own = {name: cast("str", row[f"{side}_{name}"]) for name in OF_ONE}
    return {**own, **{name: cast("str", row[name]) for name in OF_TASK}}
