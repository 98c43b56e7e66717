"""Calls begin one after the other, each when the event loop has caught up with the one before.

Preparing a request and reading its reply takes litellm some milliseconds. Calls that begin together share that time, so
that all of them are late, come back together and begin together again: a third of the time of every round is lost. One
after the other they spread out by themselves, and stay so.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

_STEP_S = 0.001
_LAG_S = 0.001
"""A timer that fires later than this means that the loop is busy."""
LONGEST_S = 0.010
"""After this the next call begins in any case: the loop may be busy with something else."""


class Turns:
    """The turns of one event loop."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def wait(self) -> None:
        """Wait for a turn, in the order of asking."""
        await self._lock.acquire()
        loop = asyncio.get_running_loop()
        loop.call_later(_STEP_S, self._pass_on, loop, loop.time() + _STEP_S, loop.time() + LONGEST_S)

    def _pass_on(self, loop: asyncio.AbstractEventLoop, due: float, last: float) -> None:
        now = loop.time()
        if now - due > _LAG_S and now < last:
            loop.call_later(_STEP_S, self._pass_on, loop, now + _STEP_S, last)
        else:
            self._lock.release()


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


def turns() -> Turns:
    """Return the turns of the running event loop, which all clients in it share."""
    loop = asyncio.get_running_loop()
    if loop not in _turns:
        _turns[loop] = Turns()
    return _turns[loop]
