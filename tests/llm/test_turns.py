"""Calls begin in the order of asking, and a busy loop holds nobody back for ever."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

from llm.turns import LONGEST_S, turns


def test_calls_begin_one_after_the_other() -> None:
    began: list[tuple[int, float]] = []

    async def call(number: int) -> None:
        await turns().wait()
        began.append((number, time.monotonic()))

    async def go() -> None:
        await asyncio.gather(*(call(number) for number in range(10)))

    asyncio.run(go())
    assert [number for number, _ in began] == list(range(10))
    moments = [moment for _, moment in began]
    assert all(later - earlier >= 0.0009 for earlier, later in pairwise(moments))


def test_a_loop_that_is_always_busy_lets_calls_begin() -> None:
    begun = 0

    async def busy() -> None:
        while begun < 5:
            time.sleep(0.003)
            await asyncio.sleep(0)

    async def call() -> None:
        nonlocal begun
        await turns().wait()
        begun += 1

    async def go() -> float:
        started = time.monotonic()
        await asyncio.wait_for(asyncio.gather(busy(), *(call() for _ in range(5))), 10)
        return time.monotonic() - started

    assert asyncio.run(go()) >= 3 * LONGEST_S  # held back, since it is busy, but not for ever


def test_a_call_that_is_given_up_passes_its_turn_on() -> None:
    async def go() -> None:
        await turns().wait()
        given_up = asyncio.create_task(turns().wait())
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.wait_for(turns().wait(), 5)

    asyncio.run(go())
