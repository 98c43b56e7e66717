"""What one endpoint answered, in the form in which it is cached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from llm.errors import Retryable
from llm.reply import ToolCall
from schemas.models import Usage

if TYPE_CHECKING:
    from llm.pricing import PriceTable
    from llm.secrets import Scrubber


class Answer(msgspec.Struct, frozen=True):
    """A finished answer. Tokens that the server did not tell are None until they are counted."""

    text: str
    calls: tuple[tuple[str, str, str], ...]
    """Id, name and raw arguments of tool calls."""
    finish_reason: str
    tokens: tuple[int, int, int, int] | None
    """Input, cached input, output, reasoning."""
    cost: str | None = None
    """What it cost when it was made, as decimal text; None when that is unknown."""

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the tool calls."""
        return tuple(ToolCall(*call) for call in self.calls)

    @property
    def message(self) -> dict[str, Any]:
        """Return the answer as the message that a conversation goes on with."""
        return {"role": "assistant", "content": self.text}

    @property
    def usage(self) -> Usage:
        """Return what the answer took when it was made."""
        names = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
        return Usage(calls=1, cost=self.cost, **dict(zip(names, self.tokens or (0, 0, 0, 0), strict=True)))

    def counted(self, sent: int, prices: PriceTable) -> Answer:
        """Return the answer to a request of `sent` bytes with what it took: untold tokens are one for each byte."""
        tokens = self.tokens or (sent, 0, len(msgspec.json.encode(self)), 0)
        counted = msgspec.structs.replace(self, tokens=tokens)
        return msgspec.structs.replace(counted, cost=prices.cost(counted.usage))


def read_answer(response: Any, scrub: Scrubber) -> Answer:  # noqa: ANN401 - a response of litellm
    """Return what a response of litellm says. Raise Retryable when it says nothing."""
    if not response.choices:
        raise Retryable("malformed", "the server answered without a choice")
    choice = response.choices[0]
    calls = tuple(
        (_text(call.id), _text(call.function.name), scrub(_text(call.function.arguments)))
        for call in choice.message.tool_calls or ()
    )
    text = scrub(_text(choice.message.content))
    return Answer(text, calls, str(choice.finish_reason or "stop"), _tokens(getattr(response, "usage", None)))


def encoded(answer: Answer) -> bytes:
    """Return the bytes that are cached."""
    return msgspec.json.encode(answer)


def decoded(data: bytes) -> Answer:
    """Return the answer that was cached."""
    return msgspec.json.decode(data, type=Answer)


def _text(value: object) -> str:
    """Return a text that is valid UTF-8: half a surrogate pair, as a cut reply may end with, becomes `?`."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _tokens(usage: Any) -> tuple[int, int, int, int] | None:  # noqa: ANN401 - a usage of litellm
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if not prompt and not completion:
        return None
    cached = min(prompt, _count(getattr(usage, "prompt_tokens_details", None), "cached_tokens"))
    reasoning = _count(getattr(usage, "completion_tokens_details", None), "reasoning_tokens")
    # Some providers count reasoning beside the completion, most within it: the total tells.
    within = _count(usage, "total_tokens") < prompt + completion + reasoning
    output = max(0, completion - reasoning) if within else completion
    return prompt - cached, cached, output, reasoning


def _count(part: object, name: str) -> int:
    value = getattr(part, name, None)
    return value if type(value) is int and value > 0 else 0
