"""Settling a pending transaction: re-check, re-price, pay, apply the effects of its kind."""

from __future__ import annotations

import datetime as dt

from msgspec.structs import replace

from schemas.base import Json
from services.payments.records import LedgerEntry, Membership, MembershipTerm, Refund, Transaction, Wallet
from services.runtime.declare import TransactionKind
from services.runtime.tools import Context

APPROVAL_HOURS = 24
"""Hours after which a pending transaction can no longer be paid."""
MEMBERSHIP_PRICE_CENTS = {"1_month": 2000, "3_months": 5000, "1_year": 15000}
MEMBERSHIP_DAYS = {"1_month": 30, "3_months": 90, "1_year": 365}


def units(cents: int) -> int | float:
    """Return cents as a JSON number of currency units with at most two decimals."""
    return cents // 100 if cents % 100 == 0 else cents / 100


def wallet_of(c: Context) -> Wallet:
    """Return the user's wallet, or refuse."""
    wallet = c.get(Wallet, "wallet")
    if wallet is None:
        c.refuse("WALLET_NOT_FOUND", "This account has no wallet.")
    return wallet


def membership_of(c: Context) -> Membership:
    """Return the user's membership record; an account without one never was a member."""
    return c.get(Membership, "membership") or Membership(id="membership", expires_on=None)


def is_member(c: Context) -> bool:
    """Return whether the user's membership is valid today."""
    expires = membership_of(c).expires_on
    return expires is not None and expires >= c.today


def move_money(c: Context, kind: str, amount_cents: int, transaction_id: str | None) -> Wallet:
    """Change the balance by `amount_cents` and enter it in the ledger."""
    wallet = wallet_of(c)
    wallet = replace(wallet, balance_cents=wallet.balance_cents + amount_cents)
    c.put(wallet)
    c.create(LedgerEntry, kind=kind, amount_cents=amount_cents, transaction_id=transaction_id, at=c.stamp())
    return wallet


def pending_transaction(c: Context, transaction_id: str) -> Transaction:
    """Return a transaction that can still be paid, or refuse: unknown, not pending, or older than an approval lasts."""
    transaction = c.get(Transaction, transaction_id)
    if transaction is None:
        c.refuse("TRANSACTION_NOT_FOUND", f"There is no transaction {transaction_id!r}.")
    if transaction.status != "pending":
        c.refuse("TRANSACTION_NOT_PENDING", f"The transaction is already {transaction.status}.")
    # By the frozen clock, so that what was done before in this conversation decides nothing.
    age = dt.datetime.fromisoformat(c.now) - dt.datetime.fromisoformat(transaction.created_at)
    if age > dt.timedelta(hours=APPROVAL_HOURS):
        c.refuse("TRANSACTION_EXPIRED", f"It is older than {APPROVAL_HOURS} hours and can no longer be paid.")
    return transaction


def check_payable(c: Context, transaction_id: str) -> None:
    """Refuse when a transaction cannot be paid whatever the balance: not pending, not to be had, or repriced."""
    transaction = pending_transaction(c, transaction_id)
    kind = c.env.catalogue.kinds[transaction.kind]
    kind.check(c, transaction_id)
    price = kind.price(c, transaction_id)
    if price != transaction.total_cents:
        c.refuse(
            "TOTAL_CHANGED",
            "The price has changed since the transaction was prepared; prepare it again.",
            prepared_total=units(transaction.total_cents),
            total=units(price),
        )


def settle(c: Context, transaction_id: str) -> dict[str, Json]:
    """Pay a transaction that `check_payable` let pass, and apply its effects."""
    transaction = pending_transaction(c, transaction_id)
    wallet = move_money(c, "payment", -transaction.total_cents, transaction_id)
    c.put(replace(transaction, status="completed", settled_at=c.stamp()))
    c.env.catalogue.kinds[transaction.kind].settle(c, transaction_id)
    return {
        "transaction_id": transaction_id,
        "status": "completed",
        "paid": units(transaction.total_cents),
        "balance": units(wallet.balance_cents),
    }


def cancel_transaction(c: Context, transaction_id: str) -> None:
    """Cancel a transaction that has not been paid; one that is completed, cancelled or unknown stays as it is."""
    transaction = c.get(Transaction, transaction_id)
    if transaction is not None and transaction.status == "pending":
        c.put(replace(transaction, status="cancelled"))


def give_back(c: Context, transaction_id: str, amount_cents: int) -> Wallet:
    """Pay a part of a completed transaction back into the wallet; it stays completed."""
    c.create(Refund, transaction_id=transaction_id, amount_cents=amount_cents, at=c.stamp())
    return move_money(c, "refund", amount_cents, transaction_id)


def refunded_cents(c: Context, transaction_id: str) -> int:
    """Return what was given back for a transaction."""
    return sum(refund.amount_cents for refund in c.where(Refund, "transaction_id", transaction_id))


def _term(c: Context, transaction_id: str) -> MembershipTerm:
    (term,) = c.where(MembershipTerm, "transaction_id", transaction_id)
    return term


def _nothing_to_check(c: Context, transaction_id: str) -> None:
    """A membership has no stock and no voucher: nothing can have run out."""


def _membership_price(c: Context, transaction_id: str) -> int:
    return MEMBERSHIP_PRICE_CENTS[_term(c, transaction_id).duration]


def _settle_membership(c: Context, transaction_id: str) -> None:
    """Extend the membership from today or from its end, whichever is later, and re-price what is pending."""
    membership = membership_of(c)
    start = max(c.today, membership.expires_on or c.today)
    end = dt.date.fromisoformat(start) + dt.timedelta(days=MEMBERSHIP_DAYS[_term(c, transaction_id).duration])
    c.put(replace(membership, expires_on=end.isoformat()))
    for other in c.all(Transaction):
        if other.status == "pending" and other.id != transaction_id:
            c.env.catalogue.kinds[other.kind].reprice(c, other.id)


def _keep_price(c: Context, transaction_id: str) -> None:
    """The price of a membership depends on nothing that can change."""


def _describe_membership(c: Context, transaction_id: str) -> dict[str, Json]:
    return {"vip_duration": _term(c, transaction_id).duration}


MEMBERSHIP_KIND = TransactionKind(
    name="vip_membership",
    check=_nothing_to_check,
    price=_membership_price,
    reprice=_keep_price,
    settle=_settle_membership,
    describe=_describe_membership,
)
