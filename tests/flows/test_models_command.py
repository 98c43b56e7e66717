"""`pausegen models check`, against real servers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.cli import main
from tests.model_server.behaviours import calling, fitting_json
from tests.model_server.plan import Plan
from tests.model_server.server import ModelServer

Capture = pytest.CaptureFixture[str]
SECRET = "sk-fake-0123456789abcdef"


def able(request: dict[str, Any]) -> dict[str, Any]:
    """Calls tools and keeps to schemas."""
    return calling("ping")(request) if "tools" in request else fitting_json(request)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.upper().endswith(("_API_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(Plan(keys=("no-key",)), able) as running:
        yield running


def test_models_that_can_what_is_wanted(server: ModelServer, tmp_path: Path, capsys: Capture) -> None:
    config = tmp_path / "models.yaml"
    roles = {
        "assistant": {"model": "openai/a", "api_base": server.url, "prices": {"input": "1", "output": "2"}},
        "user": {"model": "openai/u", "api_base": server.url},
    }
    config.write_text(json.dumps({"models": {**roles, "limits": {"max_attempts": 1}}}), "utf-8")
    assert main(["models", "check", "--config", str(config)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    rows = {line.split()[0]: line.split()[2:] for line in captured.out.splitlines()}
    assert rows["assistant"] == ["yes", "OPENAI_API_KEY", "no", "yes", "yes", "config"]
    assert rows["user"][-1] == "unknown"


def test_each_failure_is_one_message(server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    arguments = ["models", "check", "--assistant", "openai/a", "--judge", "openai/j", "--api-base", server.url]
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.err.count("pausegen: ") == 2
    assert captured.out.splitlines()[1].split()[2:] == ["no", "OPENAI_API_KEY", "yes", "-", "-", "unknown"]
    assert "Set the right key in OPENAI_API_KEY." in captured.err
    assert SECRET not in captured.out + captured.err
    assert "Traceback" not in captured.err


def test_an_assistant_that_can_neither_call_tools_nor_keep_to_a_schema(capsys: Capture) -> None:
    with ModelServer(Plan(behaviour="echo")) as echoing:
        assert main(["models", "check", "--assistant", "openai/a", "--api-base", echoing.url]) == 1
        assert "can neither call tools nor keep to a JSON Schema" in capsys.readouterr().err
        assert main(["models", "check", "--writer", "openai/a", "--api-base", echoing.url]) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("assistent: {model: a}", "unknown key 'assistent'"),
        ("assistant: {model: a, prices: {input: 0.15}}", "write it in quotes"),
        (f"assistant: {{model: a, parameters: {{api_key: {SECRET}}}}}", "name one in `key_env`"),
        ("limits: {}", "no model is named"),
        ("models: 3", "must hold one mapping"),
    ],
)
def test_wrong_settings_end_with_2(text: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    config = tmp_path / "models.yaml"
    config.write_text(text, "utf-8")
    assert main(["models", "check", "--config", str(config)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert SECRET not in err
