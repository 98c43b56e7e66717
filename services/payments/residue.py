"""What may be left behind where the money did not suffice: it costs nothing and lapses by itself."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.base import Json
from schemas.contract import Allowed, AnyValue, Change, Equal, Rule


def left_over(table: str, fields: Iterable[str], at_most: int = 1, **fixed: Json) -> Allowed:
    """Return that records with these fields may be created, any but the `fixed` ones free."""
    rules: dict[str, Rule] = {name: AnyValue() for name in fields}
    rules |= {name: Equal(value=value) for name, value in fixed.items()}
    return Allowed(change=Change(op="create", table=table, fields=rules), at_most=at_most)


def unpaid(kind: str) -> Allowed:
    """Return that one transaction of a kind may be left pending."""
    amounts = ("subtotal_cents", "saving_cents", "total_cents", "voucher_id", "created_at")
    return left_over("transactions", amounts, kind=kind, status="pending", settled_at=None)
