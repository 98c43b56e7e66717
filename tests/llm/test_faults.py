"""What goes wrong on the way, over real HTTP: every call ends, once, and the counts of both sides agree."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import pytest

from llm import Fatal, Ledger, ModelClient, Reply
from llm.cache import FILE
from llm.secrets import HIDDEN, Scrubber
from schemas.models import Endpoint, Limits, ModelChoice
from tests import scan
from tests.llm.conftest import Serve
from tests.llm.test_client import HI, ask, choice

SECRET = "sk-fake-0123456789abcdef"


def test_retry_after_is_obeyed(serve: Serve) -> None:
    server, ledger = serve(script=["rate_limit"], retry_after="1"), Ledger()
    reply = ask(choice(server), ledger=ledger)
    first, second = server.log.times
    assert second - first >= 1
    assert (reply.attempts, ledger.tallies()["assistant"].failures) == (2, {"rate_limit": 1})


def test_other_calls_are_held_back_too(serve: Serve) -> None:
    server = serve(script=["ok", "rate_limit"], retry_after="2")

    async def go() -> None:
        async with ModelClient(choice(server), Limits(concurrency=2)) as client:
            await client.chat(HI)
            await asyncio.gather(*(client.chat(HI, repeat=number) for number in range(8)))

    asyncio.run(go())
    refused, *later = server.log.times[1:]
    assert len(later) == 8
    assert sum(moment - refused < 1.9 for moment in later) <= 1  # the one that was under way


def test_after_the_last_attempt_nobody_waits(serve: Serve) -> None:
    server = serve(rate_limit=100, retry_after="30")
    started = time.perf_counter()
    with pytest.raises(Fatal, match=r"too many requests.*1 attempt\)") as error:
        ask(choice(server), limits=Limits(max_attempts=1))
    assert time.perf_counter() - started < 25
    assert error.value.kind == "rate_limit"


def test_a_server_that_asks_for_an_hour_is_given_up(serve: Serve) -> None:
    server = serve(rate_limit=100, retry_after="3600")
    with pytest.raises(Fatal):
        ask(choice(server))
    assert server.log.requests == 1


def test_many_calls_through_a_bad_server_all_finish_and_are_counted(serve: Serve, tmp_path: Path) -> None:
    server, ledger = serve(rate_limit=10, retry_after="0.01", cut=5, malformed=5), Ledger()
    limits = Limits(concurrency=16, max_attempts=8, timeout_s=20)
    wanted = 150

    async def go() -> list[Reply]:
        async with ModelClient(choice(server), limits, tmp_path, ledger) as client:
            said = [[{"role": "user", "content": f"call {number}"}] for number in range(wanted)]
            return await asyncio.gather(*(client.chat(messages) for messages in said))

    replies = asyncio.run(go())
    log, tally = server.log, ledger.tallies()["assistant"]
    assert [reply.text for reply in replies] == [f"call {number}" for number in range(wanted)]
    assert log.requests == tally.attempts == sum(reply.attempts for reply in replies)
    assert log.actions["rate_limit"] == tally.failures["rate_limit"] >= 10
    assert log.actions["cut"] == tally.failures["connection"] >= 5
    assert log.actions["malformed"] == tally.failures["malformed"] >= 5
    assert sorted(log.answered.values()) == [1] * wanted  # none lost, none answered twice
    assert max(log.sent.values()) <= limits.max_attempts
    assert log.most_at_once <= limits.concurrency


def test_a_server_that_hangs_is_a_timeout(serve: Serve) -> None:
    server, ledger = serve(script=["hang"]), Ledger()
    reply = ask(choice(server), ledger=ledger, limits=Limits(timeout_s=0.5, max_attempts=2))
    assert (reply.attempts, ledger.tallies()["assistant"].failures) == (2, {"timeout": 1})


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("401", "authentication"),
        ("403", "permission"),
        ("404", "not_found"),
        ("400", "bad_request"),
        ("402", "payment"),
    ],
)
def test_what_cannot_pass_is_not_tried_again(serve: Serve, status: str, kind: str) -> None:
    server = serve(script=[status])
    with pytest.raises(Fatal) as error:
        ask(choice(server))
    assert (error.value.kind, server.log.requests) == (kind, 1)
    assert len(str(error.value).splitlines()) <= 3


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"code": "content_filter"}, "content_policy"),
        ({"code": "content_policy_violation"}, "content_policy"),
        ({"type": "content_filter", "code": None}, "content_policy"),
        ({"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, "content_policy"),
        ({"code": "x", "inner_error": {"code": "content_filter"}}, "content_policy"),
        ({"code": "x", "param": "content_filter"}, "bad_request"),
        ({"code": 400, "message": "content filter settings are missing"}, "bad_request"),
    ],
)
def test_a_refusal_of_the_text_is_known_by_its_code_whatever_it_says(
    serve: Serve, more: dict[str, Any], kind: str
) -> None:
    server = serve(script=["400"], complaint="refused by management", complaint_more=more)
    with pytest.raises(Fatal) as error:
        ask(choice(server))
    assert (error.value.kind, server.log.requests) == (kind, 1)
    assert str(more.get("message", "refused by management")) in str(error.value)


def test_a_wrong_key_names_the_variable_to_set(serve: Serve) -> None:
    with pytest.raises(Fatal, match=r"OPENAI_API_KEY") as error:
        ask(choice(serve(keys=["right"])))
    assert error.value.kind == "authentication"


def test_a_missing_key_is_named_before_anything_is_sent(serve: Serve) -> None:
    server = serve()
    with pytest.raises(Fatal, match="variable MY_KEY is not set"):
        ask(choice(server, key_env="MY_KEY"))
    assert server.log.requests == 0
    with pytest.raises(Fatal, match="OPENAI_API_KEY") as error:
        ask(ModelChoice(model="openai/tiny"))
    assert error.value.kind == "authentication"


def test_the_key_of_the_named_variable_is_sent(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    assert ask(choice(serve(keys=[SECRET]), key_env="MY_KEY")).text == "Good morning"


def test_a_model_without_provider_is_explained() -> None:
    with pytest.raises(Fatal, match="openai/<name>"):
        ask(ModelChoice(model="nonsense"))


def test_a_dead_server_is_one_message() -> None:
    made = ModelChoice(model="openai/tiny", api_base="http://127.0.0.1:9/v1")
    with pytest.raises(Fatal, match=r"cannot be reached at http://127\.0\.0\.1:9/v1\. \(connection, 2 attempts\)") as e:
        ask(made, limits=Limits(max_attempts=2))
    assert e.value.kind == "connection"


def test_keys_are_in_no_message_no_traceback_no_log_and_no_file(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    caplog.set_level(logging.DEBUG)
    refusing = serve(script=["401", "400", "500", "500", "500"])
    for _ in range(3):
        with pytest.raises(Fatal) as error:
            ask(choice(refusing), cache=tmp_path)
        shown = "".join(traceback.format_exception(error.value))
        assert SECRET not in shown
        assert HIDDEN in shown
    telling = serve(lambda _: {"content": f"your key is {SECRET}"})
    reply = ask(choice(telling), cache=tmp_path)
    assert reply.text == f"your key is {HIDDEN}"
    assert all(SECRET.encode() not in file.read_bytes() for file in tmp_path.iterdir())
    assert SECRET not in caplog.text


def test_short_values_are_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    monkeypatch.setenv("OTHER", "abcdefghijk")
    assert Scrubber(["OTHER"])("EMPTY abcdefghijk") == f"EMPTY {HIDDEN}"


def test_a_cache_that_cannot_be_used_is_one_message(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all, but long enough to be looked at" * 20)
    with pytest.raises(Fatal, match="cannot be used") as error:
        ask(choice(serve()), cache=tmp_path)
    assert error.value.kind == "cache"


PROGRAM = """
import asyncio, os, sys
from pathlib import Path
from llm import ModelClient
from schemas.models import Limits, ModelChoice

