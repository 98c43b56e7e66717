"""Tools, gates, tables and invariants of payments."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Meta

from schemas.base import Json
from schemas.goal import Const, Has
from services.payments.asking import PAY, TOP_UP
from services.payments.checkout import (
    APPROVAL_HOURS,
    MEMBERSHIP_DAYS,
    MEMBERSHIP_KIND,
    MEMBERSHIP_PRICE_CENTS,
    check_payable,
    is_member,
    membership_of,
    move_money,
    refunded_cents,
    settle,
    units,
    wallet_of,
)
from services.payments.expressions import member
from services.payments.flips import FLIPS
from services.payments.gates import BALANCE_GATE, VIP_GATE
from services.payments.invariants import INVARIANTS
from services.payments.records import LedgerEntry, Membership, MembershipTerm, Refund, Transaction, Voucher, Wallet
from services.runtime.declare import Approval, Policy, Service, Table
from services.runtime.tools import Context, tool

_PRICES = ", ".join(f"{duration} for {units(cents)}" for duration, cents in MEMBERSHIP_PRICE_CENTS.items())
_LASTS = ", ".join(f"{days} days for {duration}" for duration, days in MEMBERSHIP_DAYS.items())
_NO_WALLET = {"WALLET_NOT_FOUND": "The account has no wallet record."}


def _voucher_state(c: Context, voucher: Voucher) -> str:
    if voucher.used_in is not None:
        return "used"
    return "expired" if voucher.expires_on < c.today else "unused"


@tool(side="assistant", errors=_NO_WALLET)
def get_wallet(c: Context) -> dict[str, Json]:
    """Return the wallet: balance, membership and vouchers.

    `balance` in currency units; `vip` and `vip_expiry` (last valid day or null); `vouchers` [{voucher_id, description,
    brand or null for all, vip_required, expiry_date (last valid day), min_amount, percent_off, status: unused, used or
    expired}].
    """
    wallet = wallet_of(c)
    return {
        "balance": units(wallet.balance_cents),
        "vip": is_member(c),
        "vip_expiry": membership_of(c).expires_on,
        "vouchers": [
            {
                "voucher_id": v.id,
                "description": v.description,
                "brand": v.brand,
                "vip_required": v.members_only,
                "expiry_date": v.expires_on,
                "min_amount": units(v.min_spend_cents),
                "percent_off": v.percent_off,
                "status": _voucher_state(c, v),
            }
            for v in sorted(c.all(Voucher), key=lambda v: v.id)
        ],
    }


@tool(side="assistant")
def get_transactions(c: Context) -> dict[str, Json]:
    """Return all transactions (orders, memberships, fees), oldest first; none before `records_since` is on record.

    `records_since`, the day of the first transaction on record or null, and `transactions` [{transaction_id, type,
    status: completed, cancelled or pending (to be paid within 24 hours of created_at), created_at, settled_at or null,
    subtotal, saving, final_total, refunded, voucher_id or null, and what the type adds: `items` of an order,
    `vip_duration` of a membership, `appointment_id` of an appointment}]. Money in currency units.
    """
    listed = sorted(c.all(Transaction), key=lambda t: (t.created_at, t.id))
    return {
        "records_since": listed[0].created_at[:10] if listed else None,
        "transactions": [
            {
                "transaction_id": t.id,
                "type": t.kind,
                "status": t.status,
                "created_at": t.created_at,
                "settled_at": t.settled_at,
                "subtotal": units(t.subtotal_cents),
                "saving": units(t.saving_cents),
                "final_total": units(t.total_cents),
                "refunded": units(refunded_cents(c, t.id)),
                "voucher_id": t.voucher_id,
                **c.env.catalogue.kinds[t.kind].describe(c, t.id),
            }
            for t in listed
        ],
    }


@tool(side="assistant", write=True, gates=("PURCHASE",), example={"vip_duration": "1_month"})
def upgrade_membership_request(
    c: Context,
    vip_duration: Annotated[
        Literal["1_month", "3_months", "1_year"], Meta(description=f"How long the membership lasts: {_PRICES}.")
    ],
) -> dict[str, Json]:
    """Prepare a membership (VIP) purchase as a pending transaction, only when the user has offered or agreed to it.

    `transaction_id`, `status`, `vip_duration` and `final_total` in currency units.
    """
    price = MEMBERSHIP_PRICE_CENTS[vip_duration]
    transaction = c.create(
        Transaction,
        kind=MEMBERSHIP_KIND.name,
        status="pending",
        subtotal_cents=price,
        saving_cents=0,
        total_cents=price,
        voucher_id=None,
        created_at=c.stamp(),
        settled_at=None,
    )
    c.create(MembershipTerm, transaction_id=transaction.id, duration=vip_duration)
    return {
        "transaction_id": transaction.id,
        "status": transaction.status,
        "vip_duration": vip_duration,
        "final_total": units(price),
    }


def _amount_cents(c: Context, amount: float) -> int:
    """Return an amount in currency units as cents, or refuse one that is no positive amount of whole cents."""
    cents = Decimal(str(amount)) * 100
    if cents <= 0 or cents != cents.to_integral_value() or cents > MAX_TOP_UP_CENTS:
        c.refuse(
            "INVALID_AMOUNT",
            f"An amount is positive, has at most two decimals and is at most {units(MAX_TOP_UP_CENTS)}.",
        )
    return int(cents)


MAX_TOP_UP_CENTS = 1_000_000


@tool(
    side="user",
    write=True,
    errors={**_NO_WALLET, "INVALID_AMOUNT": "Not positive, more than two decimals, or above the limit."},
    example={"amount": 12.5},
    asking=TOP_UP,
)
def top_up_wallet(
    c: Context,
    amount: Annotated[float, Meta(description="Amount to add, in currency units, positive, at most two decimals.")],
) -> dict[str, Json]:
    """Add money to the wallet.

    `added` and the new `balance`, in currency units.
    """
    cents = _amount_cents(c, amount)
    wallet = move_money(c, "top_up", cents, None)
    return {"added": units(cents), "balance": units(wallet.balance_cents)}


@tool(
    side="user",
    write=True,
    gates=("BALANCE",),
    errors={
        **_NO_WALLET,
        "TRANSACTION_NOT_FOUND": "No transaction has this id.",
        "TRANSACTION_NOT_PENDING": "It is completed or cancelled.",
        "TRANSACTION_EXPIRED": f"It was prepared more than {APPROVAL_HOURS} hours ago.",
        "TOTAL_CHANGED": "Its price is no longer the total it was prepared with.",
    },
    settles=True,
    before=check_payable,
    asking=PAY,
    example={"transaction_id": "tx_0123456789"},
    approval=Approval(
        table="transactions",
        id_argument="transaction_id",
        amount_field="total_cents",
        created_field="created_at",
        hours=APPROVAL_HOURS,
        replayed="TRANSACTION_NOT_PENDING",
        expired="TRANSACTION_EXPIRED",
        changed="TOTAL_CHANGED",
    ),
)
def authorize_checkout(
    c: Context,
    transaction_id: Annotated[str, Meta(description="Id of the pending transaction to pay.")],
) -> dict[str, Json]:
    """Approve and pay a pending transaction at the total it was prepared with.

    `transaction_id`, `status`, `paid` and the `balance` left, in currency units.
    """
    return settle(c, transaction_id)


SERVICE = Service(
    name="payments",
    summary="Wallet, membership, vouchers and transactions.",
    family="shopping",
    tables=(
        Table("wallet", Wallet, "wallet"),
        Table(
            "ledger",
            LedgerEntry,
            "le",
            references={"transaction_id": "transactions"},
            ledger=True,
            stamps=("at",),
            observed=("at",),
        ),
        Table("membership", Membership, "membership"),
        Table("vouchers", Voucher, "vch", references={"used_in": "transactions"}),
        Table(
            "transactions",
            Transaction,
            "tx",
            references={"voucher_id": "vouchers"},
            stamps=("created_at", "settled_at"),
            observed=("created_at", "settled_at"),
        ),
        Table(
            "refunds",
            Refund,
            "refund",
            references={"transaction_id": "transactions"},
            stamps=("at",),
            observed=("at",),
            indexes=("transaction_id",),
        ),
        Table(
            "membership_terms",
            MembershipTerm,
            "term",
            references={"transaction_id": "transactions"},
            indexes=("transaction_id",),
        ),
    ),
    flips=FLIPS,
    tools=(get_wallet, get_transactions, upgrade_membership_request, top_up_wallet, authorize_checkout),
    gates=(BALANCE_GATE, VIP_GATE),
    invariants=INVARIANTS,
    policies=(
        Policy(
            name="membership_only_if_offered",
            text="Prepare a membership only when the user has offered, or agreed when asked, to take one.",
            tool="upgrade_membership_request",
            holds=Has(column="permits", value=Const(value="membership")),
        ),
    ),
    terms=(
        f"A prepared transaction can be paid for {APPROVAL_HOURS} hours, once, at the total it was prepared with.",
        f"A membership costs {_PRICES}; it lasts {_LASTS}, and a further one begins where the one before ends.",
        "A membership is valid through its last day, and so is a voucher.",
        f"A single top-up of the wallet is at most {units(MAX_TOP_UP_CENTS)}.",
    ),
    named={"member": member},
    transaction_kinds=(MEMBERSHIP_KIND,),
)
