"""Seeds the medical side: the providers of a world, and a person's profile, care plans and appointments."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.environments.medical.appointments import draw_appointments
from generators.environments.medical.data import medical_data
from generators.environments.medical.diary import Diary, fill_taken, taken_slot
from generators.environments.medical.plans import draw_care_plans
from generators.environments.medical.providers import draw_providers
from generators.environments.moments import day_of, moment
from generators.environments.seeder import Seeder, observed_times
from services.medical.records import MedicalProfile, OpeningHours, Provider

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from schemas.profile import Profile
    from services.runtime.records import Record
    from services.runtime.streams import Stream

_PROVIDERS = 4
"""Most providers that one person sees."""


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    providers = list(cast("Mapping[str, Provider]", c.world["providers"]).values())
    hours = cast("Mapping[str, OpeningHours]", c.world["opening_hours"]).values()
    diary = Diary(
        now=moment(c.now),
        since=day_of(c.since),
        hours={one.id: [each for each in hours if each.provider_id == one.id] for one in providers},
        used=observed_times(c.tables),
    )
    fill_taken(c.stream.child("taken"), diary, providers)
    seen = _seen_by(c.stream.child("providers"), c.profile, providers)
    made = draw_appointments(c, c.stream.child("appointments"), diary, seen)
    attended = [one for one in made.appointments if one.status == "confirmed" and one.date < c.now[:10]]
    return {
        "med_profile": [profile_record(c.profile)],
        "taken_slots": [taken_slot(c.new_id("taken_slots"), visit) for visit in diary.taken],
        "appointments": made.appointments,
        "transactions": made.transactions,
        "refunds": made.refunds,
        "care_plans": draw_care_plans(c, c.stream.child("plans"), diary, seen, attended),
    }


def profile_record(person: Profile) -> MedicalProfile:
    """Return what care providers know of a person."""
    view = person.medical_view
    return MedicalProfile(
        id="med_profile",
        name=view.basic_info.name,
        age=view.basic_info.age,
        gender=view.basic_info.gender,
        health_risks=tuple(view.health_risks),
        dietary_restrictions=tuple(view.dietary_restrictions),
    )


def _seen_by(stream: Stream, person: Profile, providers: Sequence[Provider]) -> list[Provider]:
    """Return the providers that a person sees: those for its risks, and others."""
    risks = set(person.medical_view.health_risks)
    known = medical_data().providers.specialties
    fitting = {one.name for one in known if not one.risks or risks.intersection(one.risks)}
    first = [one for one in providers if one.specialty in fitting]
    others = [one for one in providers if one.specialty not in fitting]
    return [*stream.shuffled(first), *stream.shuffled(others)][: stream.between(2, _PROVIDERS)]


def _shared(stream: Stream) -> Mapping[str, Sequence[Record]]:
    providers, hours = draw_providers(stream)
    return {"providers": providers, "opening_hours": hours}


SEEDER = Seeder("medical", _seed, after=("payments", "shopping"), shared=_shared)
