"""Says on standard error how far a run is: one live line on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from flows.amounts import Amount

EVERY_S = 10.0
"""Seconds between two log lines where there is no terminal."""
_log = logging.getLogger(__name__)

Report: TypeAlias = "Callable[[Amount], None]"


@contextmanager
def progress(begun: Amount, *, live: bool) -> Generator[Report]:
    """Yield a function that is told what the run holds by now; it held `begun` when it was opened."""
    if live and sys.stderr.isatty():
        with _bar(begun) as report:
            yield report
    else:
        yield _lines()


def _lines() -> Report:
    said_at = [time.monotonic()]

    def report(amount: Amount) -> None:
        if time.monotonic() - said_at[0] > EVERY_S:
            said_at[0] = time.monotonic()
            _log.info("%s", amount.text())

    return report


@contextmanager
def _bar(begun: Amount) -> Generator[Report]:
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
        TextColumn(begun.unit),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task(begun.unit, total=begun.wanted, completed=begun.kept)
        yield lambda amount: bar.update(shown, completed=amount.kept)
