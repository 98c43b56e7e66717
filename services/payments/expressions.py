"""What payments know, as expressions of the goal algebra, and the effects of paying, as goal writes."""

from __future__ import annotations

from schemas.goal import (
    Arith,
    Case,
    Col,
    Const,
    DateOf,
    Expr,
    FieldGoal,
    FieldIs,
    FieldLeft,
    FieldRef,
    Lookup,
    Named,
    Now,
    Pred,
    Table,
    Test,
    TotalGoal,
    When,
    Write,
)
from services.payments.checkout import MEMBERSHIP_DAYS, MEMBERSHIP_KIND, MEMBERSHIP_PRICE_CENTS
from services.runtime.identity import shared

RELATION = "balance_is_ledger"
"""Invariant that every goal which moves money names."""


@shared
def wallet_balance() -> Expr:
    """Return the balance at task start, in cents."""
    return _single("wallet", "wallet", "balance_cents")


@shared
def membership_expiry() -> Expr:
    """Return the last day of the membership at task start, or null."""
    return _single("membership", "membership", "expires_on")


def _single(table: str, key: str, field: str) -> Expr:
    where = Test(fn="eq", left=Col(name=f"{table}.id"), right=Const(value=key))
    return Lookup(source=Table(table=table, prefix=table), where=where, field=f"{table}.{field}")


@shared
def member(expires_on: Expr) -> Named:
    """Return 1 when a membership ending on `expires_on` is valid today, else 0. The careless reading skips the date."""

    def flag(fn_left: Expr, fn_right: Expr, equal: bool) -> Expr:
        test = Test(fn="ne" if equal else "ge", left=fn_left, right=fn_right)
        return Case(branches=[When(test=test, then=Const(value=1))], otherwise=Const(value=0))

    return Named(
        name="member", body=flag(expires_on, Now(part="date"), False), naive=flag(expires_on, Const(value=None), True)
    )


def pay_writes(total: Expr, balance: Expr) -> list[Write]:
    """Return the effect of paying `total` out of a wallet that held `balance`, topped up by exactly what is missing.

    An empty wallet is empty afterwards, which is no change.
    """
    fields: dict[str, FieldGoal] = {"balance_cents": FieldLeft(start=balance, amount=total)}
    changes = Test(fn="gt", left=balance, right=Const(value=0))
    return [Write(op="update", table="wallet", when=changes, id=Const(value="wallet"), fields=fields)]


def pay_totals(total: Expr, balance: Expr) -> list[TotalGoal]:
    """Return what the ledger must sum to: the payment, and the exact shortfall topped up."""
    zero = Const(value=0)
    return [
        TotalGoal(
            table="ledger",
            where={"kind": "payment"},
            column="amount_cents",
            value=Arith(fn="sub", args=[zero, total]),
        ),
        TotalGoal(
            table="ledger",
            where={"kind": "top_up"},
            column="amount_cents",
            value=total,
            beyond=balance,
        ),
    ]


@shared
def settled_transaction(
    kind: str, var: str, *, subtotal: Expr, saving: Expr | None = None, voucher: Expr | None = None
) -> Write:
    """Return the creation of a completed transaction, bound to `var`."""
    less = saving or Const(value=0)
    return Write(
        op="create",
        table="transactions",
        var=var,
        fields={
            "kind": FieldIs(value=Const(value=kind)),
            "status": FieldIs(value=Const(value="completed")),
            "subtotal_cents": FieldIs(value=subtotal),
            "saving_cents": FieldIs(value=less),
            "total_cents": FieldIs(value=Arith(fn="sub", args=[subtotal, less])),
            "voucher_id": FieldIs(value=voucher or Const(value=None)),
        },
    )


@shared
def membership_price(duration: str) -> Expr:
    """Return what a membership costs, in cents."""
    return Const(value=MEMBERSHIP_PRICE_CENTS[duration])


def membership_writes(duration: str, expires_on: Expr, when: Pred) -> list[Write]:
    """Return the effect of buying a membership where `when` holds; the one before ends, or ended, on `expires_on`.

    It runs from today, or from the end of the one before where that is later.
    """
    today = Now(part="date")
    goes_on = When(test=Test(fn="gt", left=expires_on, right=today), then=expires_on)
    first = Case(branches=[goes_on], otherwise=today)
    until = DateOf(fn="add_days", args=[first, Const(value=MEMBERSHIP_DAYS[duration])])
    term: dict[str, FieldGoal] = {
        "transaction_id": FieldRef(var="joining"),
        "duration": FieldIs(value=Const(value=duration)),
    }
    writes = [
        settled_transaction(MEMBERSHIP_KIND.name, "joining", subtotal=membership_price(duration)),
        Write(op="create", table="membership_terms", var="term", fields=term),
        Write(
            op="update",
            table="membership",
            id=Const(value="membership"),
            fields={"expires_on": FieldIs(value=until)},
        ),
    ]
    return [write.model_copy(update={"when": when}) for write in writes]


def reference(var: str) -> FieldRef:
    """Return the field rule `holds the id of the record created as var`."""
    return FieldRef(var=var)
