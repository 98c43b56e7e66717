"""Records of the medical assistant, and the shared care providers. Times of day are texts `HH:MM` within one day."""

from __future__ import annotations

from typing import Literal

from services.reminders.records import Clock, Weekday
from services.rules import Ruled
from services.runtime.records import Date, Record, Time

Status = Literal["pending", "confirmed", "cancelled"]


class Provider(Record, frozen=True):
    """A care provider of the world."""

    doctor: str
    clinic: str
    address: str
    specialty: str
    slot_minutes: int
    """Appointments begin on this grid from the start of the opening hours, and last one or several slots."""
    fee_cents: int
    """For one slot."""


class OpeningHours(Record, frozen=True):
    """A stretch of one day of the week during which a provider sees patients."""

    provider_id: str
    weekday: Weekday
    opens: Clock
    closes: Clock


class MedicalProfile(Record, frozen=True):
    """What care providers know of the user; one record, id `med_profile`."""

    name: str
    age: int
    """Years."""
    gender: str
    health_risks: tuple[str, ...]
    dietary_restrictions: tuple[str, ...]


class CarePlan(Ruled, frozen=True, kw_only=True):
    """What a provider advised; where the text states a rule, the rule stands beside it."""

    provider_id: str
    created_at: Time
    topics: tuple[str, ...]
    text: str


class TakenSlot(Record, frozen=True):
    """A time at which a provider is booked by somebody else, or away."""

    provider_id: str
    date: Date
    time: Clock
    end: Clock


class Appointment(Record, frozen=True):
    """An appointment of the user: pending until its fee is paid, then confirmed."""

    provider_id: str
    date: Date
    time: Clock
    end: Clock
    """Follows from time and duration."""
    duration: int
    """Minutes."""
    reason: str
    status: Status
    transaction_id: str
    fee_cents: int
    created_at: Time
