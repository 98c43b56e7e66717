"""What is wrong with a message of a simulated user: an invented value, a fact told unasked, planning, another role.

Each rule is decided by the words alone. What a message states must stand in the request, in what the user knows or in
what the assistant has said; wording is free.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from language import agree, find, mentions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from language import Kind
    from schemas.base import Json
    from schemas.task import Slot, Task

LONGEST = 1_500
"""Characters that nobody types in one message to an assistant."""
VALUES: tuple[Kind, ...] = ("money_cents", "count", "percent", "date", "period")
"""Kinds of values that must come from somewhere."""
SMALL = 2
"""Counts up to this are said without meaning anything by it: one moment, two things."""
_ID = re.compile(r"\b[a-z]{1,12}_(?=[0-9a-f]*\d)[0-9a-f]{6,}\b")
_CALL = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b", re.IGNORECASE)
_ASSISTANT = re.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)|as an ai\b|as your assistant|is there anything else i can"
    r"|i(?:['\u2019]ll| will| can) (?:look (?:that|it|this) up|check (?:that|it|this) for you|place the order"
    r"|add (?:it|them) to your))",
    re.IGNORECASE,
)
_MARKS = re.compile(r"###|<\|?(?:stop|end)|\[platform\]|->\s*\{|\btool_calls?\b|```", re.IGNORECASE)
_ASKS = re.compile(
    r"\?|\b(?:tell|let me know|specify|clarify|provide|share|confirm|please|say|need|require|missing|unclear)\b",
    re.IGNORECASE,
)
"""What no message lacks that asks for something."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Talk:
    """A task and its vocabulary, as far as its user's messages are concerned."""

    task: Task
    today: str
    tools: frozenset[str]
    """Names of all tools."""
    names: tuple[str, ...] = ()
    """Proper names of the world, such as products."""
    known: tuple[Slot, ...] = field(init=False)
    """What the user knows, under its full names."""

    def __post_init__(self) -> None:
        """Gather what the user knows."""
        slots = (
            slot.model_copy(update={"name": use.prefix + slot.name})
            for use in self.task.intents
            for slot in use.slots
            if slot.told != "by_part"
        )
        object.__setattr__(self, "known", tuple(slots))

    @cached_property
    def change_text(self) -> str:
        """What the user says on changing their mind; empty where they do not."""
        change = self.task.script.change
        return "" if change is None else change.message


def message_faults(talk: Talk, message: str, before: Sequence[Mapping[str, Json]]) -> list[str]:
    """Return what is wrong with a message after the chat messages `before`, one sentence each.

    Messages of the role `tool` are results of the user's own tools.
    """
    heard, said = _all(before, "assistant"), _all(before, "user")
    last = next((str(one["content"]) for one in reversed(before) if one["role"] == "assistant"), "")
    faults = [
        *_form(message),
        *_planning(talk, message, heard),
        *_invented(talk, message, (heard, said, talk.task.instruction, talk.change_text, _all(before, "tool"))),
        *_unasked(talk, message, last, said),
    ]
    return list(dict.fromkeys(faults))


def _all(before: Sequence[Mapping[str, Json]], role: str) -> str:
    return " \n".join(str(one["content"]) for one in before if one["role"] == role and one.get("content"))


def _form(message: str) -> Iterator[str]:
    if len(message) > LONGEST:
        yield f"the message is longer than {LONGEST} characters"
    if _MARKS.search(message):
        yield "the message holds a mark that no person writes"
    if _ASSISTANT.search(message):
        yield "you speak as the assistant"


def _planning(talk: Talk, message: str, heard: str) -> Iterator[str]:
    """Yield names of tools and records that a user knows only from the assistant."""
    for name in dict.fromkeys(_CALL.findall(message)):
        if name.lower() in talk.tools and name not in heard:
            yield f"you name the tool {name}"
    for name in dict.fromkeys(_ID.findall(message)):
        if name not in heard:
            yield f"you name the record {name}, which nobody has told you"


def _invented(talk: Talk, message: str, sources: Sequence[str]) -> Iterator[str]:
    """Yield values and names that come from nowhere; the last of `sources` are results of tools."""
    shown = {float(number) for number in _NUMBER.findall(sources[-1])}
    for kind in VALUES:
        for mention in find(kind, message, talk.names, talk.today):
            value = mention.value
            if isinstance(value, int) and (value / 100 if kind == "money_cents" else value) in shown:
                continue
            if kind == "count" and isinstance(value, int) and value <= SMALL:
                continue
            if not _is_known(talk, kind, value) and not any(_states(talk, kind, value, text) for text in sources):
                yield f"you invent {message[mention.start : mention.end]!r}"
    own = [str(slot.value) for slot in talk.known if slot.kind in ("name", "term", "text")]
    for mention in find("name", message, talk.names):
        name = str(mention.value)
        if not any(mentions(text, "name", name, talk.names) for text in (*own, *sources)):
            yield f"you invent {name!r}"


def _is_known(talk: Talk, kind: Kind, value: object) -> bool:
    change = talk.task.script.change
    first = change.first if change is not None else {}
    values = [one for slot in talk.known if slot.kind == kind for one in (slot.value, first.get(slot.name, slot.value))]
    ends = [day for slot in talk.known if slot.kind == "period" and isinstance(slot.value, list) for day in slot.value]
    return any(agree(kind, value, one) for one in (*values, *(ends if kind == "date" else [])))


def _states(talk: Talk, kind: Kind, value: object, text: str) -> bool:
    said = [one.value for one in find(kind, text, talk.names, talk.today)] if text else []
    if kind == "date":
        # A day of the year is meant in the year of which somebody spoke.
        return any(str(one)[5:] == str(value)[5:] for one in said)
    return any(agree(kind, one, value) for one in said)


def _unasked(talk: Talk, message: str, last: str, said: str) -> Iterator[str]:
    """Yield facts that are kept back and told although nobody asked anything."""
    if _ASKS.search(last):
        return
    for slot in talk.known:
        if slot.told != "on_request":
            continue
        words = (*talk.names, str(slot.value)) if slot.kind in ("term", "name", "text") else talk.names
        if mentions(message, slot.kind, slot.value, words, talk.today) and not mentions(
            said, slot.kind, slot.value, words, talk.today
        ):
            yield f"you tell {slot.name.replace('_', ' ')} although nobody has asked"
