"""What validation says of a record: one verdict per check; a task ships them all as its certificate."""

from __future__ import annotations

from schemas.base import Model


class Verdict(Model):
    """The result of one check on one record."""

    check: str
    """Stable name of the check, such as `task.replay`."""
    passed: bool
    """Whether the record may move on as far as this check is concerned."""
    reason: str = ""
    """Why it failed, in one sentence; empty when it passed."""
    counts: dict[str, int] = {}
    """What was executed, as counts: never times. Keys with a slash group, such as `goal/wrong_value/rejected`."""
    evidence: str = ""
    """Digest over what the check looked at, when that is more than the counts can tell; else empty."""


class Certificate(Model):
    """All verdicts on one kept task, in the order of the checks."""

    task_id: str
    verdicts: list[Verdict]
    tool_calls: int
    """Tool calls executed to reach these verdicts."""
