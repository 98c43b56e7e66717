"""Records of payments. Money is integer cents; a ledger entry is positive when the balance rises."""

from __future__ import annotations

from typing import Literal

from services.runtime.records import Date, Record, Time


class Wallet(Record, frozen=True):
    """The user's money; one record, id `wallet`."""

    balance_cents: int
    opening_cents: int
    """Balance before the first ledger entry."""


class LedgerEntry(Record, frozen=True):
    """One movement of money."""

    kind: Literal["top_up", "payment", "refund"]
    amount_cents: int
    transaction_id: str | None
    at: Time


class Membership(Record, frozen=True):
    """The user's membership; one record, id `membership`. It is valid through its last day."""

    expires_on: Date | None


class Voucher(Record, frozen=True):
    """A discount on one order, good once."""

    description: str
    brand: str | None
    """Brand the eligible lines must have; null for all."""
    members_only: bool
    expires_on: Date
    min_spend_cents: int
    """Least sum of the eligible lines at the prices paid."""
    percent_off: int
    used_in: str | None
    """Transaction that used it up."""


class Transaction(Record, frozen=True):
    """Something to be paid, pending until the user authorizes it."""

    kind: str
    status: Literal["pending", "completed", "cancelled"]
    subtotal_cents: int
    saving_cents: int
    """Taken off by the voucher."""
    total_cents: int
    voucher_id: str | None
    created_at: Time
    settled_at: Time | None


class Refund(Record, frozen=True):
    """Money given back for a completed transaction, which stays completed; at most one for each."""

    transaction_id: str
    amount_cents: int
    at: Time


class MembershipTerm(Record, frozen=True):
    """What a membership transaction buys."""

    transaction_id: str
    duration: Literal["1_month", "3_months", "1_year"]
