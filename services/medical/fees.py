"""The transaction kind of appointments: a fee that is paid once, and confirms the appointment."""

from __future__ import annotations

from msgspec.structs import replace

from schemas.base import Json
from services.medical.calendar import begins_at, require_free, slot_of
from services.medical.records import Appointment
from services.runtime.declare import TransactionKind
from services.runtime.tools import Context


def _appointment(c: Context, transaction_id: str) -> Appointment:
    (appointment,) = c.where(Appointment, "transaction_id", transaction_id)
    return appointment


def _check(c: Context, transaction_id: str) -> None:
    appointment = _appointment(c, transaction_id)
    if begins_at(appointment) <= c.now:
        c.refuse("APPOINTMENT_PAST", f"The appointment was on {appointment.date} at {appointment.time}.")
    require_free(c, slot_of(appointment), but=appointment.id)


def _price(c: Context, transaction_id: str) -> int:
    return _appointment(c, transaction_id).fee_cents


def _keep_price(c: Context, transaction_id: str) -> None:
    """A fee depends on nothing that can change."""


def _settle(c: Context, transaction_id: str) -> None:
    c.put(replace(_appointment(c, transaction_id), status="confirmed"))


def _describe(c: Context, transaction_id: str) -> dict[str, Json]:
    """Show no more than the id: with whom, when and why is for the medical assistant to tell."""
    return {"appointment_id": _appointment(c, transaction_id).id}


APPOINTMENT_KIND = TransactionKind(
    name="appointment",
    check=_check,
    price=_price,
    reprice=_keep_price,
    settle=_settle,
    describe=_describe,
    errors={
        "APPOINTMENT_PAST": "The appointment has begun already.",
        "SLOT_TAKEN": "Somebody else has the slot of the appointment by now.",
        "APPOINTMENT_CONFLICT": "The user has another appointment at that time by now.",
    },
)
