"""Known defects of how a published pipeline reached its models, each with a test that it is not repeated here."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from decimal import Decimal

import pytest

from llm import BudgetReached, Fatal, Ledger, ModelClient, Reply
from llm.backoff import LONGEST_S, wait_s
from schemas.models import Endpoint, Limits, ModelChoice, Models, Prices
from tests import scan
from tests.llm.conftest import Serve
from tests.llm.test_client import ask, choice

# D7: the registry knew one client, routes named others, and importing it overwrote the user's key.


@pytest.mark.parametrize("model", ["openai/tiny", "deepseek/tiny", "hosted_vllm/tiny"])
def test_defect_D7_a_configured_model_is_asked_whatever_its_provider(
    serve: Serve, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "my-own-key")
    server = serve(keys=["my-own-key"])
    written = {"assistant": {"model": model, "api_base": server.url, "key_env": "MY_KEY"}}
    ((role, chosen),) = Models.model_validate(written).chosen().items()
    assert (role, ask(chosen).text, server.log.requests) == ("assistant", "Good morning", 1)


def test_defect_D7_a_route_that_nobody_knows_is_one_message_that_says_what_to_do() -> None:
    with pytest.raises(Fatal, match="openai/<name>"):
        ask(ModelChoice(model="siri_200"))


def test_defect_D7_several_routes_of_one_kind_are_told_apart_by_address_and_key(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRST_KEY", "first-first")
    monkeypatch.setenv("SECOND_KEY", "second-second")
    first, second = serve(keys=["first-first"]), serve(keys=["second-second"])
    assert ask(choice(first, key_env="FIRST_KEY")).text == ask(choice(second, key_env="SECOND_KEY")).text
    assert (first.log.requests, second.log.requests) == (1, 1)
    with pytest.raises(Fatal, match="SECOND_KEY"):
        ask(choice(first, key_env="SECOND_KEY"))


def test_defect_D7_loading_the_client_leaves_the_keys_of_the_user_alone() -> None:
    program = (
        "import os; before = dict(os.environ); import llm; from llm import wire; wire.load();"
        "print(os.environ.get('GEMINI_API_KEY'), all(os.environ.get(k) == v for k, v in before.items()))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=scan.ROOT,
        env={**os.environ, "GEMINI_API_KEY": "my-own-key"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["my-own-key", "True"]


# D39: sixty seconds of sleep after every failure, the last one included; no backoff, no budget, no rate limit.


def test_defect_D39_waits_grow_from_half_a_second_and_are_spread() -> None:
    waits = [wait_s("call", attempt, None) for attempt in range(1, 12)]
    assert 0.25 <= waits[0] <= 0.5
    assert all(wait <= min(LONGEST_S, 0.5 * 2**number) for number, wait in enumerate(waits))
    assert len({wait_s(f"call {number}", 1, None) for number in range(20)}) > 10
    assert wait_s("call", 1, 7.0) >= 7


def test_defect_D39_a_failure_that_passes_costs_less_than_a_second(serve: Serve) -> None:
    server = serve(script=["500"])
    started = time.perf_counter()
    assert ask(choice(server)).attempts == 2
    first, second = server.log.times
    assert 0.2 <= second - first < 5
    assert time.perf_counter() - started < 30


def test_defect_D39_nobody_sleeps_after_the_last_attempt_or_one_that_cannot_pass(serve: Serve) -> None:
    slept: list[float] = []

    async def go(script: list[str], attempts: int) -> None:
        server = serve(script=script)
        async with ModelClient(choice(server), Limits(max_attempts=attempts)) as client:
            with pytest.raises(Fatal):
                await client.chat([{"role": "user", "content": "Hi"}])
            assert server.log.requests == attempts

    real = asyncio.sleep

    async def sleep(seconds: float, result: object = None) -> object:
        if seconds > 0.1:
            slept.append(seconds)
        return await real(0 if seconds > 0.1 else seconds, result)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "sleep", sleep)
        asyncio.run(go(["500", "500", "500"], 3))
        assert len(slept) == 2
        asyncio.run(go(["401"], 1))
        assert len(slept) == 2


def test_defect_D39_a_budget_stops_before_it_is_overdrawn(serve: Serve) -> None:
    server, ledger = serve(), Ledger()
    priced = choice(server, prices=Prices(input="1000", output="1000"), parameters={"max_tokens": 10})
    limits = Limits(max_cost="0.3", concurrency=4)

    async def go() -> list[Reply | BaseException]:
        async with ModelClient(priced, limits, None, ledger) as client:
            said = [[{"role": "user", "content": f"call {number}"}] for number in range(40)]
            return await asyncio.gather(*(client.chat(messages) for messages in said), return_exceptions=True)

    replies = asyncio.run(go())
    refused = [reply for reply in replies if isinstance(reply, BudgetReached)]
    assert refused
    assert server.log.requests == len(replies) - len(refused) > 0
    assert Decimal(str(ledger.tallies()["assistant"].usage.cost)) <= Decimal("0.3")


def test_defect_D39_too_many_requests_make_the_client_ask_for_less_at_once(serve: Serve) -> None:
    server = serve(rate_limit=30, retry_after="0.01", latency_s=0.01)

    async def go() -> list[Reply]:
        async with ModelClient(choice(server), Limits(concurrency=8, max_attempts=10)) as client:
            said = [[{"role": "user", "content": f"call {number}"}] for number in range(40)]
            return await asyncio.gather(*(client.chat(messages) for messages in said))

    replies = asyncio.run(go())
    assert [reply.text for reply in replies] == [f"call {number}" for number in range(40)]
    assert server.log.actions["rate_limit"] > 0
    assert server.log.most_at_once <= 8


def test_defect_D39_a_model_that_is_down_gives_way_to_the_next(serve: Serve) -> None:
    down, up = serve(status=100), serve()
    fallback = Endpoint(model="openai/tiny", api_base=up.url)
    made = ModelChoice(model="openai/tiny", api_base=down.url, fallbacks=(fallback,))
    reply = ask(made, limits=Limits(max_attempts=2))
    assert (down.log.requests, up.log.requests, reply.attempts) == (2, 1, 3)
