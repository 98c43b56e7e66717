"""An assistant played by a model, over real HTTP: what it does wrong never ends the conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from generators.agents.model import Actions
from schemas.trajectory import Budget, Did, Said
from tests.defects_rollout.staging import first_context, oracle_talks
from tests.llm.conftest import Serve, _no_keys, serve
from tests.model_players import assistant_as, converse_with
from validators.scoring.score import score

__all__ = ["_no_keys", "serve"]
BUYS = first_context(lambda context: context.task.template == "buy-best/fulfil")
SAMPLE = oracle_talks()[::5]


@pytest.mark.parametrize("actions", ["native", "json"])
def test_a_model_that_does_what_is_right_passes(serve: Serve, actions: Actions) -> None:
    url = serve(assistant_as([trajectory for _, trajectory in SAMPLE], actions)).url
    for context, before in SAMPLE:
        trajectory = converse_with(context, assistant=url, actions=actions)
        found = score(context, trajectory)
        assert found is not None and found.passed, (context.task.task_id, found)
        assert trajectory.end_hash == before.end_hash
        assert trajectory.assistant.usage.calls > 1
        assert trajectory.assistant.parameters["actions"] == actions


def test_a_model_that_knows_no_tool_calls_gets_them_as_text(serve: Serve) -> None:
    context, trajectory = SAMPLE[0]
    seen: list[dict[str, Any]] = []
    right = assistant_as([trajectory], "json")

    def behave(request: dict[str, Any]) -> dict[str, Any]:
        seen.append(request)
        return right(request)

    converse_with(context, assistant=serve(behave).url, actions="json")
    assert all("tools" not in request for request in seen)
    assert all(set(message) == {"role", "content"} for message in seen[-1]["messages"])
    called = [json.loads(m["content"]) for m in seen[-1]["messages"] if m["role"] == "assistant"]
    made = [call for turn in called for call in turn["calls"]]
    assert [call["tool"] for call in made] == [
        e.tool for e in trajectory.events if isinstance(e, Did) and e.side == "assistant"
    ][: len(made)]
    assert made and all(isinstance(call["arguments"], dict) for call in made)
    assert any(m["content"].startswith("[Result] {") for m in seen[-1]["messages"])


BAD: list[tuple[dict[str, Any], str]] = [
    ({"tool_calls": [{"name": "get_wallet", "arguments": '{"a": '}]}, "INVALID_ARGUMENTS"),
    ({"tool_calls": [{"name": "get_wallet", "arguments": "[1]"}]}, "INVALID_ARGUMENTS"),
    ({"tool_calls": [{"name": "get_wallet", "arguments": '{"a": NaN}'}]}, "INVALID_ARGUMENTS"),
    ({"tool_calls": [{"name": "get_wallet", "arguments": '{"a": 1}'}]}, "INVALID_ARGUMENTS"),
    ({"tool_calls": [{"name": "buy_everything", "arguments": "{}"}]}, "UNKNOWN_TOOL"),
    ({"tool_calls": [{"name": "", "arguments": "{}"}]}, "UNKNOWN_TOOL"),
    ({"tool_calls": [{"name": "top_up_wallet", "arguments": '{"amount": 5}'}]}, "WRONG_SIDE"),
]


@pytest.mark.parametrize(("broken", "code"), BAD)
def test_a_call_that_cannot_be_made_is_answered_and_the_conversation_goes_on(
    serve: Serve, broken: dict[str, Any], code: str
) -> None:
    replies = iter([broken, broken])
    url = serve(lambda _: next(replies, {"content": "I could not do it."})).url
    trajectory = converse_with(BUYS, assistant=url)
    tried = [e for e in trajectory.events if isinstance(e, Did) and e.side == "assistant"]
    codes: list[Any] = [e.result["error"] for e in tried]
    assert [error["code"] for error in codes] == [code, code]
    assert trajectory.end == "user_stopped"
    assert trajectory.end_hash == trajectory.start_hash


def test_an_empty_reply_is_answered_by_the_platform(serve: Serve) -> None:
    replies = iter([{"content": ""}, {"content": None}, {"content": " \n"}])
    url = serve(lambda _: next(replies, {"content": "I could not do it."})).url
    trajectory = converse_with(BUYS, assistant=url)
    assert [e.by for e in trajectory.events if isinstance(e, Said)][1:4] == ["platform"] * 3
    assert trajectory.end == "user_stopped"


def test_a_model_that_only_repeats_itself_is_bounded_by_the_budget(serve: Serve) -> None:
    url = serve(lambda _: {"tool_calls": [{"name": "get_wallet", "arguments": "{}"}]}).url
    trajectory = converse_with(BUYS, assistant=url, budget=Budget(calls=5))
    assert (trajectory.end, sum(isinstance(e, Did) for e in trajectory.events)) == ("budget", 5)


def test_json_that_never_fits_ends_it_as_the_models_fault(serve: Serve) -> None:
    trajectory = converse_with(BUYS, assistant=serve(lambda _: {"content": "no JSON"}).url, actions="json")
    assert trajectory.end == "agent_error"
    assert "does not keep to the schema" in trajectory.end_detail
    found = score(BUYS, trajectory)
    assert found is not None and not found.passed


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        ("Your request was rejected as a result of the safety system.", "content_policy_violation"),
        ("Refused by management.", "content_filter"),
    ],
)
def test_a_conversation_that_the_model_cannot_go_on_with_is_its_failure(serve: Serve, message: str, code: str) -> None:
    url = serve(script=["400"], complaint=message, complaint_code=code).url
    trajectory = converse_with(BUYS, assistant=url)
    assert trajectory.end == "agent_error", trajectory.end_detail
    found = score(BUYS, trajectory)
    assert found is not None and not found.passed


def test_a_dead_server_says_nothing_about_the_assistant() -> None:
    trajectory = converse_with(BUYS, assistant="http://127.0.0.1:9/v1")
    assert trajectory.end == "infrastructure_error"
    assert score(BUYS, trajectory) is None
