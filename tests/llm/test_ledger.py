"""The budget: never passed, whatever runs at once, and shared by all roles."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from llm.errors import BudgetReached
from llm.ledger import Ledger, Worst
from schemas.models import Limits, Tally, Usage


def used(tokens: int, cost: str | None = "0") -> Usage:
    return Usage(calls=1, input_tokens=tokens, cost=cost)


def test_calls_wait_for_what_running_ones_give_back() -> None:
    """Of ten calls that may take 40 and take 10 each, all that fit into 100 are made, though only two fit at once."""
    ledger, limits = Ledger(), Limits(max_tokens=100)
    stopped = most = 0

    async def call() -> None:
        nonlocal stopped, most
        worst = Worst(40, Decimal(0))
        try:
            await ledger.reserve(limits, worst)
        except BudgetReached:
            stopped += 1
            return
        await asyncio.sleep(0.001)
        ledger.count("user", used(10))
        most = max(most, ledger.total().tokens)
        ledger.release(worst)

    async def go() -> None:
        await asyncio.wait_for(asyncio.gather(*(call() for _ in range(10))), 5)

    asyncio.run(go())
    assert (most, stopped) == (70, 3)  # an eighth call might take 40 of the 30 that are left


def test_the_message_says_how_to_go_on() -> None:
    ledger = Ledger()
    ledger.count("writer", used(1, "0.75"))
    with pytest.raises(BudgetReached, match=r"--max-cost is 1, 0\.75 is used.*0\.3\.\n.*higher --max-cost"):
        asyncio.run(ledger.reserve(Limits(max_cost="1"), Worst(1, Decimal("0.3"))))
    asyncio.run(ledger.reserve(Limits(max_cost="1"), Worst(1, Decimal("0.25"))))


def test_roles_share_the_budget_and_an_earlier_part_counts() -> None:
    ledger = Ledger({"writer": Tally(usage=used(60), attempts=1)})
    ledger.count("user", used(30))
    ledger.count("user", cached=1)
    ledger.count("user", failure="timeout")
    with pytest.raises(BudgetReached):
        asyncio.run(ledger.reserve(Limits(max_tokens=100), Worst(11, Decimal(0))))
    found = ledger.tallies()["user"]
    assert (found.attempts, found.cached, found.failures, found.usage.calls) == (2, 1, {"timeout": 1}, 1)


def test_an_unknown_price_stops_a_run_with_limited_money() -> None:
    ledger = Ledger()
    ledger.count("user", used(1, None))
    with pytest.raises(BudgetReached, match="unknown"):
        asyncio.run(ledger.reserve(Limits(max_cost="5"), Worst(1, Decimal(0))))
    asyncio.run(ledger.reserve(Limits(), Worst(1, Decimal(0))))
