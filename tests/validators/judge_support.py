"""Short words for contracts over the toy state, and for judging deltas by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from schemas.base import Json
from schemas.contract import Change, Contract, Equal, Expectation, Range, Rule
from tests.validators.toy import NOW, TABLES, Rows
from validators.contract.changes import Delta, Held
from validators.contract.judge import Judgement, compile_expectation

STAMP = Range(low=NOW, high="2025-05-04T12:00:00")


def is_(**values: Json) -> dict[str, Rule]:
    return {name: Equal(value=value) for name, value in values.items()}


def new_note(title: str, **rules: Rule) -> Change:
    fields = {**is_(title=title, tag=None, day="2025-05-03", pinned=False), "made_at": STAMP, **rules}
    return Change(op="create", table="notes", fields=fields)


def new_order(var: str = "", total: int = 500) -> Change:
    fields = {**is_(kind="shop", total_cents=total), "made_at": STAMP, "settled_at": STAMP}
    return Change(op="create", table="orders", var=var, fields=fields)


def new_line(of: Rule, product_id: str, quantity: int = 1, price: int = 100) -> Change:
    fields = {**is_(product_id=product_id, quantity=quantity, price_cents=price), "order_id": of}
    return Change(op="create", table="lines", fields=fields)


def pay(cents: int) -> Change:
    return Change(op="update", table="wallet", id="wallet", fields=is_(balance_cents=1000 - cents))


def paid(cents: int) -> dict[str, tuple[Rows | None, Rows | None]]:
    wallet: Rows = {"id": "wallet", "balance_cents": 1000, "opening_cents": 1000}
    return {"wallet": (wallet, {**wallet, "balance_cents": 1000 - cents})}


def judge(
    expectation: Expectation | Contract,
    delta: Delta,
    answers: Mapping[str, Json] | None = None,
    asks: Collection[str] = (),
    false: Collection[str] = (),
    held: Held | None = None,
) -> Judgement:
    whole = Expectation(any_of=[expectation]) if isinstance(expectation, Contract) else expectation
    return compile_expectation(whole, TABLES, NOW, held).judge(
        delta, answers or {}, asks, lambda name: name not in false
    )


def passes(
    expectation: Expectation | Contract,
    delta: Delta,
    answers: Mapping[str, Json] | None = None,
    asks: Collection[str] = (),
    false: Collection[str] = (),
    held: Held | None = None,
) -> bool:
    result = judge(expectation, delta, answers, asks, false, held)
    assert result.passed == (not result.reason) == (result.contract_index >= 0)
    return result.passed
