"""How many calls run at once: additive increase, multiplicative decrease, between 1 and the limit.

Each window full of successes adds one to the window. A refusal for too many requests halves it, once for all calls
that were under way, and holds every call back for as long as the server asks.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable


class Limiter:
    """Hands out slots within one event loop. Begins at the limit: a server that can take it is used at once."""

    def __init__(
        self,
        limit: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limit = limit
        self.window = limit
        self.running = 0
        self._round = 0
        self._successes = 0
        self._paused_until = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._clock = clock
        self._sleep = sleep

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[int]:
        """Wait for a slot, hold it and give it back; the value goes to `throttled`."""
        await self._acquire()
        try:
            yield self._round
        finally:
            self.running -= 1
            self._wake()

    def succeeded(self) -> None:
        """Count a call that the server answered."""
        self._successes += 1
        if self._successes >= self.window:
            self._successes = 0
            self.window = min(self.limit, self.window + 1)

    def throttled(self, started_in: int, retry_after: float | None) -> None:
        """Count a refusal of a call whose slot had the value `started_in`."""
        if retry_after is not None:
            self._paused_until = max(self._paused_until, self._clock() + retry_after)
        if started_in == self._round:
            self._round += 1
            self._successes = 0
            self.window = max(1, self.window // 2)

    async def _acquire(self) -> None:
        """Take a slot, in the order of asking."""
        while (pause := self._paused_until - self._clock()) > 0:
            await self._sleep(pause)
        if self.running < self.window and not self._waiting:
            self.running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was handed over just before
                self.running -= 1
                self._wake()
            raise
        while (pause := self._paused_until - self._clock()) > 0:
            await self._pause_with_slot(pause)

    async def _pause_with_slot(self, seconds: float) -> None:
        try:
            await self._sleep(seconds)
        except asyncio.CancelledError:
            self.running -= 1
            self._wake()
            raise

    def _wake(self) -> None:
        """Hand free slots over to those who wait, so that nobody takes one in between."""
        while self._waiting and self.running < self.window:
            turn = self._waiting.popleft()
            if not turn.done():
                self.running += 1
                turn.set_result(None)
