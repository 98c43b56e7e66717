"""What is asked, as bytes: they decide what is sent, what it may cost and where its reply is kept."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from schemas.base import canonical, content

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from schemas.base import Json
    from schemas.models import Endpoint

_FORMAT = 2
"""Raised when a reply of an older cache would not be what is kept today."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, whichever model answers it."""

    body: bytes
    """Messages, tools and what else a call brings, as JSON in the order of the caller: a model sees this order."""
    repeat: int

    @classmethod
    def of(
        cls,
        messages: Sequence[Mapping[str, Json]],
        tools: Sequence[Mapping[str, Json]] | None = None,
        schema: Mapping[str, Json] | None = None,
        tool_choice: str | Mapping[str, Json] | None = None,
        repeat: int = 0,
    ) -> Request:
        """Return the request that a call makes."""
        parts: dict[str, object] = {"messages": list(messages)}
        if tools:
            parts["tools"] = list(tools)
            if tool_choice is not None:
                parts["tool_choice"] = tool_choice
        if schema is not None:
            parts["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        return cls(content(parts), repeat)

    def arguments(self) -> dict[str, Any]:
        """Return new data for litellm, which changes what it is given."""
        return orjson.loads(self.body)

    def key(self, endpoint: Endpoint) -> str:
        """Return the SHA-256 of everything that can change a byte of the reply of `endpoint`."""
        asked = {
            "format": _FORMAT,
            "model": endpoint.model,
            "api_base": endpoint.api_base,
            "parameters": endpoint.asked,
            "repeat": self.repeat,
        }
        return sha256(canonical(asked) + b"\n" + self.body).hexdigest()
