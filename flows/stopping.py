"""Stopping a run: the first Ctrl-C (or SIGTERM) lets every worker finish its extent, the second ends at once.

The request is a file in the run's work folder, so that worker processes see it too. Shards are whole at any moment, so
ending at once loses nothing but the extents in work.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flows.errors import InterruptedRun
from flows.store import WORK

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path
    from types import FrameType

_STOP = "stop"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_signalled = threading.Event()
_log = logging.getLogger(__name__)


def request_stop(root: Path) -> None:
    """Ask every process at work on the run to stop after its extent."""
    (root / WORK).mkdir(parents=True, exist_ok=True)
    (root / WORK / _STOP).touch()


def stop_requested(root: Path) -> bool:
    """Return whether the run was asked to stop."""
    return (root / WORK / _STOP).exists()


def keep_request(root: Path) -> None:
    """Ask again if this process was signalled before the run was opened, which clears the work folder."""
    if _signalled.is_set():
        request_stop(root)


@contextmanager
def stoppable(root: Path) -> Generator[None]:
    """Turn the first signal into a request to stop and the second into an immediate end. Main thread only."""

    def on_signal(number: int, frame: FrameType | None) -> None:
        if _signalled.is_set():
            os._exit(InterruptedRun.exit_code)
        _signalled.set()
        request_stop(root)
        _log.warning("stopping: the users in work are finished first; press Ctrl-C again to end at once")

    _signalled.clear()
    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def signals_deferred() -> Generator[None]:
    """Hold signals back, in this process and for ever in those it starts meanwhile.

    For Prefect's temporary server: Ctrl-C in a terminal would end it before the run could finish.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
