"""One task of the release, told in a few lines for the card."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, cast

import orjson

from publishing.shapes import step_name
from schemas.base import canonical_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from publishing.parquet import RawRow
    from schemas.base import Json


@dataclass(frozen=True, slots=True)
class Example:
    """A task to show."""

    task_id: str
    instruction: str
    plan: str
    """Numbered Markdown list."""


def example_of(task: RawRow, gold: RawRow) -> Example:
    """Return a task as an example, from its rows in the configs `tasks` and `gold`."""
    plan = cast("Mapping[str, list[Mapping[str, Json]]]", orjson.loads(cast("str", gold["plan_json"])))
    groups = [list(group) for _, group in groupby(plan["steps"], key=step_name)]
    lines = [f"{at}. {_line(group[0])}{_again(group)}" for at, group in enumerate(groups, 1)]
    return Example(str(task["task_id"]), str(task["instruction"]), "\n".join(lines))


def _again(group: list[Mapping[str, Json]]) -> str:
    return f", and {len(group) - 1} more such calls" if len(group) > 1 else ""


def _line(step: Mapping[str, Json]) -> str:
    match step["step"]:
        case "call":
            who = "the user" if step["side"] == "user" else "the assistant"
            return f"{who} calls `{step['tool']}` with `{canonical_text(step['arguments'])}`"
        case "confirm":
            return f"the user confirms `{step['tool']}` with `{canonical_text(step['arguments'])}`"
        case "ask":
            answer = "agrees" if step["granted"] else "refuses"
            return f"the assistant asks for consent ({step['gate']}), the user {answer}"
        case "question":
            return f"the assistant asks for `{step['slot']}`, the user answers `{canonical_text(step['value'])}`"
        case "tell":
            return f"the assistant reports `{canonical_text(step['answers'])}`"
        case other:
            raise ValueError(f"a plan has no step {other!r}")
