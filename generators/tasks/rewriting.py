"""What a model is asked that rewrites the request of a task, and what it is told where its text cannot be used."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from generators.rewriting import Heads, Messages, first_messages, further_messages
from language.matching import find, plain_value
from schemas.base import Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from language import Kind
    from schemas.task import Task

FIELD = "instruction"
"""Of the reply."""
_WORDED = ("term", "name", "text")


class _Texts(BaseModel):
    """The data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    rules: list[str]
    styles: dict[str, str]
    heads: Heads


@cache
def _texts() -> _Texts:
    return _Texts.model_validate(read_yaml("generators.tasks", "rewriting.yaml"))


def rewriting_messages(task: Task, today: str) -> Messages:
    """Return the messages that ask for another wording of the request of a task, made on the day `today`."""
    texts = _texts()
    system = "\n".join([texts.role, texts.styles[task.script.style], "", *(f"- {rule}" for rule in texts.rules)])
    return first_messages(system, texts.heads, task.instruction, _facts(task, today))


def repair_messages(instruction: str, reasons: str) -> Messages:
    """Return the messages that ask for a text again, with what is wrong with the last one."""
    return further_messages(_texts().heads, FIELD, instruction, reasons)


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
