"""A model server for each test that wants one, and no keys of whoever runs the tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.model_server.behaviours import Behaviour
from tests.model_server.plan import Plan
from tests.model_server.server import ModelServer

Serve = Callable[..., ModelServer]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server in a thread: `serve(function, rate_limit=10)`; parts of the plan are keywords."""
    with ExitStack() as stack:

        def start(answering: Behaviour | None = None, **plan: object) -> ModelServer:
            return stack.enter_context(ModelServer(Plan.of(plan), answering))

        yield start
