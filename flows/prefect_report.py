"""What a run shows in Prefect: how far it is, and at the end its report and funnel.

What Prefect cannot take is logged and changes nothing: the run does not depend on it.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from flows.summary import funnel_rows, report_text

if TYPE_CHECKING:
    from uuid import UUID

    from flows.amounts import Amount
    from flows.store import RunFolder

EVERY_S = 10.0
"""Least seconds between two updates, each of which is a request to the server."""
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class ShownProgress:
    """The progress artifact of a run, made with its first update."""

    artifact: UUID | None = None
    next_at: float = 0.0

    def update(self, amount: Amount) -> None:
        """Show how much there is by now, if it is time."""
        if time.monotonic() < self.next_at:
            return
        self.next_at = time.monotonic() + EVERY_S
        percent = 100.0 * amount.kept / amount.wanted
        try:
            if self.artifact is None:
                made = create_progress_artifact(percent, key="pausegen-progress", description=f"{amount.unit} kept")
                self.artifact = cast("UUID", made)
            else:
                update_progress_artifact(self.artifact, percent)
        except Exception as error:
            _log.warning("Prefect did not take the progress: %s", error)


def show_result(run: RunFolder) -> None:
    """Show the report and the funnel of a run."""
    funnel = run.funnel()
    try:
        create_markdown_artifact(report_text(run.config, funnel, run.amount()), key="pausegen-report")
        create_table_artifact(funnel_rows(funnel), key="pausegen-funnel")
    except Exception as error:
        _log.warning("Prefect did not take the report: %s", error)
