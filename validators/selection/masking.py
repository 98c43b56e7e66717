"""What a request says around the values of its slots: the text with each value replaced by its kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, cast

from language.matching import agree, find, plain_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from language.spans import Kind, Mention
    from schemas.base import Json

Tokens = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+")
_WORDED = ("term", "name", "text")
"""Kinds that are read with a vocabulary: the values that may stand in the text."""


class Stated(NamedTuple):
    """A value that a text states."""

    kind: str
    value: Json


def tokens(text: str) -> Tokens:
    """Return the words of a text: runs of letters and digits, in lower case."""
    return tuple(word.lower() for word in _WORD.findall(text))


def stated_values(task: Mapping[str, Json]) -> list[Stated]:
    """Return what the instruction of a task, given as JSON data, states: what is told at once, as first wished for."""
    change = cast("dict[str, Json]", cast("dict[str, Json]", task["script"])["change"] or {})
    first = cast("dict[str, Json]", change.get("first", {}))
    found: list[Stated] = []
    for use in cast("list[dict[str, Json]]", task["intents"]):
        for slot in cast("list[dict[str, Json]]", use["slots"]):
            name = f"{use['prefix']}{slot['name']}"
            if slot["told"] == "upfront":
                found.append(Stated(str(slot["kind"]), first.get(name, slot["value"])))
    return found


def masked(text: str, values: Sequence[Stated], today: str = "") -> Tokens:
    """Return the words of a text with each of the values that it states replaced by the name of its kind.

    Periods that are said from where the user stands ("last month") are known only with `today`, an ISO date.
    """
    vocabulary = tuple(sorted({v.value for v in values if v.kind in _WORDED and isinstance(v.value, str)}))
    spans = [(m.start, m.end, v.kind) for v in values for m in _mentions(text, v, vocabulary, today)]
    parts: list[str] = []
    at = 0
    # The longest of overlapping spans wins, so a date inside a period is masked once.
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if start >= at:
            parts += (text[at:start], f" {kind.replace('_', '')} ")
            at = end
    return tokens("".join((*parts, text[at:])))


def masked_instruction(task: Mapping[str, Json], today: str) -> Tokens:
    """Return the masked words of the instruction of a task, given as JSON data."""
    return masked(str(task["instruction"]), stated_values(task), today)


def _mentions(text: str, said: Stated, vocabulary: tuple[str, ...], today: str) -> Iterator[Mention]:
    kind = cast("Kind", said.kind)
    try:
        plain_value(said.value)
    except ValueError:
        return  # no text states such a value; that a slot holds it is for the checks on the task to say
    yield from (m for m in find(kind, text, vocabulary, today) if agree(kind, m.value, said.value))
