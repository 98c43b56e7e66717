"""The one mapping from what litellm raises to the errors of this package.

The order matters: a context that is too long is a bad request, a timeout is a connection error, and litellm calls
nearly everything that it does not know an internal server error.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

from llm.errors import Fatal, Retryable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from llm.secrets import Scrubber
    from schemas.models import Endpoint

_LONGEST = 300
_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception)(?:: | - ))*")
_QUOTA = ("insufficient_quota", "exceeded your current quota")
_NO_KEY = ("Missing credentials", "api_key client option must be set")
_FATAL = (
    ("ContextWindowExceededError", "context_window"),
    ("ContentPolicyViolationError", "content_policy"),
    ("PaymentRequiredError", "payment"),
    ("UnsupportedParamsError", "unsupported"),
    ("AuthenticationError", "authentication"),
    ("PermissionDeniedError", "permission"),
    ("NotFoundError", "not_found"),
)
"""Classes of litellm that say exactly what is wrong, the narrower ones first."""
_BY_STATUS = {401: "authentication", 402: "payment", 403: "permission", 404: "not_found"}
_UNREADABLE = {"JSONDecodeError", "APIResponseValidationError"}
_EMPTY = ("no 'choices'", "invalid response from LLM endpoint")
_POLICY_CODES = frozenset(
    {"content_filter", "content_policy", "content_policy_violation", "responsibleaipolicyviolation"}
)
"""Codes and types of errors, in small letters, by which a server says that it refuses what it was given."""
_PASSING_STATUS = frozenset({408, 409, 425})
_ADVICE = {
    "authentication": "Set the right key in {key}.",
    "permission": "The key in {key} may not use this model.",
    "not_found": "Correct `model` or `api_base`.",
    "payment": "The account of the key in {key} has no credit left.",
    "context_window": "Give it less, or choose a model with a longer context.",
    "unsupported": "Take this parameter out, or choose another model.",
    "bad_request": "Names carry their provider, such as openai/<name>; see `parameters` too.",
}


def failure(error: Exception, endpoint: Endpoint, scrub: Scrubber) -> Retryable | Fatal:
    """Return what `error` means for a request to `endpoint`."""
    text = str(error)
    status: object = getattr(error, "status_code", None)
    causes = list(_causes(error))
    names, led_to = _classes([error]), _classes(causes)
    if names & {"TimeoutError", "APITimeoutError"}:
        return Retryable("timeout", f"{endpoint.model} did not answer in time{_at(endpoint)}.")
    for name, kind in _FATAL:
        if name in names:
            return _fatal(kind, text, endpoint, scrub)
    if any(mark in text for mark in _NO_KEY):
        return _fatal("authentication", "no key is set", endpoint, scrub)
    if "RateLimitError" in names or status == 429:
        if any(mark in text for mark in _QUOTA):
            return _fatal("payment", text, endpoint, scrub)
        return Retryable("rate_limit", _said(text, endpoint, scrub), _retry_after(error))
    if led_to & _UNREADABLE or any(mark in text for mark in _EMPTY):
        return Retryable("malformed", f"{endpoint.model} sent a reply that cannot be read{_at(endpoint)}.")
    if "APIConnectionError" in led_to or any(isinstance(cause, OSError) for cause in causes):
        return Retryable("connection", f"{endpoint.model} cannot be reached{_at(endpoint)}.")
    if isinstance(status, int) and 400 <= status < 500 and status not in _PASSING_STATUS:
        # litellm knows such a refusal by its wording, which differs from server to server
        if any(code.lower() in _POLICY_CODES for cause in causes for code in _codes(getattr(cause, "body", None))):
            return _fatal("content_policy", text, endpoint, scrub)
        return _fatal(_BY_STATUS.get(status, "bad_request"), text, endpoint, scrub)
    if isinstance(status, int):
        return Retryable("server", _said(text, endpoint, scrub), _retry_after(error))
    return Fatal("unexpected", _said(f"{type(error).__name__}: {text}", endpoint, scrub))


def _classes(errors: list[BaseException] | list[Exception]) -> set[str]:
    """Return the names of all classes of errors: litellm is not loaded to know them."""
    return {kind.__name__ for error in errors for kind in type(error).__mro__}


def key_variable(endpoint: Endpoint) -> str:
    """Return the environment variable that holds the key of `endpoint`."""
    provider = endpoint.model.partition("/")[0] if "/" in endpoint.model else "openai"
    return endpoint.key_env or f"{re.sub('[^A-Z0-9]', '_', provider.upper())}_API_KEY"


def _fatal(kind: str, text: str, endpoint: Endpoint, scrub: Scrubber) -> Fatal:
    said = _said(text, endpoint, scrub)
    advice = _ADVICE.get(kind)
    return Fatal(kind, f"{said}\n{advice.format(key=key_variable(endpoint))}" if advice else said)


def _said(text: str, endpoint: Endpoint, scrub: Scrubber) -> str:
    """Return the first line of what was said, without the names of classes."""
    line = _PREFIX.sub("", scrub(text).strip()).partition("\n")[0].strip().rstrip(".")
    return f"{endpoint.model}{_at(endpoint)}: {line[:_LONGEST] or 'no reason given'}."


def _at(endpoint: Endpoint) -> str:
    return f" at {endpoint.api_base}" if endpoint.api_base else ""


def _codes(body: object) -> Iterator[str]:
    """Yield the codes and types of an error as the server sent it, outer and inner ones."""
    if not isinstance(body, dict):
        return
    fields = cast("dict[str, object]", body)
    yield from (value for name in ("code", "type") if isinstance(value := fields.get(name), str))
    for name in ("error", "innererror", "inner_error"):
        yield from _codes(fields.get(name))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _retry_after(error: Any) -> float | None:  # noqa: ANN401 - any error of litellm
    """Return the seconds of the header `Retry-After`; a date is counted from the header `Date`, not from a clock."""
    sent: Mapping[str, str] | None = getattr(getattr(error, "response", None), "headers", None)
    headers: Mapping[str, str] = sent or getattr(error, "litellm_response_headers", None) or {}
    given = headers.get("retry-after")
    if given is None:
        return None
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(given) - parsedate_to_datetime(headers["date"])).total_seconds()
        except (KeyError, TypeError, ValueError):
            return None
    return max(0.0, seconds) if seconds == seconds and seconds != float("inf") else None
