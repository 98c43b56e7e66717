"""Other ways in which records of payments could stand at the start of a task."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from msgspec.structs import replace

from services.runtime.declare import Flip

if TYPE_CHECKING:
    from services.payments.records import Membership, Transaction, Voucher, Wallet

LONG_AGO_DAYS = 400
"""Days by which an order is moved back, so that it lies in no period that a question is likely to ask about."""
SHORT_CENTS = 100
AMPLE_CENTS = 100_000


def _days(day: str, days: int) -> str:
    """Return a date, or a time, moved by some days."""
    moved = dt.datetime.fromisoformat(day) + dt.timedelta(days=days)
    return moved.isoformat()[: len(day)]


def _holding(wallet: Wallet, balance: int) -> Wallet:
    """Return the wallet as it is when it held so much less, or more, from the first."""
    opening = wallet.opening_cents + balance - wallet.balance_cents
    return replace(wallet, balance_cents=balance, opening_cents=opening)


def _short(wallet: Wallet, _: str) -> Wallet | None:
    return _holding(wallet, SHORT_CENTS) if wallet.balance_cents > SHORT_CENTS else None


def _ample(wallet: Wallet, _: str) -> Wallet | None:
    return _holding(wallet, AMPLE_CENTS) if wallet.balance_cents < AMPLE_CENTS else None


def _expired(voucher: Voucher, now: str) -> Voucher | None:
    valid = voucher.used_in is None and voucher.expires_on >= now[:10]
    return replace(voucher, expires_on=_days(now[:10], -1)) if valid else None


def _extended(voucher: Voucher, now: str) -> Voucher | None:
    over = voucher.used_in is None and voucher.expires_on < now[:10]
    return replace(voucher, expires_on=_days(now[:10], 30)) if over else None


def _for_any_spend(voucher: Voucher, _: str) -> Voucher | None:
    return replace(voucher, min_spend_cents=0) if voucher.min_spend_cents else None


def _ended(membership: Membership, now: str) -> Membership | None:
    runs = membership.expires_on is not None and membership.expires_on >= now[:10]
    return replace(membership, expires_on=_days(now[:10], -1)) if runs else None


def _running(membership: Membership, now: str) -> Membership | None:
    runs = membership.expires_on is not None and membership.expires_on >= now[:10]
    return None if runs else replace(membership, expires_on=_days(now[:10], 60))


def _long_ago(transaction: Transaction, _: str) -> Transaction | None:
    if transaction.settled_at is None:
        return None
    created, settled = (_days(at, -LONG_AGO_DAYS) for at in (transaction.created_at, transaction.settled_at))
    return replace(transaction, created_at=created, settled_at=settled)


def _lapsed(transaction: Transaction, _: str) -> Transaction | None:
    return replace(transaction, created_at=_days(transaction.created_at, -3)) if _waits(transaction) else None


def _fresh(transaction: Transaction, now: str) -> Transaction | None:
    earlier = dt.datetime.fromisoformat(now) - dt.timedelta(hours=2)
    return replace(transaction, created_at=earlier.isoformat()) if _waits(transaction) else None


def _waits(transaction: Transaction) -> bool:
    return transaction.status == "pending"


FLIPS = (
    Flip("short_of_money", "wallet", _short),
    Flip("ample_money", "wallet", _ample),
    Flip("voucher_expired", "vouchers", _expired),
    Flip("voucher_extended", "vouchers", _extended),
    Flip("voucher_for_any_spend", "vouchers", _for_any_spend),
    Flip("membership_ended", "membership", _ended),
    Flip("membership_running", "membership", _running),
    Flip("order_long_ago", "transactions", _long_ago),
    Flip("order_lapsed", "transactions", _lapsed),
    Flip("order_fresh", "transactions", _fresh),
)