async def main(url, folder, wanted):
    choice = ModelChoice(model="openai/tiny", api_base=url)
    async with ModelClient(choice, Limits(concurrency=4), Path(folder)) as client:
        calls = (client.chat([{"role": "user", "content": f"call {n}"}]) for n in range(wanted))
        replies = await asyncio.gather(*calls)
    print(sum(reply.cached for reply in replies), len(replies))

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
assert "OPENAI_API_KEY" not in os.environ  # litellm would read files named .env
"""


def test_after_a_kill_no_finished_call_is_made_again(serve: Serve, tmp_path: Path) -> None:
    server, wanted = serve(latency_s=0.05), 40
    command = [sys.executable, "-c", PROGRAM, server.url, str(tmp_path), str(wanted)]
    with subprocess.Popen(command, cwd=scan.ROOT) as first:
        while server.log.requests < 20:
            assert first.poll() is None
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGKILL)
    database = sqlite3.connect(tmp_path / FILE)
    (kept,) = database.execute("SELECT count(*) FROM replies").fetchone()
    database.close()
    assert 12 <= kept <= 20  # four were under way
    before = server.log.requests
    made = ModelChoice(model="openai/tiny", api_base=server.url)

    async def go_on() -> list[Reply]:
        async with ModelClient(made, Limits(concurrency=4), tmp_path) as client:
            said = [[{"role": "user", "content": f"call {number}"}] for number in range(wanted)]
            return await asyncio.gather(*(client.chat(messages) for messages in said))

    replies = asyncio.run(go_on())
    assert (sum(reply.cached for reply in replies), len(replies)) == (kept, wanted)
    assert server.log.requests == before + wanted - kept
    assert sum(server.log.answered.values()) <= wanted + 4  # only what was under way at the kill is made twice


@pytest.mark.slow
def test_several_processes_share_one_cache(serve: Serve, tmp_path: Path) -> None:
    server, wanted = serve(latency_s=0.02), 30
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-of-a-file-12345\n", "utf-8")
    env = {**os.environ, "PYTHONPATH": str(scan.ROOT)}
    command = [sys.executable, "-W", "error", "-c", PROGRAM, server.url, str(tmp_path), str(wanted)]
    runs = [subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    before = server.log.requests
    last = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert (last.stdout.split(), server.log.requests) == ([str(wanted)] * 2, before)
    assert last.stderr == ""


def test_a_call_that_is_given_up_is_counted_and_gives_its_budget_back(serve: Serve) -> None:
    server, ledger = serve(script=["hang"]), Ledger()
    made, limits = choice(server, parameters={"max_tokens": 10}), Limits(max_tokens=120, max_attempts=1)

    async def go() -> Reply:
        async with ModelClient(made, limits, None, ledger) as client:
            task = asyncio.create_task(client.chat(HI))
            while not server.log.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await client.chat(HI)

    assert asyncio.run(go()).text == "Good morning"
    assert ledger.tallies()["assistant"].failures == {"cancelled": 1}


def test_limit_32_is_used_in_full(serve: Serve) -> None:
    server = serve(latency_s=2)

    async def go() -> None:
        async with ModelClient(choice(server), Limits(concurrency=32)) as client:
            await asyncio.gather(*(client.chat(HI, repeat=number) for number in range(40)))

    asyncio.run(go())
    assert 28 <= server.log.most_at_once <= 32


def test_fallbacks_do_not_hide_a_wrong_key(serve: Serve) -> None:
    up = serve()
    made = choice(serve(keys=["right"]), fallbacks=(Endpoint(model="openai/second", api_base=up.url),))
    with pytest.raises(Fatal):
        ask(made)
    assert up.log.requests == 0
