"""What litellm raises, mapped once: the narrower class before the wider one."""

from __future__ import annotations

from typing import Any

import pytest

from llm.errors import Fatal, Retryable
from llm.failures import failure, key_variable
from llm.secrets import Scrubber
from llm.wire import load
from schemas.models import Endpoint

ENDPOINT = Endpoint(model="azure_ai/some")


def response(status: int, **headers: str) -> Any:  # noqa: ANN401
    import httpx

    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers=named, request=httpx.Request("POST", "http://127.0.0.1/v1"))


def raised(name: str, message: str = "some reason", **more: Any) -> Exception:  # noqa: ANN401
    return getattr(load().exceptions, name)(message=message, model="some", llm_provider="azure", **more)


@pytest.mark.parametrize(
    ("name", "more", "kind"),
    [
        ("ContextWindowExceededError", {}, "context_window"),
        ("ContentPolicyViolationError", {}, "content_policy"),
        ("UnsupportedParamsError", {}, "unsupported"),
        ("BadRequestError", {}, "bad_request"),
        ("AuthenticationError", {}, "authentication"),
        ("PermissionDeniedError", {"response": response(403)}, "permission"),
        ("NotFoundError", {}, "not_found"),
    ],
)
def test_what_cannot_pass(name: str, more: dict[str, Any], kind: str) -> None:
    found = failure(raised(name, **more), ENDPOINT, Scrubber())
    assert isinstance(found, Fatal)
    assert (found.kind, "some reason" in str(found)) == (kind, True)
    assert "litellm" not in str(found)


@pytest.mark.parametrize(
    ("name", "more", "kind"),
    [
        ("Timeout", {}, "timeout"),
        ("APIConnectionError", {}, "connection"),
        ("RateLimitError", {}, "rate_limit"),
        ("InternalServerError", {}, "server"),
        ("ServiceUnavailableError", {}, "server"),
        ("BadGatewayError", {}, "server"),
    ],
)
def test_what_may_pass(name: str, more: dict[str, Any], kind: str) -> None:
    found = failure(raised(name, **more), ENDPOINT, Scrubber())
    assert isinstance(found, Retryable)
    assert (found.kind, found.retry_after) == (kind, None)


def test_an_empty_account_is_no_rate_limit() -> None:
    found = failure(raised("RateLimitError", "You exceeded your current quota, please check"), ENDPOINT, Scrubber())
    assert (type(found), found.kind) == (Fatal, "payment")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "2.5"}, 2.5),
        ({"retry_after": "-1"}, 0),
        ({"retry_after": "Mon, 30 Nov 2026 10:00:07 GMT", "date": "Mon, 30 Nov 2026 10:00:00 GMT"}, 7),
        ({"retry_after": "Mon, 30 Nov 2026 10:00:07 GMT"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({}, None),
    ],
)
def test_how_long_the_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    found = failure(raised("RateLimitError", response=response(429, **headers)), ENDPOINT, Scrubber())
    assert isinstance(found, Retryable)
    assert found.retry_after == seconds


def test_what_nobody_expects_is_not_tried_again() -> None:
    found = failure(KeyError("oops"), ENDPOINT, Scrubber())
    assert (type(found), found.kind) == (Fatal, "unexpected")


def test_errors_survive_pickling() -> None:
    import pickle

    for error in (Fatal("payment", "text"), Retryable("server", "text", 2.0)):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made on the line above
        assert (type(again), again.kind, str(again)) == (type(error), error.kind, "text")


def test_the_variable_of_the_key() -> None:
    assert key_variable(ENDPOINT) == "AZURE_AI_API_KEY"
    assert key_variable(Endpoint(model="gpt-4o")) == "OPENAI_API_KEY"
    assert key_variable(Endpoint(model="a/b", key_env="MINE")) == "MINE"
