"""What a conversation has used up, and whether its budget allows more."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import TYPE_CHECKING

from schemas.models import Usage

if TYPE_CHECKING:
    from schemas.trajectory import Budget

_NOTHING = Usage()


class Spending:
    """Counts turns and calls of the assistant, and what both sides' models use. Looked at between turns."""

    def __init__(self, budget: Budget) -> None:
        """Start with nothing spent; the clock runs from here."""
        self.budget = budget
        self.turns = 0
        self.calls = 0
        self.assistant = _NOTHING
        self.user = _NOTHING
        self._began = time.monotonic()

    @property
    def calls_left(self) -> int:
        """Tool calls that the assistant may still make."""
        return max(0, self.budget.calls - self.calls)

    def use(self, side: str, usage: Usage) -> None:
        """Add what a turn of one side's model used."""
        if not usage.calls and not usage.tokens:
            return
        if side == "assistant":
            self.assistant = self.assistant.plus(usage)
        else:
            self.user = self.user.plus(usage)

    def exhausted(self) -> str:
        """Return which part of the budget is used up, in a sentence; empty while the assistant may have a turn."""
        budget = self.budget
        if self.turns >= budget.turns:
            return f"the budget of {budget.turns} turns is used up"
        tokens = self.assistant.tokens + self.user.tokens
        if budget.tokens is not None and tokens >= budget.tokens:
            return f"the budget of {budget.tokens} tokens is used up"
        if budget.seconds is not None and time.monotonic() - self._began >= budget.seconds:
            return f"the budget of {budget.seconds:g} seconds is used up"
        return "" if budget.cost is None else self._unaffordable(budget.cost)

    def _unaffordable(self, most: str) -> str:
        spent = [self.assistant.cost, self.user.cost]
        if None in spent:
            return f"the budget is {most} dollars and what the model costs is not known; set its prices"
        if sum(Decimal(amount) for amount in spent if amount is not None) >= Decimal(most):
            return f"the budget of {most} dollars is used up"
        return ""
