"""The client of one role: cache, budget, limiter, retries and fallbacks around one call of litellm."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING

from llm import wire
from llm.answer import decoded, encoded
from llm.backoff import PATIENCE_S, wait_s
from llm.cache import ReplyCache
from llm.errors import BadOutput, Fatal, Retryable
from llm.ledger import NOTHING, Ledger, Worst
from llm.limiter import Limiter
from llm.pricing import price_table
from llm.reply import Reply
from llm.request import Request
from llm.secrets import Scrubber
from llm.structured import REPAIRS, Form, Misfit, repair
from schemas.models import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from llm.answer import Answer
    from llm.pricing import PriceTable
    from schemas.base import Json
    from schemas.models import Endpoint, ModelChoice, Role


class ModelClient:
    """Asks the model of one role. Use it as `async with ModelClient(…) as client`, within one event loop.

    Clients that share a `ledger` share the budget in `limits`; clients that share the folder `cache` share replies.
    """

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
        self._endpoints: tuple[Endpoint, ...] = (choice, *choice.fallbacks)
        self._limiters = [Limiter(self.limits.concurrency) for _ in self._endpoints]
        self._prices: dict[int, PriceTable] = {}
        self._scrub = Scrubber(one.key_env for one in self._endpoints if one.key_env)
        self._folder = cache
        self._cache: ReplyCache | None = None
        self._open = False

    async def __aenter__(self) -> Self:
        """Open the cache. Raise Fatal when it cannot be used."""
        if self._folder is not None:
            self._cache = ReplyCache(self._folder)
        wire.opened()
        self._open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the cache and, with the last client, the connections."""
        if not self._open:
            return
        self._open = False
        if self._cache is not None:
            self._cache.close()
        await wire.closed()

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

        With `schema`, `Reply.data` fits it, unless the model calls a tool. `tag` names what the call is for in errors;
        `repeat` tells samples of one request apart. Raise Fatal, BadOutput or BudgetReached.
        """
        if not self._open:
            raise RuntimeError("use the client within `async with ModelClient(…) as client`")
        form = None if schema is None else Form(schema)
        talk = list(messages)
        usage, attempts, cached = NOTHING, 0, True
        for left in range(REPAIRS, -1, -1):
            request = Request.of(talk, tools, schema, tool_choice, repeat)
            answer, endpoint, sent = await self._answer(request, tag)
            usage, attempts, cached = usage.plus(answer.usage), attempts + sent, cached and not sent
            data: Json = None
            if form is not None and not answer.calls:
                try:
                    data = form.read(answer.text)
                except Misfit as misfit:
                    if not left:
                        text = f"{_for(tag)}{endpoint.model} does not keep to the schema after {REPAIRS} more tries"
                        raise BadOutput(misfit.kind, f"{text}: {misfit.reason}") from None
                    talk += repair(answer.text, misfit)
                    continue
            return Reply(
                text=answer.text,
                tool_calls=answer.tool_calls,
                finish_reason=answer.finish_reason,
                usage=usage,
                model=endpoint.model,
                cached=cached,
                attempts=attempts,
                data=data,
            )
        raise AssertionError  # the last turn returns or raises

    async def _answer(self, request: Request, tag: str) -> tuple[Answer, Endpoint, int]:
        """Return the answer of the first endpoint that gives one, and how many requests were sent."""
        keys = [request.key(endpoint) for endpoint in self._endpoints]
        for key, endpoint in zip(keys, self._endpoints, strict=True):
            kept = self._cache.get(key) if self._cache else None
            if kept is not None:
                self.ledger.count(self.role, cached=1)
                return decoded(kept), endpoint, 0
        sent, reasons = 0, list[str]()
        last: Retryable | None = None
        for at, endpoint in enumerate(self._endpoints):
            for number in range(1, self.limits.max_attempts + 1):
                sent += 1
                try:
                    return await self._attempt(at, request, keys[at]), endpoint, sent
                except Fatal as error:
                    raise Fatal(error.kind, f"{_for(tag)}{error}") from None
                except Retryable as error:
                    last = error
                if number == self.limits.max_attempts or (last.retry_after or 0) > PATIENCE_S:
                    reasons.append(f"{last} ({last.kind}, {number} {'attempt' if number == 1 else 'attempts'})")
                    break
                await asyncio.sleep(wait_s(keys[at], number, last.retry_after))
        assert last is not None
        advice = "Run the same command again when it works; replies in the cache are not asked for again."
        raise Fatal(last.kind, f"{_for(tag)}{' Then '.join(reasons)}\n{advice}")

    async def _attempt(self, at: int, request: Request, key: str) -> Answer:
        """Send one request once, within limiter and budget, and keep its answer. Raise Retryable or Fatal."""
        endpoint, limiter = self._endpoints[at], self._limiters[at]
        prices = self._priced(at, endpoint)
        size = len(request.body)
        tokens = size + endpoint.reply_tokens
        worst = Worst(tokens, prices.most(size, endpoint.reply_tokens) or Decimal(0))
        async with limiter.slot() as round_:
            await self.ledger.reserve(self.limits, worst)
            try:
                answer = await wire.send(endpoint, request, self.limits.timeout_s, self._scrub)
                answer = answer.counted(size, prices)
                self.ledger.count(self.role, answer.usage)
            except (Retryable, Fatal) as error:
                self.ledger.count(self.role, failure=error.kind)
                if error.kind == "rate_limit" and isinstance(error, Retryable):
                    limiter.throttled(round_, error.retry_after)
                raise
            except asyncio.CancelledError:
                self.ledger.count(self.role, failure="cancelled")
                raise
            finally:
                self.ledger.release(worst)
            limiter.succeeded()
        if self._cache:
            answer = decoded(self._cache.put(key, encoded(answer)))
        return answer

    def _priced(self, at: int, endpoint: Endpoint) -> PriceTable:
        """Return the prices of an endpoint. Raise Fatal when they are unknown and money is limited."""
        prices = self._prices.get(at)
        if prices is None:
            prices = self._prices[at] = price_table(endpoint, wire.load().model_cost)
        if self.limits.max_cost is not None and not prices.known:
            text = (
                f"--max-cost is set, but the price of {endpoint.model} is unknown.\nGive `prices` of input and output."
            )
            raise Fatal("price", text)
        return prices


def _for(tag: str) -> str:
    return f"{tag}: " if tag else ""
