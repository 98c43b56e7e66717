"""From the faults that a check finds to its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.certificate import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SHOWN = 3


def verdict(check: str, faults: Sequence[str], counts: Mapping[str, int] | None = None, note: str = "") -> Verdict:
    """Return the verdict of `check`, which passes when there are no `faults`.

    `note` says why a task passes to which the check does not apply.
    """
    more = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return Verdict(
        check=check,
        passed=not faults,
        reason="; ".join(faults[:_SHOWN]) + more,
        counts=dict(counts or {}),
        evidence=note,
    )
