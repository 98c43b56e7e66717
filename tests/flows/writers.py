"""Models that write, and what they are asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from schemas.models import Limits, ModelChoice, Models, Prices
from tests.model_server.behaviours import Behaviour

Asked = dict[str, Any]
How = Callable[[str, list[str]], str]


def field_of(asked: Asked) -> str:
    """The field that the text is to stand in: `instruction` or `narrative`."""
    (name,) = asked["response_format"]["json_schema"]["schema"]["properties"]
    return name


def text_of(asked: Asked) -> str:
    """The text that is to be rewritten."""
    lines = asked["messages"][1]["content"].splitlines()
    return "\n".join(line.removeprefix("> ").removeprefix(">") for line in lines if line.startswith(">"))


def facts_of(asked: Asked) -> list[str]:
    return [line[2:] for line in asked["messages"][1]["content"].splitlines() if line.startswith("- ")]


def good(request: str, _facts: list[str]) -> str:
    """A request in other words."""
    return f"My dear helper, I come with a wish of mine. {request}"


def retold(narrative: str, _facts: list[str]) -> str:
    """A narrative in another order, each sentence as it was."""
    return " ".join(reversed(re.split(r"(?<=[.!?])\s+", narrative)))


def writing(requests: How = good, narratives: How = retold) -> tuple[Behaviour, list[Asked]]:
    """A writer, and what it is asked."""
    seen: list[Asked] = []

    def behave(asked: Asked) -> dict[str, Any]:
        seen.append(asked)
        field = field_of(asked)
        how = {"instruction": requests, "narrative": narratives}[field]
        return {"content": json.dumps({field: how(text_of(asked), facts_of(asked))})}

    return behave, seen


def models(url: str, **limits: Any) -> Models:  # noqa: ANN401
    prices = Prices(input="1", output="1")
    writer = ModelChoice(model="openai/tiny", api_base=url, prices=prices, parameters={"max_tokens": 500})
    return Models(writer=writer, limits=Limits(**{"max_attempts": 1, **limits}))
