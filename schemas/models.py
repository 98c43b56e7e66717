"""Which models play which roles, what they may cost, and what was used. Money is decimal text, never a float."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from schemas.base import Json, Model

Role: TypeAlias = Literal["writer", "user", "assistant", "judge"]
"""What a model is used for: writes requests, plays the user, is the agent, gives opinions beside the score."""
ROLES: tuple[Role, ...] = ("writer", "user", "assistant", "judge")
DEFAULT_MAX_TOKENS = 2_048
"""Longest reply in tokens where a model's parameters name no other bound."""
_ELSEWHERE = {
    **dict.fromkeys(("api_key", "headers", "extra_headers"), "keys come from the environment: name one in `key_env`"),
    **dict.fromkeys(("model", "api_base", "base_url"), "it has a field of its own beside `parameters`"),
    **dict.fromkeys(("timeout", "num_retries", "max_retries"), "set it in `limits`"),
    **dict.fromkeys(("messages", "tools", "tool_choice", "response_format"), "each call brings its own"),
    **dict.fromkeys(("stream", "n", "drop_params", "mock_response", "client"), "the client needs its own value"),
}
"""Arguments of a model call that are no parameters, and what to do instead."""


def _money(value: object) -> object:
    if isinstance(value, float):
        raise PydanticCustomError("inexact-money", "money is exact: write it in quotes, such as '0.15'")
    return str(value) if type(value) is int else value


Money = Annotated[str, BeforeValidator(_money), Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,24})?$")]
"""An amount of money as decimal text."""


class Prices(Model):
    """What one million tokens of each class cost; a class without a price is looked up in litellm's table."""

    input: Money | None = None
    """Prompt tokens that no cache of the provider held."""
    cached_input: Money | None = None
    """Prompt tokens that one held; unknown everywhere: as `input`."""
    output: Money | None = None
    """Tokens of the reply."""
    reasoning: Money | None = None
    """Tokens of reasoning that the reply does not show; unknown everywhere: as `output`."""


class Endpoint(Model):
    """One model, where it is reached and how it is asked."""

    model: Annotated[str, Field(min_length=1, max_length=300)]
    """Its name for litellm, provider included: `openai/gpt-4o-mini`, `anthropic/…`, `openai/<any>` with `api_base`."""
    api_base: Annotated[str, Field(pattern=r"^https?://[^\s@]+$", max_length=2_000)] | None = None
    """Address of the server, where it is not the provider's own; it carries no user name and no key."""
    key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)] | None = None
    """Environment variable that holds the key, where it is not the one that litellm reads for the provider."""
    parameters: dict[str, Json] = {}
    """Sampling parameters, sent as they are: `temperature`, `max_tokens`, `seed`, `top_p`, …"""
    prices: Prices = Prices()

    @field_validator("parameters")
    @classmethod
    def _belong_here(cls, value: dict[str, Json]) -> dict[str, Json]:
        for name in value.keys() & _ELSEWHERE.keys():
            raise PydanticCustomError(
                "no-parameter", "{name} is no parameter: {do}", {"name": name, "do": _ELSEWHERE[name]}
            )
        for name in value.keys() & {"max_tokens", "max_completion_tokens"}:
            bound = value[name]
            if type(bound) is not int or bound < 1:
                raise PydanticCustomError(
                    "no-bound", "{name} must be a whole number of tokens, at least 1", {"name": name}
                )
        return value

    @property
    def reply_tokens(self) -> int:
        """Return the longest reply in tokens that is asked for."""
        bounds = [self.parameters.get(name) for name in ("max_completion_tokens", "max_tokens")]
        return next((bound for bound in bounds if type(bound) is int), DEFAULT_MAX_TOKENS)

    @property
    def asked(self) -> dict[str, Json]:
        """Return the parameters with a bound on the reply."""
        bounded = self.parameters.keys() & {"max_tokens", "max_completion_tokens"}
        return self.parameters if bounded else {**self.parameters, "max_tokens": DEFAULT_MAX_TOKENS}


class ModelChoice(Endpoint):
    """The model of one role."""

    fallbacks: tuple[Endpoint, ...] = ()
    """Asked in this order when the model itself could not be reached in `max_attempts`."""


class Limits(Model):
    """How hard a model is used, and when to stop."""

    concurrency: Annotated[int, Field(ge=1, le=4_096, strict=True)] = 16
    """Most calls at once; fewer while the server says that it is too much."""
    timeout_s: Annotated[float, Field(gt=0, le=3_600)] = 120
    """Longest time of one attempt in seconds, from the request to the end of the reply."""
    max_attempts: Annotated[int, Field(ge=1, le=20, strict=True)] = 5
    """Attempts per call and model, the first included."""
    max_cost: Money | None = None
    """Most money that may be spent; None is no limit."""
    max_tokens: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Most tokens of all classes that may be used; None is no limit."""


class Models(Model):
    """The models of a run: one per role that is played by a model."""

    writer: ModelChoice | None = None
    user: ModelChoice | None = None
    assistant: ModelChoice | None = None
    judge: ModelChoice | None = None
    limits: Limits = Limits()
    """Concurrency, timeout and attempts hold for each role; cost and tokens for all of them together."""

    def chosen(self) -> dict[Role, ModelChoice]:
        """Return the roles that a model plays."""
        found: dict[Role, ModelChoice | None] = {name: getattr(self, name) for name in ROLES}
        return {name: choice for name, choice in found.items() if choice is not None}


class Usage(Model):
    """Calls that were answered, their tokens by class (no token is in two of them) and what they cost."""

    calls: Annotated[int, Field(ge=0)] = 0
    """Answered calls; one that came from the cache is none."""
    input_tokens: Annotated[int, Field(ge=0)] = 0
    cached_tokens: Annotated[int, Field(ge=0)] = 0
    output_tokens: Annotated[int, Field(ge=0)] = 0
    reasoning_tokens: Annotated[int, Field(ge=0)] = 0
    cost: Money | None = "0"
    """Decimal text; None when the price of anything in it is unknown."""

    @property
    def tokens(self) -> int:
        """Return the tokens of all classes together."""
        return self.input_tokens + self.cached_tokens + self.output_tokens + self.reasoning_tokens

    def plus(self, other: Usage) -> Usage:
        """Return both together; the cost is unknown when that of either is."""
        known = None if self.cost is None or other.cost is None else Decimal(self.cost) + Decimal(other.cost)
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cost=None if known is None else decimal_text(known),
        )


class Tally(Model):
    """What one role did."""

    usage: Usage = Usage()
    cached: Annotated[int, Field(ge=0)] = 0
    """Replies that came from the cache."""
    attempts: Annotated[int, Field(ge=0)] = 0
    """Requests that were sent, those that failed included."""
    failures: dict[str, int] = {}
    """Requests that failed, by kind; what they used the server did not say, so `usage` does not hold it."""


def decimal_text(amount: Decimal) -> str:
    """Return an amount without exponent and without trailing zeros, so that equal amounts are equal texts."""
    text = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
