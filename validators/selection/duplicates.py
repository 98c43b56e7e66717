"""When two tasks of a user are the same: their requests read alike, or they ask the same thing of the same state."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, cast

from schemas.base import Json, digest

if TYPE_CHECKING:
    from collections.abc import Mapping


def duplicate_keys(task: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the keys of a task, given as JSON data; tasks that share one are duplicates.

    One is over the instruction, another over goal, told values and start state. A twin shares the first with the task
    it comes from, a variation the second.
    """
    kin = cast("dict[str, Json]", task["kin"] or {}).get("kind")
    asked = [task["goals"], _told(cast("list[dict[str, Json]]", task["intents"])), task["start_hash"]]
    keys = {"twin": f"text {digest(normal_text(str(task['instruction'])))}", "variation": f"goal {digest(asked)}"}
    return tuple(key for kind, key in keys.items() if kind != kin)


def normal_text(text: str) -> str:
    """Return a text in lower case, words and numbers only, one blank between them."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def _told(intents: list[dict[str, Json]]) -> Json:
    """Return the intents with the values of their slots; what the user could have said instead makes no difference."""
    slots = [cast("list[dict[str, Json]]", use["slots"]) for use in intents]
    values: list[Json] = [[[slot["name"], slot["value"]] for slot in each] for each in slots]
    return [[use["intent"], use["form"], told] for use, told in zip(intents, values, strict=True)]
