"""The gates of payments: a balance that covers what is to be paid, and a membership that is valid."""

from __future__ import annotations

from schemas.goal import (
    All,
    Arith,
    Col,
    Const,
    DateOf,
    Expr,
    FieldGoal,
    FieldIs,
    Lookup,
    Not,
    Now,
    Slot,
    Test,
    Write,
)
from schemas.goal import Table as Rows
from services.payments.asking import MEMBERSHIP, TOP_UP
from services.payments.checkout import MEMBERSHIP_DAYS, MEMBERSHIP_KIND
from services.payments.expressions import (
    membership_expiry,
    membership_price,
    membership_writes,
    pay_writes,
    wallet_balance,
)
from services.payments.residue import left_over, unpaid
from services.runtime.declare import Gate, Preparation, Probe, Remedy


def _of_transaction(field: str) -> Lookup:
    where = Test(fn="eq", left=Col(name="t.id"), right=Slot(name="transaction_id"))
    return Lookup(source=Rows(table="transactions", prefix="t"), where=where, field=f"t.{field}")


def _cents_to_units(value: Lookup) -> Arith:
    return Arith(fn="to_decimal", args=[value, Const(value=100)])


def _to_cents(slot: str) -> Arith:
    return Arith(fn="to_int", args=[Slot(name=slot), Const(value=100)])


_BALANCE = wallet_balance()
_OPENING = Lookup(source=Rows(table="wallet", prefix="w"), field="w.opening_cents")
_SHORTFALL = Arith(fn="sub", args=[_to_cents("due"), _to_cents("balance")])

_NOTHING_LEFT: dict[str, FieldGoal] = {
    "balance_cents": FieldIs(value=Const(value=0)),
    "opening_cents": FieldIs(value=Arith(fn="sub", args=[_OPENING, _BALANCE])),
}
_EMPTY_WALLET = (Write(op="update", table="wallet", id=Const(value="wallet"), fields=_NOTHING_LEFT),)

_UNPAID_MEMBERSHIP = (
    unpaid(MEMBERSHIP_KIND.name),
    left_over("membership_terms", ("transaction_id", "duration")),
)
"""A membership that could not be paid, by itself or as what was to come before an order."""

BALANCE_GATE = Gate(
    name="BALANCE",
    code="INSUFFICIENT_BALANCE",
    message="The wallet holds less than the total; the user can top it up.",
    closed=All(
        of=[
            Test(fn="eq", left=_of_transaction("status"), right=Const(value="pending")),
            Test(fn="gt", left=_of_transaction("total_cents"), right=_BALANCE),
        ]
    ),
    standing=False,
    details={
        "balance": Arith(fn="to_decimal", args=[_BALANCE, Const(value=100)]),
        "total": _cents_to_units(_of_transaction("total_cents")),
    },
    probe=Probe("get_wallet"),
    remedy=Remedy(
        tool="top_up_wallet",
        arguments={"amount": Arith(fn="to_decimal", args=[_SHORTFALL, Const(value=100)])},
        shows=Test(fn="gt", left=_to_cents("due"), right=_to_cents("balance")),
        values={"balance": ("probe", "balance"), "due": ("beside", "transaction_id", "final_total")},
    ),
    closing=_EMPTY_WALLET,
    accumulates=True,
    residue=_UNPAID_MEMBERSHIP,
    refusal="cannot_afford",
    asking=TOP_UP,
    policy="A transaction can be paid only when the balance covers its total; the user decides about topping up, and is"
    " asked for all that is missing at once.",
)

_EXPIRY = membership_expiry()
_TODAY = Now(part="date")
_SHORTEST = min(MEMBERSHIP_DAYS, key=lambda duration: MEMBERSHIP_DAYS[duration])


def _valid_until(expr: Expr) -> tuple[Write, ...]:
    """Return the patch by which the membership ends on a day, or never was."""
    fields: dict[str, FieldGoal] = {"expires_on": FieldIs(value=expr)}
    return (Write(op="update", table="membership", id=Const(value="membership"), fields=fields),)


VIP_GATE = Gate(
    name="VIP",
    code="SUBSCRIPTION_REQUIRED",
    message="This is for members (VIP), and the user's membership is not valid today; the user can take one.",
    closed=Not(of=Test(fn="ge", left=_EXPIRY, right=_TODAY)),
    details={"vip_expiry": _EXPIRY},
    probe=Probe("get_wallet"),
    remedy=Remedy(
        tool="authorize_checkout",
        arguments={"transaction_id": Slot(name="transaction_id")},
        shows=Test(fn="ne", left=Slot(name="vip"), right=Const(value=True)),
        values={"vip": ("probe", "vip"), "transaction_id": ("prepared", "transaction_id")},
        prepare=Preparation("upgrade_membership_request", {"vip_duration": _SHORTEST}),
    ),
    effect=(
        *membership_writes(_SHORTEST, _EXPIRY, All(of=[])),
        *pay_writes(membership_price(_SHORTEST), _BALANCE),
    ),
    opening=_valid_until(DateOf(fn="add_days", args=[_TODAY, Const(value=MEMBERSHIP_DAYS[_SHORTEST])])),
    closing=_valid_until(Const(value=None)),
    residue=_UNPAID_MEMBERSHIP,
    asking=MEMBERSHIP,
    policy="Some features are for members only; the user decides whether to take or renew a membership for them.",
)
