"""The client of one role: cache, budget, limiter, retries and fallbacks around one call of litellm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm.ledger import Ledger
from schemas.models import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from llm.reply import Reply
    from schemas.base import Json
    from schemas.models import ModelChoice, Role


class ModelClient:
    """Asks the model of one role. Use it as `async with ModelClient(…) as client`, within one event loop."""

    def __init__(
        self,
        choice: ModelChoice,
        limits: Limits | None = None,
        cache: Path | None = None,
        ledger: Ledger | None = None,
        *,
        role: Role = "assistant",
    ) -> None:
        self.choice = choice
        self.limits = limits or Limits()
        self.ledger = ledger or Ledger()
        self.role: Role = role
        self._folder = cache

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def chat(
        self,
        messages: Sequence[Mapping[str, Json]],
        tools: Sequence[Mapping[str, Json]] | None = None,
        schema: Mapping[str, Json] | None = None,
        tool_choice: str | Mapping[str, Json] | None = None,
        tag: str = "",
        repeat: int = 0,
    ) -> Reply:
        """Return the reply to `messages`.

        With `schema`, `Reply.data` fits it. `tag` names what the call is for in errors; `repeat` tells samples of one
        request apart. Raise Fatal, BadOutput or BudgetReached.
        """
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close connections and the cache."""
