"""What a model is asked that rewrites the request of a task, and what it is told where its text cannot be used."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from language.matching import find, plain_value
from schemas.base import Json, canonical_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from language import Kind
    from schemas.task import Task

SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {"instruction": {"type": "string", "minLength": 1, "maxLength": 4_000}},
    "required": ["instruction"],
    "additionalProperties": False,
}
"""Of the reply."""
_WORDED = ("term", "name", "text")


class _Texts(BaseModel):
    """The data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    rules: list[str]
    styles: dict[str, str]
    heads: dict[str, str]


@cache
def _texts() -> _Texts:
    return _Texts.model_validate(read_yaml("generators.tasks", "rewriting.yaml"))


def rewriting_messages(task: Task, today: str) -> list[dict[str, Json]]:
    """Return the messages that ask for another wording of the request of a task, made on the day `today`."""
    texts = _texts()
    system = "\n".join([texts.role, texts.styles[task.script.style], "", *(f"- {rule}" for rule in texts.rules)])
    facts = list(dict.fromkeys(_facts(task, today)))
    lines = [texts.heads["request"], *(f"> {line}" for line in task.instruction.splitlines())]
    if facts:
        lines += ["", texts.heads["facts"], *(f"- {fact}" for fact in facts)]
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(lines)}]


def repair_messages(instruction: str, reasons: str) -> list[dict[str, Json]]:
    """Return the messages that ask for a text again, with what is wrong with the last one."""
    asked = _texts().heads["again"].replace("{reasons}", reasons)
    return [
        {"role": "assistant", "content": canonical_text({"instruction": instruction})},
        {"role": "user", "content": asked},
    ]


def _facts(task: Task, today: str) -> Iterator[str]:
    """Yield what the request states, as it stands there."""
    change = task.script.change
    first = change.first if change is not None else {}
    told = [(use.prefix + slot.name, slot) for use in task.intents for slot in use.slots if slot.told == "upfront"]
    values: list[tuple[Kind, Json]] = [(slot.kind, first.get(name, slot.value)) for name, slot in told]
    vocabulary = tuple(sorted({str(value) for kind, value in values if kind in _WORDED}))
    for kind, value in values:
        if kind == "bool":
            continue
        meant = plain_value(value)
        for mention in find(kind, task.instruction, vocabulary, today):
            if mention.value == meant:
                yield task.instruction[mention.start : mention.end]
