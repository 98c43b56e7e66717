"""Tools on what care providers know of the user, and the discovery of the medical tools."""

from __future__ import annotations

from typing import Annotated, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from schemas.base import Json
from services.account.service import BasicInfo, given
from services.medical.appointments import FEATURE, GATES, show_appointment
from services.medical.asking import PROFILE
from services.medical.calendar import next_free, taken_at
from services.medical.records import Appointment, CarePlan, MedicalProfile, OpeningHours, Provider
from services.payments.checkout import units
from services.reminders.records import WEEKDAYS
from services.rules import show_rule
from services.runtime.tools import Context, tool


@tool(side="assistant", gates=GATES, unlocks=FEATURE)
def get_med_features(c: Context) -> dict[str, Json]:
    """Make the tools of the medical assistant available for this conversation, and return their schemas. Members only.

    `tools`, the schemas of the tools whose names begin with `med-`.
    """
    c.unlock(FEATURE)
    return {"tools": cast("list[Json]", c.tools_behind(FEATURE))}


def _profile(c: Context) -> MedicalProfile:
    profile = c.get(MedicalProfile, "med_profile")
    if profile is None:
        c.refuse("MED_PROFILE_NOT_FOUND", "Care providers have no profile of the user.")
    return profile


def _show(profile: MedicalProfile) -> dict[str, Json]:
    return {
        "basic_info": {"name": profile.name, "age": profile.age, "gender": profile.gender},
        "health_risks": list(profile.health_risks),
        "dietary_restrictions": list(profile.dietary_restrictions),
    }


_NO_PROFILE = {"MED_PROFILE_NOT_FOUND": "There is no profile of the user with care providers."}


@tool(side="assistant", name="med-get_user_profile", gates=GATES, behind=FEATURE, errors=_NO_PROFILE)
def get_user_profile(c: Context) -> dict[str, Json]:
    """Return what care providers know of the user; it may say more than the user's own profile.

    `basic_info` {name, age, gender}, `health_risks` and `dietary_restrictions`.
    """
    return _show(_profile(c))


@tool(
    side="assistant",
    name="med-update_user_profile",
    write=True,
    confirm=True,
    asking=PROFILE,
    gates=GATES,
    behind=FEATURE,
    errors={**_NO_PROFILE, "NOTHING_TO_UPDATE": "No field was given."},
    example={"dietary_restrictions": ["low_sodium"]},
)
def update_user_profile(
    c: Context,
    basic_info: Annotated[BasicInfo | UnsetType, Meta(description="Name, age in years, gender.")] = UNSET,
    health_risks: Annotated[list[str] | UnsetType, Meta(description="Replaces all health risks.")] = UNSET,
    dietary_restrictions: Annotated[
        list[str] | UnsetType, Meta(description="Replaces all dietary restrictions.")
    ] = UNSET,
) -> dict[str, Json]:
    """Change what care providers know of the user. Only the fields that are given change; lists are replaced whole.

    The whole profile after the change, in the form of `med-get_user_profile`.
    """
    info = basic_info if isinstance(basic_info, BasicInfo) else BasicInfo()
    changes = given(
        name=info.name,
        age=info.age,
        gender=info.gender,
        health_risks=health_risks,
        dietary_restrictions=dietary_restrictions,
    )
    if not changes:
        c.refuse("NOTHING_TO_UPDATE", "Name at least one field to change.")
    profile = msgspec.structs.replace(_profile(c), **changes)
    c.put(profile)
    return _show(profile)


@tool(side="assistant", name="med-get_provider_list", gates=GATES, behind=FEATURE)
def get_provider_list(c: Context) -> dict[str, Json]:
    """List the care providers with whom appointments can be made, with opening hours, fees and free slots.

    `providers` [{provider_id, doctor, clinic, address, specialty, slot_minutes, fee_per_slot in currency units,
    opening_hours [{weekday, opens, closes}], taken [{date, time, until}], when others have appointments, and next_free
    [{date, time}], the next free slots}]. Appointments begin on a grid of slot_minutes from the start of the hours.
    """
    return {"providers": [_show_provider(c, one) for one in sorted(c.all(Provider), key=lambda one: one.id)]}


def _show_provider(c: Context, provider: Provider) -> dict[str, Json]:
    hours = c.where(OpeningHours, "provider_id", provider.id)
    return {
        "provider_id": provider.id,
        "doctor": provider.doctor,
        "clinic": provider.clinic,
        "address": provider.address,
        "specialty": provider.specialty,
        "slot_minutes": provider.slot_minutes,
        "fee_per_slot": units(provider.fee_cents),
        "opening_hours": [
            {"weekday": one.weekday, "opens": one.opens, "closes": one.closes}
            for one in sorted(hours, key=lambda one: (WEEKDAYS.index(one.weekday), one.opens))
        ],
        "taken": [
            {"date": one.date, "time": one.time, "until": one.end}
            for one in taken_at(c, provider.id)
            if one.date >= c.today
        ],
        "next_free": next_free(c, provider),
    }


@tool(
    side="assistant",
    name="med-get_resources",
    gates=GATES,
    behind=FEATURE,
    example={"resource_type": "care_plans"},
)
def get_resources(
    c: Context,
    resource_type: Annotated[
        Literal["appointments", "care_plans"], Meta(description="What to return: appointments or care plans.")
    ],
) -> dict[str, Json]:
    """Return the user's appointments, past and to come, or the care plans that providers wrote.

    `appointments` [{appointment_id, provider_id, date, time, duration in minutes, reason, status: pending (fee to be
    paid within 24 hours of created_at), confirmed or cancelled, transaction_id, fee in currency units, created_at}] by
    date, or `care_plans` [{plan_id, provider_id, created_at, topics, note_text, rule {metric, comparison, value, unit,
    period} or null}], oldest first.
    """
    if resource_type == "appointments":
        appointments = sorted(c.all(Appointment), key=lambda one: (one.date, one.time, one.id))
        return {"appointments": [show_appointment(one) for one in appointments]}
    return {
        "care_plans": [
            {
                "plan_id": plan.id,
                "provider_id": plan.provider_id,
                "created_at": plan.created_at,
                "topics": list(plan.topics),
                "note_text": plan.text,
                "rule": show_rule(plan),
            }
            for plan in sorted(c.all(CarePlan), key=lambda plan: (plan.created_at, plan.id))
        ]
    }
