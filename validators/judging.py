"""Turns the faults that a check finds into a verdict; whatever goes wrong inside the check is a failed verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from schemas.certificate import Verdict

_VERDICT = Verdict(check="", passed=True)
_SHOWN = 3
_MOST = 1_000
"""A check that finds more faults than this is not listened to any longer."""


def judge(name: str, find: Callable[[], Iterator[str]]) -> Verdict:
    """Return the verdict of check `name`, which passes when `find` yields no fault.

    An exception is a failed verdict that tells its type and text.
    """
    try:
        faults = list(islice(find(), _MOST))
    except Exception as error:
        return Verdict(check=name, passed=False, reason=f"{type(error).__name__}: {error}")
    more = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    reason = "; ".join(faults[:_SHOWN]) + more
    # Its values are just what its fields say, so they are not validated again.
    return _VERDICT.changed({"check": name, "passed": not faults, "reason": reason, "counts": {"faults": len(faults)}})
