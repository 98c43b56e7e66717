"""What every reachable state of the medical assistant satisfies, and every list of providers."""

from __future__ import annotations

from schemas.goal import All, Any, Col, Const, Group, Join, Measure, Pred, Select, Table, Test
from services.medical.fees import APPOINTMENT_KIND
from services.predicates import below, count, is_, joined, none, paired, where
from services.rules import faulty
from services.runtime.declare import Invariant

_APPOINTMENTS = Table(table="appointments", prefix="a")
_FEES = where("transactions", "t", is_("t.kind", APPOINTMENT_KIND.name))
_OF_FEES = Group(source=_APPOINTMENTS, keys=["a.transaction_id"], measures=[Measure(name="appointments", fn="count")])
_WITH_FEES = joined(
    _APPOINTMENTS,
    _FEES,
    ("a.transaction_id", "t.id"),
    Test(fn="eq", left=Col(name="a.fee_cents"), right=Col(name="t.subtotal_cents")),
)
_STATUSES = {"pending": ("pending",), "confirmed": ("completed",), "cancelled": ("cancelled", "completed")}
"""Status of an appointment -> those that its transaction may have."""
_AGREEING = joined(
    _APPOINTMENTS,
    _FEES,
    ("a.transaction_id", "t.id"),
    Any(
        of=[
            All(of=[is_("a.status", status), Any(of=[is_("t.status", one) for one in fitting])])
            for status, fitting in _STATUSES.items()
        ]
    ),
)


def _before(column: str, other: str) -> Test:
    return Test(fn="lt", left=Col(name=column), right=Col(name=other))


def _same(column: str, other: str) -> Test:
    return Test(fn="eq", left=Col(name=column), right=Col(name=other))


def _overlap(one: str, other: str) -> list[Pred]:
    return [
        _same(f"{one}.date", f"{other}.date"),
        _before(f"{one}.time", f"{other}.end"),
        _before(f"{other}.time", f"{one}.end"),
    ]


_CONFIRMED = where("appointments", "a", is_("a.status", "confirmed"))
_TWICE = Join(
    left=_CONFIRMED,
    right=where("appointments", "b", is_("b.status", "confirmed")),
    on=All(of=[_before("a.id", "b.id"), *_overlap("a", "b")]),
)
_OVER_OTHERS = Join(
    left=_CONFIRMED,
    right=Table(table="taken_slots", prefix="s"),
    on=All(of=[_same("a.provider_id", "s.provider_id"), *_overlap("a", "s")]),
)
_LASTS_NOTHING = Any(
    of=[
        below("a.duration", 1),
        Test(fn="ge", left=Col(name="a.time"), right=Col(name="a.end")),
        below("a.fee_cents", 0),
    ]
)

INVARIANTS = (
    Invariant(
        name="appointments_have_fees",
        text="Every appointment has a transaction of its own, of its fee; no other transaction is of this kind.",
        holds=paired(_WITH_FEES, _APPOINTMENTS, _FEES, _OF_FEES),
    ),
    Invariant(
        name="appointments_paid",
        text="An appointment is confirmed only when its fee is paid, and pending only while it can be.",
        holds=paired(_AGREEING, _APPOINTMENTS),
    ),
    Invariant(
        name="appointments_apart",
        text="No two confirmed appointments overlap, and none overlaps what others have at the provider.",
        holds=All(of=[none(_TWICE), none(_OVER_OTHERS)]),
    ),
    Invariant(
        name="appointments_last",
        text="An appointment lasts some minutes, within one day, and its fee is not negative.",
        holds=none(where("appointments", "a", _LASTS_NOTHING)),
    ),
    Invariant(
        name="one_medical_profile",
        text="There is at most one profile with care providers.",
        holds=Test(fn="le", left=count(Table(table="med_profile", prefix="m")), right=Const(value=1)),
    ),
    Invariant(
        name="care_plan_rules",
        text="A care plan has a whole rule or none, on a known metric over a period that fits it.",
        holds=none(where("care_plans", "p", faulty("p"))),
    ),
)

_HOURS = Table(table="opening_hours", prefix="h")
_PROVIDERS = Table(table="providers", prefix="v")
_OPEN = Group(source=_HOURS, keys=["h.provider_id"], measures=[Measure(name="stretches", fn="count")])

WORLD_RULES = (
    Invariant(
        name="providers_open",
        text="Every provider has opening hours, each of which ends after it begins.",
        holds=All(
            of=[
                paired(joined(_OPEN, _PROVIDERS, ("h.provider_id", "v.id")), _OPEN, _PROVIDERS),
                none(Select(source=_HOURS, where=Test(fn="ge", left=Col(name="h.opens"), right=Col(name="h.closes")))),
            ]
        ),
    ),
    Invariant(
        name="provider_terms",
        text="Slots of a provider last at least five minutes, and cost something.",
        holds=none(where("providers", "v", Any(of=[below("v.slot_minutes", 5), below("v.fee_cents", 1)]))),
    ),
)
