"""The service: tables, tools, gate and rules of the medical assistant."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from msgspec.structs import replace

from services.account.service import permission_gate
from services.medical.appointments import cancel_appointment, create_appointment
from services.medical.calendar import BOOKING_DAYS, MOST_SLOTS, REFUNDS, begins_at
from services.medical.fees import APPOINTMENT_KIND
from services.medical.invariants import INVARIANTS, WORLD_RULES
from services.medical.profile import (
    get_med_features,
    get_provider_list,
    get_resources,
    get_user_profile,
    update_user_profile,
)
from services.medical.records import Appointment, CarePlan, MedicalProfile, OpeningHours, Provider, TakenSlot
from services.moments import moved
from services.payments.checkout import APPROVAL_HOURS
from services.payments.residue import left_over, unpaid
from services.runtime.declare import Flip, Service, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

LATER_DAYS = 7
"""The same day of the week, so that opening hours stay as they are."""
EARLIER_DAYS = 90


def _a_week_later(appointment: Appointment, now: str) -> Appointment | None:
    ahead = appointment.status != "cancelled" and begins_at(appointment) > now
    return replace(appointment, date=moved(appointment.date, LATER_DAYS)) if ahead else None


def _plan_earlier(plan: CarePlan, _: str) -> CarePlan | None:
    created = dt.datetime.fromisoformat(plan.created_at) - dt.timedelta(days=EARLIER_DAYS)
    return replace(plan, created_at=created.isoformat())


def _refund_terms() -> Iterator[str]:
    for hours, percent in REFUNDS:
        yield f"{percent} % when it is cancelled at least {hours} hours before its start"


_UNPAID_APPOINTMENT = (
    unpaid(APPOINTMENT_KIND.name),
    left_over(
        "appointments",
        ("provider_id", "date", "time", "end", "duration", "reason", "transaction_id", "fee_cents", "created_at"),
        status="pending",
    ),
)
"""An appointment whose fee could not be paid: it holds its slot until it lapses."""

SERVICE = Service(
    name="medical",
    summary="Medical profile, care plans, care providers and appointments.",
    family="medical",
    tables=(
        Table("med_profile", MedicalProfile, "medp"),
        Table("care_plans", CarePlan, "care", references={"provider_id": "providers"}, observed=("created_at",)),
        Table("taken_slots", TakenSlot, "taken", references={"provider_id": "providers"}, indexes=("provider_id",)),
        Table(
            "appointments",
            Appointment,
            "appt",
            references={"provider_id": "providers", "transaction_id": "transactions"},
            stamps=("created_at",),
            observed=("created_at",),
            indexes=("transaction_id",),
        ),
    ),
    world_tables=(
        Table("providers", Provider, "prov"),
        Table(
            "opening_hours", OpeningHours, "hours", references={"provider_id": "providers"}, indexes=("provider_id",)
        ),
    ),
    flips=(
        Flip("appointment_a_week_later", "appointments", _a_week_later),
        Flip("care_plan_earlier", "care_plans", _plan_earlier),
    ),
    tools=(
        get_med_features,
        get_user_profile,
        update_user_profile,
        get_provider_list,
        get_resources,
        create_appointment,
        cancel_appointment,
    ),
    gates=(
        permission_gate(
            "MED",
            "med_assistant",
            "set_med_assistant_permission",
            "Using the medical assistant needs the medical permission; ask the user for it.",
        ),
    ),
    invariants=INVARIANTS,
    world_rules=WORLD_RULES,
    residue={"BALANCE": _UNPAID_APPOINTMENT},
    terms=(
        f"An appointment lies at most {BOOKING_DAYS} days ahead, takes at most {MOST_SLOTS} slots of its provider,"
        " within opening hours, and overlaps no other one.",
        f"An appointment is confirmed once its fee is paid; unpaid, it holds its slot for {APPROVAL_HOURS} hours.",
        f"Of a paid fee comes back {', '.join(_refund_terms())}; after that nothing.",
    ),
    transaction_kinds=(APPOINTMENT_KIND,),
)
