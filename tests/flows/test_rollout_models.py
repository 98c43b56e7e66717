"""Rollouts with models, against real servers on this machine: resume, budgets, wrong keys and dead servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.errors import BudgetError, UnreachableError
from flows.rollout_store import load_rollout, read_rollout
from schemas.base import Json
from schemas.trajectory import Did
from tests.flows.rollouts import shard_bytes
from tests.flows.test_rollout import roll_out
from tests.llm.conftest import Serve, _no_keys, serve

__all__ = ["_no_keys", "serve"]
PRICES: dict[str, Json] = {"input": "1", "output": "1"}


def looking(request: dict[str, Any]) -> dict[str, Any]:
    """Look at the wallet, then say that all is done."""
    usage = {"prompt_tokens": 20_000, "completion_tokens": 10, "total_tokens": 20_010}
    if request["messages"][-1]["role"] == "tool":
        return {"content": "All done.", "usage": usage}
    return {"tool_calls": [{"name": "get_wallet", "arguments": "{}"}], "usage": usage}


def options(url: str, **more: Json) -> dict[str, Json]:
    return {
        "assistant": "openai/tiny",
        "models.assistant.api_base": url,
        "models.assistant.prices": PRICES,
        "models.assistant.parameters": {"max_tokens": 50},
        "models.limits.max_attempts": 1,
        "subset.tasks": 8,
        **{name.replace("__", "."): value for name, value in more.items()},
    }


def test_a_model_plays_and_a_second_time_nothing_is_asked(
    finished: Path, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    server = serve(looking)
    roll_out(finished, tmp_path / "r", options(server.url))
    asked = server.log.requests
    found = list(read_rollout(tmp_path / "r"))
    assert {t.assistant.name for t in found} == {"openai/tiny"}
    assert [e.tool for e in found[0].events if isinstance(e, Did)] == ["get_wallet"]
    assert all(t.score is not None for t in found)
    known = load_rollout(tmp_path / "r")
    assert known is not None
    # twins ask the same, and the second of them may have its reply from the first
    tally = known.usage["assistant"]
    assert (tally.usage.calls, tally.usage.calls + tally.cached) == (asked, 16)
    assert known.counts.assistant.calls == 16
    before = shard_bytes(tmp_path / "r")
    for file in (tmp_path / "r" / "trajectories").iterdir():
        file.unlink()
    roll_out(finished, tmp_path / "r", options(server.url))
    assert server.log.requests == asked
    assert shard_bytes(tmp_path / "r").keys() == before.keys()


def test_a_budget_stops_it_and_more_of_it_goes_on(
    finished: Path, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    server = serve(looking)
    one: dict[str, Json] = {"models__limits__concurrency": 1}
    with pytest.raises(BudgetError, match="higher --max-tokens"):
        roll_out(finished, tmp_path / "r", options(server.url, models__limits__max_tokens=200_000, **one))
    asked = server.log.requests
    assert 0 < asked < 16
    known = load_rollout(tmp_path / "r")
    assert known is not None and not known.complete
    assert 0 < known.usage["assistant"].usage.tokens <= 200_000
    roll_out(finished, tmp_path / "r", options(server.url, **one))
    assert set(server.log.sent.values()) == {1}
    known = load_rollout(tmp_path / "r")
    assert known is not None and known.complete
    assert known.usage["assistant"].usage.calls == server.log.requests


def test_a_wrong_key_is_one_message(
    finished: Path, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789")
    server = serve(looking, keys=["right"])
    with pytest.raises(UnreachableError, match="OPENAI_API_KEY") as error:
        roll_out(finished, tmp_path / "r", options(server.url))
    assert "sk-wrong" not in str(error.value)
    assert "the same command goes on" in str(error.value)
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    roll_out(finished, tmp_path / "r", options(server.url))


def test_an_unknown_model_is_one_message(
    finished: Path, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(UnreachableError, match="Correct `model`"):
        roll_out(finished, tmp_path / "r", options(serve(looking, models=["other"]).url))


def test_a_dead_server_is_one_message(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(UnreachableError, match=r"cannot be reached at http://127\.0\.0\.1:9/v1"):
        roll_out(finished, tmp_path / "r", options("http://127.0.0.1:9/v1"))


def test_a_model_can_be_the_user(finished: Path, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaving(request: dict[str, Any]) -> dict[str, Any]:
        return {"tool_calls": [{"name": "end_conversation", "arguments": "{}"}], "content": "Thank you."}

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    given = options(serve(leaving).url)
    given = {key.replace("models.assistant", "models.user"): value for key, value in given.items()}
    roll_out(finished, tmp_path / "r", {**given, "assistant": "oracle", "user": "openai/tiny"})
    ends = {t.end for t in read_rollout(tmp_path / "r")}
    assert ends <= {"done", "user_stopped", "user_fault"}
    assert "done" in ends
