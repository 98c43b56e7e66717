"""What a call costs, exactly: the prices of the configuration first, then litellm's table, else unknown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

from schemas.models import decimal_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.models import Endpoint, Usage

Source: TypeAlias = Literal["config", "litellm", "both", "unknown"]
MILLION = 1_000_000
_MAP_FIELDS = {
    "input": "input_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "output": "output_cost_per_token",
    "reasoning": "output_cost_per_reasoning_token",
}
_ABOVE = re.compile(r"_above_(\d+)k_tokens")
"""Dearer prices of long prompts, which this program does not compute."""


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices per token by class; None is unknown."""

    input: Decimal | None
    cached_input: Decimal | None
    output: Decimal | None
    reasoning: Decimal | None
    source: Source = "unknown"
    longest_prompt: int | None = None
    """Tokens of a prompt up to which these prices hold."""

    @property
    def known(self) -> bool:
        """Return whether every call has a price."""
        return self.input is not None and self.output is not None

    def cost(self, usage: Usage) -> str | None:
        """Return what `usage` of one call costs, as decimal text, or None when a price in it is unknown."""
        if self.longest_prompt is not None and usage.input_tokens + usage.cached_tokens > self.longest_prompt:
            return None
        total = Decimal(0)
        for tokens, price in (
            (usage.input_tokens, self.input),
            (usage.cached_tokens, self.cached_input),
            (usage.output_tokens, self.output),
            (usage.reasoning_tokens, self.reasoning),
        ):
            if tokens and price is None:
                return None
            total += tokens * (price or 0)
        return decimal_text(total)

    def most(self, prompt: int, reply: int) -> Decimal | None:
        """Return the most that a call of so many tokens may cost, or None when a price is unknown."""
        asked = [price for price in (self.input, self.cached_input) if price is not None]
        said = [price for price in (self.output, self.reasoning) if price is not None]
        return max(asked) * prompt + max(said) * reply if self.known else None


def price_table(endpoint: Endpoint, known: Mapping[str, Mapping[str, object]]) -> PriceTable:
    """Return the prices of `endpoint`; `known` is litellm's table.

    A class without any price of its own is billed like the class it is part of, as providers do: cached input as
    input, reasoning as output. The table of litellm is asked for the exact name only, and not for other service tiers.
    """
    entry: Mapping[str, object] = {} if "service_tier" in endpoint.parameters else _entry(endpoint.model, known)
    own = {name: getattr(endpoint.prices, name) for name in _MAP_FIELDS}
    theirs = {name: _number(entry.get(field)) for name, field in _MAP_FIELDS.items()}
    used: set[Literal["config", "litellm"]] = set()
    found: dict[str, Decimal | None] = {}
    for name in _MAP_FIELDS:
        if own[name] is not None:
            found[name] = Decimal(own[name]) / MILLION
            used.add("config")
        else:
            found[name] = theirs[name]
            if theirs[name] is not None:
                used.add("litellm")
    cached = found["input"] if found["cached_input"] is None else found["cached_input"]
    reasoning = found["output"] if found["reasoning"] is None else found["reasoning"]
    source: Source = "both" if len(used) > 1 else "unknown"
    if len(used) == 1:
        (source,) = used
    steps = [int(step[1]) * 1_000 for field in entry if "cost" in field and (step := _ABOVE.search(field))]
    return PriceTable(
        found["input"], cached, found["output"], reasoning, source, min(steps) if steps and source != "config" else None
    )


def _entry(model: str, known: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """Return the entry of exactly this model, named with or without its provider."""
    if model in known:
        return known[model]
    provider, _, name = model.partition("/")
    entry = known.get(name, {})
    return entry if entry.get("litellm_provider") == provider else {}


def _number(value: object) -> Decimal | None:
    """Return a price of litellm's table as it is written there."""
    return Decimal(repr(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
