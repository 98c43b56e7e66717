"""Asks the model that writes: many texts at once, and once more for one that cannot be used, with the reasons.

What becomes of the texts is decided one after the other, in their order, so that it follows from the replies alone.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from generators.rewriting import reply_schema
from llm.errors import BadOutput, Fatal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from generators.rewriting import Messages
    from llm.client import ModelClient
    from schemas.base import Json

REPAIRS = 1
"""Times that a text which cannot be used is asked for again."""
OF_THE_TEXT = frozenset({"context_window", "content_policy"})
"""Failures of a call over one text, which then stays as it is."""
NO_TEXT = "rewrite.reply"
"""Check on a reply: that it holds a text."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text cannot be used."""

    check: str
    reason: str


@dataclass(slots=True, kw_only=True)
class Wanted(ABC):
    """A text to be put in other words."""

    name: str
    """Of the record it stands in, for errors."""
    field: str
    """Of the reply."""
    messages: Messages
    """What the model is asked next."""
    text: str = ""
    """What it wrote last; empty when it wrote nothing."""
    fault: Fault | None = None

    @abstractmethod
    def decide(self) -> None:
        """Use the text that was written, or set `fault`."""

    @abstractmethod
    def again(self, reasons: str) -> Messages:
        """Return the messages that ask for the text again."""


async def write_texts(client: ModelClient, wanted: Sequence[Wanted], answered: Callable[[], None]) -> None:
    """Let the model write all these texts and decide about each; `answered` is called after every reply.

    Raise Fatal or BudgetReached when it cannot be asked.
    """
    asked = wanted
    for _ in range(1 + REPAIRS):
        await _ask_all(client, asked, answered)
        for one in asked:
            if one.text:
                one.decide()
        asked = [one for one in asked if one.text and one.fault is not None]
        for one in asked:
            one.messages += one.again(one.fault.reason if one.fault else "")


async def _ask(client: ModelClient, one: Wanted) -> None:
    try:
        reply = await client.chat(one.messages, schema=reply_schema(one.field), tag=one.name)
    except BadOutput as error:
        one.text, one.fault = "", Fault(NO_TEXT, str(error))
    except Fatal as error:
        if error.kind not in OF_THE_TEXT:
            raise
        one.text, one.fault = "", Fault(NO_TEXT, str(error))
    else:
        one.text, one.fault = str(cast("dict[str, Json]", reply.data)[one.field]).strip(), None


async def _ask_all(client: ModelClient, wanted: Sequence[Wanted], answered: Callable[[], None]) -> None:
    """Let the model write all of these; after a failure none is begun any more, and what is under way ends."""
    gate, failed = asyncio.Semaphore(client.limits.concurrency), False

    async def ask(one: Wanted) -> None:
        nonlocal failed
        async with gate:
            if failed:
                return
            try:
                await _ask(client, one)
                answered()
            except Exception:
                failed = True
                raise

    for result in await asyncio.gather(*map(ask, wanted), return_exceptions=True):
        if result is not None:
            raise result
