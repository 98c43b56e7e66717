"""What every model is asked alike that puts a text in other words: the form of its reply, and how it is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from schemas.base import Json, canonical_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Messages = list[dict[str, Json]]


class Heads(BaseModel):
    """Lines above the parts of what a model is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    """Above the text as it is."""
    facts: str
    """Above what must stand in the new one."""
    again: str
    """Asks once more; holds `{reasons}`."""


def reply_schema(field: str) -> Mapping[str, Json]:
    """Return the JSON Schema of a reply, whose text stands in `field`."""
    return {
        "type": "object",
        "properties": {field: {"type": "string", "minLength": 1, "maxLength": 4_000}},
        "required": [field],
        "additionalProperties": False,
    }


def first_messages(system: str, heads: Heads, text: str, facts: Iterable[str]) -> Messages:
    """Return the messages that ask for another wording of `text`, which states `facts`, each as it is written there."""
    lines, listed = [heads.text, *(f"> {line}" for line in text.splitlines())], list(dict.fromkeys(facts))
    if listed:
        lines += ["", heads.facts, *(f"- {fact}" for fact in listed)]
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(lines)}]


def further_messages(heads: Heads, field: str, text: str, reasons: str) -> Messages:
    """Return the messages that ask for a text again, with what is wrong with the last one."""
    return [
        {"role": "assistant", "content": canonical_text({field: text})},
        {"role": "user", "content": heads.again.replace("{reasons}", reasons)},
    ]
