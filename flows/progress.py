"""Says on standard error how far a run is: one live line on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

EVERY_S = 10.0
"""Seconds between two log lines where there is no terminal."""
_log = logging.getLogger(__name__)

Report: TypeAlias = "Callable[[int], None]"


@contextmanager
def progress(wanted: int, done: int, *, live: bool) -> Generator[Report]:
    """Yield a function that is told how many tasks the run holds by now, of `wanted`."""
    if live and sys.stderr.isatty():
        with _bar(wanted, done) as report:
            yield report
    else:
        yield _lines(wanted)


def _lines(wanted: int) -> Report:
    said_at = [time.monotonic()]

    def report(kept: int) -> None:
        if time.monotonic() - said_at[0] > EVERY_S:
            said_at[0] = time.monotonic()
            _log.info("%d of %d tasks", kept, wanted)

    return report


@contextmanager
def _bar(wanted: int, done: int) -> Generator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("tasks"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task("tasks", total=wanted, completed=done)
        yield lambda kept: bar.update(shown, completed=kept)
