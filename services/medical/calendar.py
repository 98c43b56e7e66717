"""The calendar of appointments: opening hours, slots, what is taken, and what comes back when one is cancelled."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from schemas.base import Json
from services.medical.records import Appointment, OpeningHours, Provider, TakenSlot
from services.moments import clock_at, minutes_of, moved
from services.payments.checkout import APPROVAL_HOURS
from services.reminders.records import WEEKDAYS

if TYPE_CHECKING:
    from services.runtime.tools import Context

MOST_SLOTS = 4
"""Slots that one appointment may take."""
BOOKING_DAYS = 60
"""Days ahead for which appointments are made."""
REFUNDS: tuple[tuple[int, int], ...] = ((48, 100), (24, 50))
"""Hours before its start until which an appointment can be cancelled, and what comes back of its fee, in percent."""
SHOWN_FREE = 3
"""Free slots that the list of providers shows of each."""


class Slot(NamedTuple):
    """A stretch of one day at one provider."""

    provider_id: str
    date: str
    time: str
    end: str

    def overlaps(self, other: Slot | TakenSlot | Appointment) -> bool:
        """Return whether the two share a minute of one day, at whatever provider."""
        return self.date == other.date and self.time < other.end and other.time < self.end


def hours_on(c: Context, provider: Provider, date: str) -> list[OpeningHours]:
    """Return the opening hours of a provider on a day, the earliest first."""
    weekday = WEEKDAYS[dt.date.fromisoformat(date).weekday()]
    found = [hours for hours in c.where(OpeningHours, "provider_id", provider.id) if hours.weekday == weekday]
    return sorted(found, key=lambda hours: hours.opens)


def lapsed(appointment: Appointment, now: str) -> bool:
    """Return whether an appointment was never paid and no longer can be."""
    age = dt.datetime.fromisoformat(now) - dt.datetime.fromisoformat(appointment.created_at)
    return appointment.status == "pending" and age > dt.timedelta(hours=APPROVAL_HOURS)


def held_by_user(c: Context, *, but: str = "") -> list[Appointment]:
    """Return the user's appointments that hold their slots: confirmed ones, and pending ones that can be paid."""
    return [one for one in c.all(Appointment) if one.id != but and one.status != "cancelled" and not lapsed(one, c.now)]


def taken_at(c: Context, provider_id: str) -> list[TakenSlot]:
    """Return when a provider is booked by others or away, in order."""
    return sorted(c.where(TakenSlot, "provider_id", provider_id), key=lambda one: (one.date, one.time))


def starts(provider: Provider, hours: OpeningHours, minutes: int) -> Iterator[str]:
    """Yield the times at which an appointment of so many minutes may begin within opening hours."""
    first, last = minutes_of(hours.opens), minutes_of(hours.closes)
    for start in range(first, last - minutes + 1, provider.slot_minutes):
        yield clock_at(start)


def free_on(
    c: Context, provider: Provider, date: str, minutes: int, busy: Iterable[TakenSlot | Appointment]
) -> list[str]:
    """Return the times of a day at which an appointment may begin: after now, within hours, and clear of `busy`."""
    known = [one for one in busy if one.date == date]
    found: list[str] = []
    for hours in hours_on(c, provider, date):
        for time in starts(provider, hours, minutes):
            slot = Slot(provider.id, date, time, clock_at(minutes_of(time) + minutes))
            if f"{date}T{time}:00" > c.now and not any(slot.overlaps(one) for one in known):
                found.append(time)
    return found


def busy_for(c: Context, provider_id: str) -> list[TakenSlot | Appointment]:
    """Return what the user's next appointment with a provider must not overlap."""
    return [*taken_at(c, provider_id), *held_by_user(c)]


def next_free(c: Context, provider: Provider) -> list[Json]:
    """Return the next free slots of a provider, one slot long, as {date, time}."""
    busy, found = busy_for(c, provider.id), list[Json]()
    for ahead in range(BOOKING_DAYS + 1):
        date = moved(c.today, ahead)
        for time in free_on(c, provider, date, provider.slot_minutes, busy):
            found.append({"date": date, "time": time})
            if len(found) == SHOWN_FREE:
                return found
    return found


def require_within_hours(c: Context, provider: Provider, slot: Slot) -> None:
    """Refuse a slot outside opening hours, or off the provider's grid."""
    open_hours = hours_on(c, provider, slot.date)
    around = next((h for h in open_hours if h.opens <= slot.time and slot.end <= h.closes), None)
    if around is None:
        c.refuse(
            "PROVIDER_CLOSED",
            f"{provider.doctor} does not see patients from {slot.time} to {slot.end} on {slot.date}.",
            opening_hours=cast("list[Json]", [{"opens": h.opens, "closes": h.closes} for h in open_hours]),
        )
    if (minutes_of(slot.time) - minutes_of(around.opens)) % provider.slot_minutes:
        c.refuse(
            "NOT_A_SLOT",
            f"Appointments begin every {provider.slot_minutes} minutes from {around.opens}.",
            slot_minutes=provider.slot_minutes,
        )


def require_free(c: Context, slot: Slot, *, but: str = "") -> None:
    """Refuse a slot that somebody else has, or that overlaps another appointment of the user's."""
    if any(slot.overlaps(one) for one in taken_at(c, slot.provider_id)):
        c.refuse(
            "SLOT_TAKEN",
            f"The slot from {slot.time} to {slot.end} on {slot.date} is taken.",
            free=cast("list[Json]", _free_beside(c, slot)),
        )
    other = next((one for one in held_by_user(c, but=but) if slot.overlaps(one)), None)
    if other is not None:
        c.refuse(
            "APPOINTMENT_CONFLICT",
            f"The user has another appointment from {other.time} to {other.end} on {other.date}.",
            appointment_id=other.id,
        )


def _free_beside(c: Context, slot: Slot) -> list[str]:
    """Return when a slot of the same length could begin on its day."""
    provider = c.get(Provider, slot.provider_id)
    minutes = minutes_of(slot.end) - minutes_of(slot.time)
    return [] if provider is None else free_on(c, provider, slot.date, minutes, busy_for(c, provider.id))


def slot_of(appointment: Appointment) -> Slot:
    """Return the slot of an appointment."""
    return Slot(appointment.provider_id, appointment.date, appointment.time, appointment.end)


def begins_at(appointment: Appointment | Slot) -> str:
    """Return the moment at which an appointment begins."""
    return f"{appointment.date}T{appointment.time}:00"


def refund_percent(appointment: Appointment, now: str) -> int:
    """Return what comes back of the fee when an appointment is cancelled now, in percent."""
    left = dt.datetime.fromisoformat(begins_at(appointment)) - dt.datetime.fromisoformat(now)
    return next((percent for hours, percent in REFUNDS if left >= dt.timedelta(hours=hours)), 0)


def refund_cents(appointment: Appointment, now: str) -> int:
    """Return what comes back of the fee when an appointment is cancelled now, in cents, half up."""
    return (2 * appointment.fee_cents * refund_percent(appointment, now) + 100) // 200


Fault = Literal["PROVIDER_CLOSED", "NOT_A_SLOT", "SLOT_TAKEN", "APPOINTMENT_CONFLICT"]
CALENDAR_ERRORS: dict[Fault, str] = {
    "PROVIDER_CLOSED": "The provider does not see patients then; `opening_hours` are those of the day.",
    "NOT_A_SLOT": "The time is not on the provider's grid of slots.",
    "SLOT_TAKEN": "Somebody else has the slot; `free` lists the times of that day that are not taken.",
    "APPOINTMENT_CONFLICT": "The user has another appointment at that time; `appointment_id` names it.",
}
