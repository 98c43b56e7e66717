"""Calls of a model through the client, against a server of one second latency and one of none, on this machine."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.block import temporary
from benchmarks.budget import Result
from benchmarks.timing import spending
from llm.client import ModelClient
from llm.wire import load
from schemas.models import Limits, ModelChoice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    from benchmarks.timing import Spent

LIMIT = 32
LATENCY_S = 1
ROUNDS = 31
"""How often every slot is used at one second latency: about a thousand calls, their slow beginning and end included."""
BATCH = 100
TURNS = 4
"""Batches of calls without latency; the cheapest counts, since machines are shared."""
SHARE = 0.9
OVERHEAD = 0.25
"""Most that our own code may add to the CPU time of a call of litellm."""


def measure() -> list[Result]:
    """Return the share of concurrency / latency that is reached, and what our own code adds to a call of litellm."""
    with _server({"latency_s": LATENCY_S}) as url:
        slow = asyncio.run(_slow(url))
    with _server({}) as url:
        fast, bare, cached = asyncio.run(_fast(url))
    rate = LIMIT * ROUNDS / slow.wall_s
    ours, alone, kept = (1_000 * min(one.own_s for one in batch) / BATCH for batch in (fast, bare, cached))
    highest = BATCH / min(one.wall_s for one in fast)
    details: dict[str, float | int | str] = {
        "calls_per_s": round(rate, 2),
        "highest_calls_per_s": round(highest, 1),
        "cpu_ms_per_call_at_latency": round(1_000 * slow.own_s / (LIMIT * ROUNDS), 2),
        "cpu_ms_per_call": round(ours, 2),
        "cpu_ms_per_call_litellm_alone": round(alone, 2),
        "cpu_ms_per_call_from_cache": round(kept, 3),
    }
    reached = (
        f"{rate:.1f} calls/s at {LATENCY_S} s and limit {LIMIT}; without latency {highest:.0f} calls/s on one core"
    )
    added = f"{ours:.1f} ms CPU a call, litellm alone {alone:.1f} ms, from the cache {kept:.2f} ms"
    return [
        Result(
            "model calls, share of limit / latency", "higher", SHARE, rate * LATENCY_S / LIMIT, "", reached, details
        ),
        Result("client over litellm, CPU of a call", "lower", 1 + OVERHEAD, ours / alone, "x", added, details),
    ]


@contextmanager
def _server(plan: dict[str, float]) -> Generator[str]:
    """Run the model server in a process of its own and yield its address."""
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "tests.model_server", "--plan", json.dumps(plan)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def _slow(url: str) -> Spent:
    """Return what calls cost of which every slot makes `ROUNDS`, one after the other."""
    async with ModelClient(_choice(url), Limits(concurrency=LIMIT), temporary()) as client:
        await client.chat([{"role": "user", "content": "first"}])  # loads litellm and what it loads with its first call
        return await _spent(_through(client, ""), LIMIT * ROUNDS)


async def _fast(url: str) -> tuple[list[Spent], list[Spent], list[Spent]]:
    """Return what batches of calls cost through our client, through litellm alone, and from our cache, in turns."""
    found: tuple[list[Spent], list[Spent], list[Spent]] = ([], [], [])
    async with ModelClient(_choice(url), Limits(concurrency=LIMIT), temporary()) as client:
        for turn in range(TURNS + 1):
            ours = _through(client, f"{turn}")
            calls = (ours, _alone(url), ours)
            for batch, call in zip(found, calls, strict=True):
                batch.append(await _spent(call, BATCH))
    return found[0][1:], found[1][1:], found[2][1:]  # the first turn warms up


def _choice(url: str) -> ModelChoice:
    return ModelChoice(model="openai/tiny", api_base=url)


def _through(client: ModelClient, name: str) -> Callable[[int], Awaitable[object]]:
    return lambda number: client.chat([{"role": "user", "content": f"call {name} {number}"}])


def _alone(url: str) -> Callable[[int], Awaitable[object]]:
    """Return the same call without our client."""
    litellm, slots = load(), asyncio.Semaphore(LIMIT)

    async def call(number: int) -> None:
        async with slots:
            await litellm.acompletion(
                model="openai/tiny",
                api_base=url,
                api_key="none",
                messages=[{"role": "user", "content": f"call 0 {number}"}],
                max_tokens=2_048,
                timeout=60,
                max_retries=0,
                **{"no-log": True},
            )

    return call


async def _spent(call: Callable[[int], Awaitable[object]], calls: int) -> Spent:
    with spending() as spent:
        await asyncio.gather(*(call(number) for number in range(calls)))
    return spent
