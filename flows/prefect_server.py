"""Prefect's settings for a run, and its temporary server where the user has none."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from prefect.server.api.server import SubprocessASGIServer
from prefect.settings import PREFECT_API_URL, PREFECT_LOGGING_TO_API_ENABLED, get_current_settings, temporary_settings

from flows.guarding import end_with_me
from flows.stopping import signals_deferred

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def prefect_server() -> Generator[None]:
    """Let flows run against the user's Prefect API, or else against a temporary server that ends with this context.

    Worker processes are told its address: left to themselves, each would start a server of its own.
    """
    if get_current_settings().api.url:
        yield
        return
    server = SubprocessASGIServer()
    with signals_deferred():
        server.start()
    if server.server_process:
        end_with_me(server.server_process.pid)
    try:
        # nobody reads the logs of a server that is gone
        with temporary_settings({PREFECT_API_URL: server.api_url, PREFECT_LOGGING_TO_API_ENABLED: False}):
            yield
    finally:
        server.stop()
