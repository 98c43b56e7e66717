"""What one call of a model gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.models import Usage


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as the model wrote it."""

    id: str
    name: str
    arguments: str
    """The raw text: it may be empty, cut off or no JSON. Whoever executes the call parses it and says what is wrong."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished reply."""

    text: str
    """What the model said; empty when it only calls tools."""
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    """`stop`, `tool_calls`, `length`, … as litellm names it for every provider."""
    usage: Usage
    """What the reply took when it was made, its repairs included; what is spent now, the ledger knows."""
    model: str
    """The name in the configuration of the model that answered, which may be a fallback."""
    cached: bool
    """Whether it came from the cache alone."""
    attempts: int
    """Requests that were sent for it, failed ones, repairs and fallbacks included; 0 when cached."""
    data: Json = None
    """With a schema: the value that the text holds, which fits the schema."""
