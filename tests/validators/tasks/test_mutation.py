"""Contracts that accept what goes wrong are caught by mutants of end-state and plan."""

from __future__ import annotations

from collections import Counter

import pytest

from schemas.contract import Allowed, AnyValue, Change, Contract, Rule
from schemas.plan import Call
from tests.validators.tasks.altering import contracted, expecting, survivors
from tests.validators.tasks_support import altered, context_of, contexts
from validators.tasks.context import TaskContext
from validators.tasks.mutation import check_mutants

BOTH = ("BALANCE", "PURCHASE")


def sums(counts: dict[str, int], group: str) -> tuple[int, int]:
    """Mutants of a group, and those rejected or equivalent."""
    total = sum(n for key, n in counts.items() if key.startswith(f"{group}/") and key.endswith("/total"))
    settled = [n for key, n in counts.items() if key.startswith(f"{group}/") and not key.endswith("/total")]
    return total, sum(settled)


def test_every_mutant_of_real_tasks_is_rejected_or_equivalent() -> None:
    groups: Counter[str] = Counter()
    for user in range(4):
        for context in contexts(user):
            verdict = check_mutants(context)
            assert verdict.passed, verdict.reason
            assert verdict.check == "task.mutants"
            for group in ("goal", "allowance", "frame", "plan"):
                total, settled = sums(verdict.counts, group)
                assert total == settled
                groups[group] += total
            named = [part for part in verdict.evidence.split(",") if part]
            assert len(named) == sum(n for key, n in verdict.counts.items() if key.endswith("/equivalent"))
    assert groups["goal"] > 400
    assert groups["frame"] > 200
    assert groups["plan"] > 60


def test_the_choice_of_mutants_does_not_depend_on_the_place_of_a_task() -> None:
    context = context_of("buy-best/fulfil", BOTH)
    moved = altered(context, task_id="u000000-t99999", ordinal=99_999)
    assert check_mutants(moved) == check_mutants(context)


# --- contracts that are too loose ----------------------------------------------------------------------------------


def freed(change: Change, *names: str) -> Change:
    """The change with some fields free."""
    free: dict[str, Rule] = {name: AnyValue() for name in names if name in change.fields}
    return change.model_copy(update={"fields": {**change.fields, **free}})


def priced_anyhow(contract: Contract) -> dict[str, object]:
    """Any packing at any price will do."""
    names = ("size", "quantity", "unit_price_cents", "subtotal_cents", "total_cents", "balance_cents")
    return {"changes": [freed(change, *names) for change in contract.changes], **any_amount(contract)}


def any_amount(contract: Contract) -> dict[str, object]:
    """Any sum in the ledger will do."""
    return {"totals": [total.model_copy(update={"fn": "ge", "value": -(10**9)}) for total in contract.totals]}


ONE_PRODUCT = ("buy-best/fulfil", "substitute/fulfil")
"""Templates of requests that end in an order of a single product."""


def of_packs_alone() -> TaskContext:
    """A purchase of nothing but packs of five, which single packs could be taken for."""
    for user in range(20):
        for context in contexts(user, 2):
            lines = [s for s in context.task.plan.steps if isinstance(s, Call) and s.tool == "add_to_cart"]
            paid = -sum(total.value for total in context.task.expectation.any_of[0].totals)
            # Single packs cost more: the wallet must bear them, or the mutant stops before it has bought anything.
            rich = int(str(context.tables["wallet"]["wallet"]["balance_cents"])) >= 2 * paid
            open_start = context.task.template.startswith(ONE_PRODUCT) and not context.task.gates and rich
            if open_start and [s.arguments["size"] for s in lines] == ["pack_5"]:
                return context
    raise LookupError("nobody buys packs alone")


def test_a_contract_that_takes_any_packing_is_caught() -> None:
    assert "plan/wrong_pack" in survivors(contracted(of_packs_alone(), priced_anyhow))


def test_a_contract_that_lets_something_lie_about_is_caught() -> None:
    def generous(contract: Contract) -> dict[str, object]:
        fields: dict[str, Rule] = dict.fromkeys(("product_id", "size", "quantity", "added_at"), AnyValue())
        return {"allowed": [Allowed(change=Change(op="create", table="cart", fields=fields), at_most=3)]}

    assert "plan/leftover" in survivors(contracted(context_of("buy-best/fulfil", BOTH), generous))


def test_a_ledger_that_nothing_holds_is_caught() -> None:
    """Totals and relations hold the ledger; each of them alone still does."""
    context = context_of("buy-best/fulfil", ())
    loose = contracted(context, lambda contract: {**any_amount(contract), "relations": []})
    assert any(name.startswith("goal/") for name in survivors(loose))
    assert not survivors(contracted(context, any_amount))


def test_an_answer_that_is_not_looked_at_is_caught() -> None:
    """A contract that expects fewer answers than are told: what is told may then be wrong."""
    context = context_of("buy-best/cannot_afford")
    kept = [answer for answer in context.task.expectation.answers if answer.kind == "reason"]
    verdict = check_mutants(expecting(context, answers=kept))
    assert sums(verdict.counts, "goal") < sums(check_mutants(context).counts, "goal")


@pytest.mark.parametrize("template", ["clean-up-cart/fulfil", "spending-question/fulfil"])
def test_every_task_has_mutants(template: str) -> None:
    total, settled = sums(check_mutants(context_of(template)).counts, "goal")
    assert total == settled > 0
