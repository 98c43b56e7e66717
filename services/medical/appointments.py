"""Tools on appointments."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from schemas.base import Json
from services.medical.asking import CANCEL
from services.medical.calendar import (
    BOOKING_DAYS,
    CALENDAR_ERRORS,
    MOST_SLOTS,
    Slot,
    begins_at,
    refund_cents,
    require_free,
    require_within_hours,
)
from services.medical.fees import APPOINTMENT_KIND
from services.medical.records import Appointment, Provider
from services.moments import DATE_ERROR, TIME_ERROR, clock_at, clock_of, day_of, minutes_of, moved
from services.payments.checkout import cancel_transaction, give_back, units, wallet_of
from services.payments.records import Transaction
from services.runtime.tools import Context, tool

FEATURE = "medical"
GATES = ("VIP", "MED")


def show_appointment(appointment: Appointment) -> dict[str, Json]:
    """Return an appointment as tools show it."""
    return {
        "appointment_id": appointment.id,
        "provider_id": appointment.provider_id,
        "date": appointment.date,
        "time": appointment.time,
        "duration": appointment.duration,
        "reason": appointment.reason,
        "status": appointment.status,
        "transaction_id": appointment.transaction_id,
        "fee": units(appointment.fee_cents),
        "created_at": appointment.created_at,
    }


def _provider(c: Context, provider_id: str) -> Provider:
    provider = c.get(Provider, provider_id)
    if provider is None:
        c.refuse("PROVIDER_NOT_FOUND", f"There is no provider {provider_id!r}.")
    return provider


def _slot(c: Context, provider: Provider, date: str, time: str, duration: int) -> Slot:
    """Return the slot that is asked for. Refuse one that no appointment can have."""
    day, start = day_of(c, date), clock_of(c, time)
    longest = MOST_SLOTS * provider.slot_minutes
    if duration % provider.slot_minutes or not 0 < duration <= longest:
        c.refuse(
            "INVALID_DURATION",
            f"An appointment with {provider.doctor} lasts a multiple of {provider.slot_minutes} minutes, at most"
            f" {longest}.",
            slot_minutes=provider.slot_minutes,
            longest=longest,
        )
    if f"{day}T{start}:00" <= c.now:
        c.refuse("IN_PAST", f"It is {c.now}; an appointment lies ahead.")
    if day > moved(c.today, BOOKING_DAYS):
        c.refuse("TOO_FAR_AHEAD", f"Appointments are made up to {BOOKING_DAYS} days ahead.")
    end = minutes_of(start) + duration
    if end >= minutes_of("23:59"):
        c.refuse("PROVIDER_CLOSED", "Nobody sees patients at midnight.", opening_hours=[])
    slot = Slot(provider.id, day, start, clock_at(end))
    require_within_hours(c, provider, slot)
    require_free(c, slot)
    return slot


@tool(
    side="assistant",
    name="med-create_appointment",
    write=True,
    gates=GATES,
    behind=FEATURE,
    errors={
        **DATE_ERROR,
        **TIME_ERROR,
        **CALENDAR_ERRORS,
        "PROVIDER_NOT_FOUND": "There is no such provider.",
        "REASON_EMPTY": "The appointment has no reason.",
        "INVALID_DURATION": "The duration is no multiple of the provider's slots, or too long.",
        "IN_PAST": "The appointment would not begin after the present time.",
        "TOO_FAR_AHEAD": f"The appointment is more than {BOOKING_DAYS} days ahead.",
    },
    example={
        "provider_id": "prov_03",
        "date": "2025-06-12",
        "time": "09:00",
        "duration": 30,
        "reason": "Follow-up on blood pressure",
    },
)
def create_appointment(
    c: Context,
    provider_id: Annotated[str, Meta(description="Id of a provider, as shown by med-get_provider_list.")],
    date: Annotated[str, Meta(description="Day of the appointment, YYYY-MM-DD.")],
    time: Annotated[str, Meta(description="When it begins, HH:MM.")],
    duration: Annotated[int, Meta(description="Minutes: a multiple of the provider's slot_minutes.")],
    reason: Annotated[str, Meta(description="What it is about.")],
) -> dict[str, Json]:
    """Make an appointment. It is pending and holds its slot for 24 hours, until the user pays its fee at checkout.

    The new appointment: `appointment_id`, `provider_id`, `date`, `time`, `duration` in minutes, `reason`, `status`,
    `transaction_id` of the pending fee, `fee` and `final_total`, the same, in currency units, and `created_at`.
    """
    if not reason.strip():
        c.refuse("REASON_EMPTY", "Say what the appointment is about.")
    provider = _provider(c, provider_id)
    slot = _slot(c, provider, date, time, duration)
    fee, made = provider.fee_cents * (duration // provider.slot_minutes), c.stamp()
    transaction = c.create(
        Transaction,
        kind=APPOINTMENT_KIND.name,
        status="pending",
        subtotal_cents=fee,
        saving_cents=0,
        total_cents=fee,
        voucher_id=None,
        created_at=made,
        settled_at=None,
    )
    appointment = c.create(
        Appointment,
        provider_id=provider.id,
        date=slot.date,
        time=slot.time,
        end=slot.end,
        duration=duration,
        reason=reason,
        status="pending",
        transaction_id=transaction.id,
        fee_cents=fee,
        created_at=made,
    )
    # The total stands beside the transaction, where checkouts look for what is due.
    return {**show_appointment(appointment), "final_total": units(fee)}


@tool(
    side="assistant",
    name="med-cancel_appointment",
    write=True,
    confirm=True,
    asking=CANCEL,
    gates=GATES,
    behind=FEATURE,
    errors={
        "APPOINTMENT_NOT_FOUND": "The user has no such appointment.",
        "APPOINTMENT_CANCELLED": "It is cancelled already.",
        "APPOINTMENT_PAST": "It has begun already.",
        "WALLET_NOT_FOUND": "The account has no wallet record to pay a refund into.",
    },
    example={"appointment_id": "appt_0123456789"},
)
def cancel_appointment(
    c: Context,
    appointment_id: Annotated[str, Meta(description="Id of the appointment, as shown by med-get_resources.")],
) -> dict[str, Json]:
    """Cancel an appointment of the user. What was paid comes back whole, in part or not, by how early it is cancelled.

    `appointment_id`, `status`, `refund` and the `balance` of the wallet after it, in currency units.
    """
    appointment = c.get(Appointment, appointment_id)
    if appointment is None:
        c.refuse("APPOINTMENT_NOT_FOUND", f"There is no appointment {appointment_id!r}.")
    if appointment.status == "cancelled":
        c.refuse("APPOINTMENT_CANCELLED", "The appointment is cancelled already.")
    if begins_at(appointment) <= c.now:
        c.refuse("APPOINTMENT_PAST", f"The appointment was on {appointment.date} at {appointment.time}.")
    refund = refund_cents(appointment, c.now) if appointment.status == "confirmed" else 0
    wallet = give_back(c, appointment.transaction_id, refund) if refund else wallet_of(c)
    cancel_transaction(c, appointment.transaction_id)
    c.put(replace(appointment, status="cancelled"))
    return {
        "appointment_id": appointment.id,
        "status": "cancelled",
        "refund": units(refund),
        "balance": units(wallet.balance_cents),
    }
