"""What every reachable state of payments satisfies, in the goal algebra: what was paid, settled and used up agrees."""

from __future__ import annotations

from schemas.goal import (
    Aggregate,
    All,
    Any,
    Arith,
    Col,
    Const,
    Expr,
    Group,
    Lookup,
    Measure,
    Table,
    Test,
)
from services.payments.checkout import MEMBERSHIP_KIND
from services.payments.expressions import RELATION, wallet_balance
from services.predicates import below, count, is_, is_not, joined, none, paired, where
from services.runtime.declare import Invariant


def _difference(column: str, first: str, second: str) -> Test:
    """Return the test that a column differs from first - second."""
    return Test(fn="ne", left=Col(name=column), right=Arith(fn="sub", args=[Col(name=first), Col(name=second)]))


_LEDGER_SUM = Aggregate(fn="sum", source=Table(table="ledger", prefix="l"), of=Col(name="l.amount_cents"))
_OPENING = Lookup(source=Table(table="wallet", prefix="w"), field="w.opening_cents")

_PAYMENTS = where("ledger", "l", is_("l.kind", "payment"))
_PAID = Group(
    source=_PAYMENTS,
    keys=["l.transaction_id"],
    measures=[
        Measure(name="entries", fn="count"),
        Measure(name="paid", fn="sum", of=Arith(fn="sub", args=[Const(value=0), Col(name="l.amount_cents")])),
    ],
)
_COMPLETED = where("transactions", "t", is_("t.status", "completed"))
_PAID_IN_FULL = joined(
    _PAID,
    _COMPLETED,
    ("l.transaction_id", "t.id"),
    is_("entries", 1),
    Test(fn="eq", left=Col(name="paid"), right=Col(name="t.total_cents")),
)
_BAD_TOP_UPS = where(
    "ledger", "l", is_("l.kind", "top_up"), Any(of=[below("l.amount_cents", 1), is_not("l.transaction_id", None)])
)
_BAD_REFUNDS = where("ledger", "l", is_("l.kind", "refund"), below("l.amount_cents", 1))
_GIVEN_BACK = where("ledger", "l", is_("l.kind", "refund"))
_GIVEN_BACK_FOR = Group(
    source=_GIVEN_BACK,
    keys=["l.transaction_id"],
    measures=[
        Measure(name="entries", fn="count"),
        Measure(name="given_back", fn="sum", of=Col(name="l.amount_cents")),
    ],
)
_REFUNDS = Table(table="refunds", prefix="r")
_REFUNDED = joined(
    _GIVEN_BACK_FOR,
    _REFUNDS,
    ("l.transaction_id", "r.transaction_id"),
    is_("entries", 1),
    Test(fn="eq", left=Col(name="given_back"), right=Col(name="r.amount_cents")),
)
_REFUNDABLE = joined(
    _REFUNDS,
    _COMPLETED,
    ("r.transaction_id", "t.id"),
    Test(fn="le", left=Col(name="r.amount_cents"), right=Col(name="t.total_cents")),
    Test(fn="ge", left=Col(name="r.at"), right=Col(name="t.settled_at")),
)
_BAD_PAYMENTS = where(
    "ledger", "l", is_("l.kind", "payment"), Test(fn="gt", left=Col(name="l.amount_cents"), right=Const(value=0))
)
_BADLY_SETTLED = where(
    "transactions",
    "t",
    Any(
        of=[
            All(of=[is_("t.status", "completed"), is_("t.settled_at", None)]),
            All(of=[is_not("t.status", "completed"), is_not("t.settled_at", None)]),
            Test(fn="lt", left=Col(name="t.settled_at"), right=Col(name="t.created_at")),
        ]
    ),
)
_BADLY_TOTALLED = where(
    "transactions",
    "t",
    Any(
        of=[
            _difference("t.total_cents", "t.subtotal_cents", "t.saving_cents"),
            below("t.saving_cents", 0),
            below("t.total_cents", 0),
            All(of=[is_("t.voucher_id", None), is_not("t.saving_cents", 0)]),
        ]
    ),
)
_USED_VOUCHERS = where("vouchers", "v", is_not("v.used_in", None))
_SPENDING = where("transactions", "t", is_("t.status", "completed"), is_not("t.voucher_id", None))
_SPENT = joined(
    _USED_VOUCHERS,
    _SPENDING,
    ("v.used_in", "t.id"),
    Test(fn="eq", left=Col(name="t.voucher_id"), right=Col(name="v.id")),
)
_BAD_VOUCHERS = where(
    "vouchers",
    "v",
    Any(
        of=[
            below("v.percent_off", 1),
            Test(fn="gt", left=Col(name="v.percent_off"), right=Const(value=100)),
            below("v.min_spend_cents", 0),
        ]
    ),
)
_TERMS = Group(
    source=Table(table="membership_terms", prefix="m"),
    keys=["m.transaction_id"],
    measures=[Measure(name="terms", fn="count")],
)
_MEMBERSHIPS = where("transactions", "t", is_("t.kind", MEMBERSHIP_KIND.name))


