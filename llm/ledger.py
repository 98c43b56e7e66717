"""What models used, per role, and the budget over all of them: one ledger may serve several clients.

The rule of the budget: before a request is sent, the most that it may use is reserved: one token per byte of the
request and the longest reply asked for, at the dearest of their prices. It is sent only when what was used, what is
reserved and this together stay within the limits. While other requests run, it waits for what they give back; when
none does, `BudgetReached` ends it. So the limits are never passed, and less than one call at its dearest is left.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from llm.errors import BudgetReached
from schemas.models import Tally, Usage, decimal_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.models import Limits, Role

NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Worst:
    """The most that one request may use; an unknown cost counts as nothing and is refused where cost is limited."""

    tokens: int
    cost: Decimal


class Ledger:
    """Counts usage per role. Give what an earlier part of the run used as `before`, so that budgets hold over both."""

    def __init__(self, before: Mapping[Role, Tally] | None = None) -> None:
        self._tallies: dict[Role, Tally] = dict(before or {})
        self._reserved: list[Worst] = []
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._lock = threading.Lock()

    def tallies(self) -> dict[Role, Tally]:
        """Return what each role did so far."""
        with self._lock:
            return dict(sorted(self._tallies.items()))

    def total(self) -> Usage:
        """Return the usage of all roles together."""
        with self._lock:
            return self._total()

    async def reserve(self, limits: Limits, worst: Worst) -> None:
        """Set `worst` aside until `release`. Raise BudgetReached when it does not fit and no running request ends."""
        while True:
            event = asyncio.Event()
            with self._lock:
                reason = self._exceeded(limits, worst)
                if reason is None:
                    self._reserved.append(worst)
                    return
                if not self._reserved:
                    raise BudgetReached(reason)
                self._waiting.append((asyncio.get_running_loop(), event))
            await event.wait()

    def release(self, worst: Worst) -> None:
        """Give back what was set aside, after what was really used has been counted."""
        with self._lock:
            self._reserved.remove(worst)
            waiting, self._waiting = self._waiting, []
        for loop, event in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    def count(self, role: Role, usage: Usage = NOTHING, *, cached: int = 0, failure: str | None = None) -> None:
        """Count one request: answered with `usage`, failed as `failure`, or, with `cached`, never sent."""
        with self._lock:
            old = self._tallies.get(role, Tally())
            failures = old.failures
            if failure is not None:
                failures = {**failures, failure: failures.get(failure, 0) + 1}
            self._tallies[role] = Tally(
                usage=old.usage.plus(usage),
                cached=old.cached + cached,
                attempts=old.attempts + 1 - cached,
                failures=failures,
            )

    def _total(self) -> Usage:
        total = NOTHING
        for tally in self._tallies.values():
            total = total.plus(tally.usage)
        return total

    def _exceeded(self, limits: Limits, worst: Worst) -> str | None:
        """Return the message that says which limit would be passed."""
        if limits.max_tokens is None and limits.max_cost is None:
            return None
        used = self._total()
        if limits.max_tokens is not None:
            left = limits.max_tokens - used.tokens - sum(one.tokens for one in self._reserved)
            if worst.tokens > left:
                return _message("--max-tokens", limits.max_tokens, used.tokens, f"{worst.tokens} tokens")
        if limits.max_cost is not None:
            if used.cost is None:
                return f"--max-cost is {limits.max_cost}, but what calls cost so far is unknown: give their `prices`"
            spent = Decimal(used.cost)
            left = Decimal(limits.max_cost) - spent - sum(one.cost for one in self._reserved)
            if worst.cost > left:
                dearest = decimal_text(worst.cost)
                return _message("--max-cost", limits.max_cost, decimal_text(spent), dearest)
        return None


def _message(option: str, limit: object, used: object, worst: str) -> str:
    return (
        f"the budget is reached: {option} is {limit}, {used} is used, and the next call may take {worst}.\n"
        f"Run the same command again with a higher {option} to go on; replies in the cache are not paid again."
    )
