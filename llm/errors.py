"""The errors of a model call. Each message says what happened and what to do, and holds no key."""

from __future__ import annotations


class ModelError(Exception):
    """Any failure of a model call."""

    exit_code = 1


class Retryable(ModelError):
    """An attempt failed in a way that may pass; the client itself handles it and callers never see it.

    Kinds: `rate_limit`, `timeout`, `connection`, `server`, `malformed`.
    """

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(kind, message, retry_after)
        self.kind = kind
        self.retry_after = retry_after
        """Seconds that the server asks to wait."""

    def __str__(self) -> str:
        return self.args[1]


class Fatal(ModelError):
    """The call cannot succeed, or did not in any of its attempts.

    Kinds: `authentication`, `permission`, `not_found`, `payment`, `context_window`, `content_policy`, `unsupported`,
    `bad_request`, `price`, and the kinds of `Retryable` when every attempt failed.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind

    def __str__(self) -> str:
        return self.args[1]


class BadOutput(ModelError):
    """The model answered, but not with what was asked for, after all repairs. Kinds: `json`, `schema`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind

    def __str__(self) -> str:
        return self.args[1]


class BudgetReached(ModelError):
    """The next call might cost more than is left; the message says how to go on."""

    exit_code = 4
