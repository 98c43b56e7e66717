"""The data file of the medical side, read and typed."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from schemas.profile_facts import Risk

Range: TypeAlias = tuple[int, int]
Hours: TypeAlias = list[tuple[str, str]]
"""Stretches of a day, each from its opening to its closing time."""


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Specialty(_Data):
    """What a provider is good for."""

    name: str
    slot_minutes: int
    fee_cents: Range
    """For one slot."""
    risks: list[Risk]


class Providers(_Data):
    """What the providers of a world are made of."""

    count: int
    specialties: list[Specialty]
    always: int
    fee_step_cents: int
    given: list[str]
    family: list[str]
    clinics: list[str]
    streets: list[str]
    house_numbers: Range
    days: list[tuple[int, Hours]]
    saturday: int
    saturday_hours: Hours


class Taken(_Data):
    """What others have booked."""

    days: int
    slots: Range
    length: Range


class Appointments(_Data):
    """How many appointments of which state a person has."""

    past: list[tuple[int, Range]]
    upcoming: list[tuple[int, Range]]
    fresh: int
    lapsed: int
    withdrawn: int
    refunded_whole: int
    refunded_part: int
    not_refunded: int
    slots: list[tuple[int, int]]
    lead_days: Range
    past_days: Range
    ahead_days: Range
    fresh_age_minutes: Range
    lapsed_age_days: Range
    reasons: list[str]


class CarePlans(_Data):
    """How many care plans a person has."""

    counts: list[tuple[int, Range]]
    counts_without_risks: list[tuple[int, Range]]
    ruled: int
    days: int


class MedicalData(_Data):
    """The data file."""

    providers: Providers
    taken: Taken
    appointments: Appointments
    care_plans: CarePlans


@cache
def medical_data() -> MedicalData:
    """Return the data file, read once."""
    return MedicalData.model_validate(read_yaml(__name__.rpartition(".")[0], "medical.yaml"))
