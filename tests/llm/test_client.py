"""One call at a time, over real HTTP and through litellm."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from llm import BadOutput, BudgetReached, Fatal, Ledger, ModelClient, Reply
from schemas.base import Json
from schemas.models import Endpoint, Limits, ModelChoice, Prices
from tests import scan
from tests.llm.conftest import Serve
from tests.model_server.server import ModelServer

HI: list[dict[str, Json]] = [{"role": "user", "content": "Good morning"}]
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look something up.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 3}},
    "required": ["n"],
    "additionalProperties": False,
}
FREE = Prices(input="0", output="0")
ONE_MILLION_EACH = Prices(input="1000000", output="1000000")


def choice(server: ModelServer, **fields: Any) -> ModelChoice:  # noqa: ANN401
    return ModelChoice(model="openai/tiny", api_base=server.url, **fields)


def ask(made: ModelChoice, *, cache: Path | None = None, ledger: Ledger | None = None, **call: Any) -> Reply:  # noqa: ANN401
    limits = call.pop("limits", Limits(max_attempts=3, timeout_s=10))
    messages = call.pop("messages", HI)

    async def go() -> Reply:
        async with ModelClient(made, limits, cache, ledger) as client:
            return await client.chat(messages, **call)

    return asyncio.run(go())


def test_importing_loads_neither_litellm_nor_anything_like_it() -> None:
    program = "import sys, llm; assert not {'litellm', 'openai', 'aiohttp', 'httpx'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=scan.ROOT)


def test_a_reply_says_who_answered_and_what_it_took(serve: Serve) -> None:
    ledger = Ledger()
    reply = ask(choice(serve(), prices=Prices(input="0.15", output="0.6")), ledger=ledger)
    assert (reply.text, reply.tool_calls, reply.finish_reason) == ("Good morning", (), "stop")
    assert (reply.model, reply.cached, reply.attempts, reply.usage.calls) == ("openai/tiny", False, 1, 1)
    cents = reply.usage.input_tokens * 15 + reply.usage.output_tokens * 60  # per hundred million tokens
    assert reply.usage.cost is not None and round(float(reply.usage.cost) * 1e8) == cents > 0
    assert ledger.total() == reply.usage


def test_the_server_gets_what_was_asked_and_nothing_of_ours(serve: Serve) -> None:
    got: list[dict[str, Any]] = []

    def keep(request: dict[str, Any]) -> dict[str, Any]:
        got.append(request)
        return {"content": "{}"}

    made = choice(serve(keep), parameters={"temperature": 0.5, "seed": 3})
    ask(made, tools=[TOOL], tool_choice="auto", schema={"type": "object"})
    assert got == [
        {
            "model": "tiny",
            "messages": HI,
            "temperature": 0.5,
            "seed": 3,
            "max_tokens": 2048,
            "tools": [TOOL],
            "tool_choice": "auto",
            "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}},
        }
    ]


def test_tool_arguments_stay_as_the_model_wrote_them(serve: Serve) -> None:
    reply = ask(choice(serve(behaviour="tool:look", script=["bad_arguments"])), tools=[TOOL])
    (call,) = reply.tool_calls
    assert (call.name, call.arguments, reply.finish_reason) == ("look", '{"q": "x"', "tool_calls")
    with pytest.raises(json.JSONDecodeError):
        json.loads(call.arguments)


def test_cached_and_reasoning_tokens_are_classes_of_their_own(serve: Serve) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "total_tokens": 150,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    server = serve(lambda _: {"content": "x", "usage": usage})
    found = ask(choice(server, prices=Prices(input="4", cached_input="1", output="2", reasoning="3"))).usage
    assert (found.input_tokens, found.cached_tokens, found.output_tokens, found.reasoning_tokens) == (40, 60, 30, 20)
    assert found.cost == "0.00034"


def test_tokens_that_the_server_does_not_tell_are_counted_as_bytes(serve: Serve) -> None:
    found = ask(choice(serve(lambda _: {"content": "x" * 50, "usage": None}), prices=ONE_MILLION_EACH)).usage
    assert found.input_tokens > 40
    assert found.output_tokens > 50
    assert found.cost == str(found.tokens)


def test_an_unknown_price_is_unknown_and_no_budget_of_money_goes_with_it(serve: Serve) -> None:
    server = serve()
    assert ask(choice(server)).usage.cost is None
    with pytest.raises(Fatal, match=r"price of openai/tiny is unknown") as error:
        ask(choice(server), limits=Limits(max_cost="1"))
    assert (error.value.kind, server.log.requests) == ("price", 1)


def test_a_reply_from_the_cache_tells_what_it_took_and_is_not_paid_again(serve: Serve, tmp_path: Path) -> None:
    server, ledger = serve(), Ledger()
    made = choice(server, prices=ONE_MILLION_EACH)
    first = ask(made, cache=tmp_path)
    again = ask(made, cache=tmp_path, ledger=ledger)
    assert first.usage.cost == str(first.usage.tokens)
    assert (again.text, again.cached, again.attempts, again.usage) == (first.text, True, 0, first.usage)
    assert (ledger.tallies()["assistant"].cached, ledger.total().tokens, server.log.requests) == (1, 0, 1)


def test_whatever_can_change_the_reply_is_another_call(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    reordered = {**SCHEMA, "properties": {"n": {"minimum": 3, "type": "integer"}}}
    del reordered["required"], reordered["additionalProperties"]
    calls: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {}),
        ({"parameters": {"temperature": 1}}, {}),
        ({}, {"messages": [{"role": "user", "content": "Good evening"}]}),
        ({}, {"tools": [TOOL]}),
        ({}, {"tools": [TOOL], "tool_choice": "none"}),
        ({}, {"repeat": 1}),
        ({"api_base": server.url + "/"}, {}),
    ]
    for _ in range(2):
        for fields, call in calls:
            made = ModelChoice(**{"model": "openai/tiny", "api_base": server.url, **fields})
            ask(made, cache=tmp_path, **call)
    assert server.log.requests == len(calls)


def test_json_that_fits_is_read(serve: Serve) -> None:
    assert ask(choice(serve(behaviour="json")), schema=SCHEMA).data == {"n": 3}


def test_json_that_does_not_fit_is_asked_for_again_with_the_reason(serve: Serve, tmp_path: Path) -> None:
    answers = iter(["no JSON", '{"n": 2}', '{"n": 4}'])
    seen: list[list[dict[str, Any]]] = []

    def behave(request: dict[str, Any]) -> dict[str, Any]:
        seen.append(request["messages"])
        return {"content": next(answers)}

    server, ledger = serve(behave), Ledger()
    reply = ask(choice(server), schema=SCHEMA, cache=tmp_path, ledger=ledger)
    assert (reply.data, reply.attempts, reply.usage.calls) == ({"n": 4}, 3, 3)
    assert ledger.total().tokens == reply.usage.tokens
    assert seen[1][-2] == {"role": "assistant", "content": "no JSON"}
    assert "no JSON" in seen[1][-1]["content"]
    assert "['n']: 2 is less than the minimum of 3" in seen[2][-1]["content"]
    again = ask(choice(server), schema=SCHEMA, cache=tmp_path)
    assert (again.data, again.cached, server.log.requests) == ({"n": 4}, True, 3)


def test_output_that_never_fits_is_given_up_after_two_more_calls(serve: Serve) -> None:
    server = serve(behaviour='say:{"n": 1}')
    with pytest.raises(BadOutput, match=r"^task 7: .*minimum of 3") as error:
        ask(choice(server), schema=SCHEMA, tag="task 7")
    assert (error.value.kind, server.log.requests) == ("schema", 3)


def test_with_a_schema_a_tool_may_still_be_called(serve: Serve) -> None:
    reply = ask(choice(serve(behaviour="tool:look")), tools=[TOOL], schema=SCHEMA)
    assert (reply.data, len(reply.tool_calls), reply.attempts) == (None, 1, 1)


def test_a_schema_that_is_none_is_the_callers_mistake(serve: Serve) -> None:
    server = serve()
    with pytest.raises(ValueError, match="nonsense"):
        ask(choice(server), schema={"type": "nonsense"})
    assert server.log.requests == 0


def test_fallbacks_answer_in_order_and_are_priced_and_cached_as_themselves(serve: Serve, tmp_path: Path) -> None:
    down, up = serve(status=100, status_code=503), serve()
    made = choice(
        down,
        fallbacks=(
            Endpoint(model="openai/second", api_base=down.url),
            Endpoint(model="openai/third", api_base=up.url, prices=FREE),
        ),
    )
    limits = Limits(max_attempts=2, timeout_s=10)
    reply = ask(made, limits=limits, cache=tmp_path)
    assert (reply.model, reply.attempts, reply.usage.cost) == ("openai/third", 5, "0")
    assert (down.log.requests, up.log.requests) == (4, 1)
    assert ask(made, limits=limits, cache=tmp_path).cached
    assert (down.log.requests, up.log.requests) == (4, 1)


def test_two_clients_of_one_loop_share_connections_until_the_last_is_closed(serve: Serve) -> None:
    server = serve()

    async def go() -> None:
        async with ModelClient(choice(server)) as one:
            async with ModelClient(choice(server)) as other:
                await one.chat(HI)
                await other.chat(HI)
            await one.chat(HI)
        async with ModelClient(choice(server)) as later:
            await later.chat(HI)

    asyncio.run(go())
    assert (server.log.requests, server.log.connections) == (4, 2)


def test_a_client_is_used_while_it_is_open(serve: Serve) -> None:
    client = ModelClient(choice(serve()))
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(client.chat(HI))


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_budget_of_tokens_stops_within_one_call(serve: Serve, concurrency: int) -> None:
    server, ledger = serve(), Ledger()
    made = choice(server, parameters={"max_tokens": 20})
    limits = Limits(concurrency=concurrency, max_tokens=1_000)

    async def go() -> list[BaseException | Reply]:
        async with ModelClient(made, limits, None, ledger) as client:
            calls = (client.chat(HI, repeat=number) for number in range(100))
            return await asyncio.gather(*calls, return_exceptions=True)

    found = asyncio.run(go())
    replies = [one for one in found if isinstance(one, Reply)]
    assert all(isinstance(one, Reply | BudgetReached) for one in found)
    worst = 20 + len(json.dumps({"messages": HI}, separators=(",", ":")))
    assert 1_000 - worst < ledger.total().tokens <= 1_000
    assert len(replies) == server.log.requests == sum(reply.attempts for reply in replies)