def _one(table: str) -> Expr:
    return count(Table(table=table, prefix=table))


INVARIANTS = (
    Invariant(
        name=RELATION,
        text="The balance is the opening balance plus all ledger entries.",
        holds=Test(fn="eq", left=wallet_balance(), right=Arith(fn="add", args=[_OPENING, _LEDGER_SUM])),
    ),
    Invariant(
        name="balance_not_negative",
        text="The balance is never below zero.",
        holds=Test(fn="ge", left=wallet_balance(), right=Const(value=0)),
    ),
    Invariant(
        name="one_wallet",
        text="There is one wallet and at most one membership record.",
        holds=All(
            of=[
                Test(fn="eq", left=_one("wallet"), right=Const(value=1)),
                Test(fn="le", left=_one("membership"), right=Const(value=1)),
            ]
        ),
    ),
    Invariant(
        name="paid_once",
        text="Every completed transaction has exactly one payment in the ledger, of its total; nothing else has one.",
        holds=paired(_PAID_IN_FULL, _COMPLETED, _PAYMENTS),
    ),
    Invariant(
        name="ledger_signs",
        text="A top-up is positive and belongs to no transaction; a payment is not positive, a refund is.",
        holds=All(of=[none(_BAD_TOP_UPS), none(_BAD_PAYMENTS), none(_BAD_REFUNDS)]),
    ),
    Invariant(
        name="refunded_once",
        text="A refund is for a completed transaction, of no more than its total and not before it was paid; it stands"
        " in the ledger exactly once, and no transaction has two.",
        holds=All(of=[paired(_REFUNDED, _REFUNDS, _GIVEN_BACK), paired(_REFUNDABLE, _REFUNDS)]),
    ),
    Invariant(
        name="settled_when_completed",
        text="A transaction has a time of settlement exactly when it is completed, not before its creation.",
        holds=none(_BADLY_SETTLED),
    ),
    Invariant(
        name="total_is_subtotal_less_saving",
        text="The total of a transaction is its subtotal less the saving of a voucher, if any; it is not negative.",
        holds=none(_BADLY_TOTALLED),
    ),
    Invariant(
        name="voucher_used_once",
        text="A voucher is used exactly when a completed transaction names it, and it names that transaction.",
        holds=paired(_SPENT, _USED_VOUCHERS, _SPENDING),
    ),
    Invariant(
        name="voucher_terms",
        text="A voucher takes off 1 to 100 percent, from a spend that is not negative.",
        holds=none(_BAD_VOUCHERS),
    ),
    Invariant(
        name="membership_has_term",
        text="Every membership transaction has exactly one term; nothing else has one.",
        holds=paired(
            joined(_TERMS, _MEMBERSHIPS, ("m.transaction_id", "t.id")),
            _MEMBERSHIPS,
            Table(table="membership_terms", prefix="m"),
        ),
    ),
)
