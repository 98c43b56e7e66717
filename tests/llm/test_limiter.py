"""The window of the limiter, with a clock of the test's own."""

from __future__ import annotations

import asyncio

import pytest

from llm.backoff import wait_s
from llm.limiter import Limiter


class Clock:
    """Stands still; sleeping moves it on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def limiter(limit: int) -> tuple[Limiter, Clock]:
    clock = Clock()
    return Limiter(limit, clock, clock.sleep), clock


def test_it_begins_at_the_limit_and_never_passes_it() -> None:
    made, _ = limiter(4)
    for _ in range(50):
        made.succeeded()
    assert made.window == 4


def test_a_refusal_halves_the_window_and_successes_add_one_each_round() -> None:
    made, _ = limiter(8)
    made.throttled(0, None)
    assert made.window == 4
    seen: list[int] = []
    for _ in range(4 + 5 + 6 + 7 + 8):
        made.succeeded()
        seen.append(made.window)
    assert [seen[at] for at in (2, 3, 8, 14, 21, 29)] == [4, 5, 6, 7, 8, 8]


def test_refusals_of_one_round_halve_it_once_and_it_never_falls_below_one() -> None:
    made, _ = limiter(8)
    for _ in range(5):
        made.throttled(0, None)
    assert made.window == 4
    for started_in in range(1, 9):
        made.throttled(started_in, None)
    assert made.window == 1


def test_everyone_waits_as_long_as_the_server_asks() -> None:
    made, clock = limiter(2)

    async def go() -> None:
        made.throttled(0, 7.0)
        async with made.slot():
            assert clock.now == 107.0

    asyncio.run(go())


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_run_at_once_than_the_window(limit: int) -> None:
    made, _ = limiter(limit)
    most = running = done = 0

    async def work() -> None:
        nonlocal most, running, done
        async with made.slot():
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            done += 1

    async def go() -> None:
        await asyncio.gather(*(work() for _ in range(20)))

    asyncio.run(go())
    assert (most, done, made.running) == (limit, 20, 0)


def test_a_call_that_is_given_up_passes_its_turn_on() -> None:
    made, _ = limiter(1)

    async def go() -> list[str]:
        order: list[str] = []

        async def work(name: str) -> None:
            async with made.slot():
                order.append(name)

        async with made.slot():
            tasks = [asyncio.create_task(work(name)) for name in "abc"]
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        tasks[0].cancel()  # just when the turn was given to it
        await asyncio.gather(*tasks, return_exceptions=True)
        return order

    assert asyncio.run(asyncio.wait_for(go(), 5)) == ["b", "c"]


def test_slots_are_given_in_the_order_of_asking() -> None:
    made, _ = limiter(3)
    order: list[int] = []

    async def work(number: int) -> None:
        async with made.slot():
            order.append(number)
            await asyncio.sleep(0)

    async def go() -> None:
        await asyncio.gather(*(work(number) for number in range(30)))

    asyncio.run(go())
    assert order == list(range(30))


def test_a_call_that_is_given_up_while_it_is_held_back_gives_its_slot_back() -> None:
    made = Limiter(1)

    async def go() -> None:
        async def work() -> None:
            async with made.slot():
                pass

        async with made.slot() as round_:
            task = asyncio.create_task(work())
            await asyncio.sleep(0)
            made.throttled(round_, 60)
        await asyncio.sleep(0.01)
        assert made.running == 1
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(asyncio.wait_for(go(), 5))
    assert made.running == 0


def test_waits_double_to_half_a_minute_and_are_the_same_in_every_run() -> None:
    waits = [wait_s("call", number, None) for number in range(1, 12)]
    assert waits == [wait_s("call", number, None) for number in range(1, 12)]
    for number, wait in enumerate(waits):
        full = min(30.0, 0.5 * 2**number)
        assert full / 2 < wait <= full
    assert waits != [wait_s("other", number, None) for number in range(1, 12)]


def test_the_wait_is_never_shorter_than_the_server_asks() -> None:
    assert all(5 <= wait_s(f"call {number}", 1, 5) < 5.5 for number in range(100))
