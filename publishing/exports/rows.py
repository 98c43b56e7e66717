"""The rows of each format: how an example is written, and the columns that hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import pyarrow as pa

from publishing.exports.examples import RECORD
from schemas.base import canonical_text

if TYPE_CHECKING:
    from publishing.exports.examples import Example, Message
    from publishing.exports.pairs import Pair
    from schemas.base import Json

Format = Literal["openai", "trl", "trl-preference"]
OF_ONE = ("assistant", "variant", "trajectory_id", "labels_json", "start_hash", "end_hash", "beside_json")
"""What of a record the two sides of a pair have each for themselves."""
OF_TASK = ("task_id", "split")
MESSAGES: dict[Format, tuple[str, ...]] = {
    "openai": ("messages",),
    "trl": ("messages",),
    "trl-preference": ("prompt", "chosen", "rejected"),
}
"""Columns with messages."""
SIDES = ("chosen", "rejected")


def openai_row(example: Example) -> dict[str, Json]:
    """Return an example as OpenAI's fine-tuning reads it: arguments as text, wrong calls not to be learnt.

    `metadata` holds text only, as OpenAI's own metadata does.
    """
    return {
        "messages": [_openai(message, wrong) for message, wrong in zip(example.messages, example.wrong, strict=True)],
        "tools": example.tools,
        "metadata": dict(example.record),
    }


def trl_row(example: Example) -> dict[str, Json]:
    """Return an example as TRL's SFT reads it: arguments as objects, tools as JSON text."""
    return {"messages": cast("Json", example.messages), "tools": canonical_text(example.tools), **example.record}


def preference_row(pair: Pair) -> dict[str, Json]:
    """Return a pair as TRL's preference trainers read it: what both have in common, and how each goes on."""
    chosen, rejected = pair.chosen, pair.rejected
    beside = {
        f"{side}_{name}": example.record[name]
        for side, example in (("chosen", chosen), ("rejected", rejected))
        for name in OF_ONE
    }
    return {
        "prompt": cast("Json", chosen.messages[: pair.common]),
        "chosen": cast("Json", chosen.messages[pair.common :]),
        "rejected": cast("Json", rejected.messages[pair.common :]),
        "tools": canonical_text(pair.tools),
        **{name: chosen.record[name] for name in OF_TASK},
        **beside,
    }


def columns(form: Format) -> pa.Schema:
    """Return the columns of a parquet format. Messages are of the Arrow type JSON, so that nothing is null-filled."""
    messages = [pa.field(name, pa.list_(pa.json_())) for name in MESSAGES[form]]
    beside = RECORD if form == "trl" else (*OF_TASK, *(f"{side}_{name}" for side in SIDES for name in OF_ONE))
    return pa.schema([*messages, *(pa.field(name, pa.string()) for name in ("tools", *beside))])


def _openai(message: Message, wrong: bool) -> Json:
    form = {name: value for name, value in message.items() if name not in ("name", "tool_calls")}
    if "tool_calls" in message:
        form["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": canonical_text(call["function"]["arguments"])}}
            for call in cast("list[dict[str, dict[str, Json]]]", message["tool_calls"])
        ]
    if wrong:
        form["weight"] = 0
    return form
