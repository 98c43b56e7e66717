"""The care providers of a world: invented people, with opening hours, slots and fees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.medical.data import medical_data
from services.medical.records import OpeningHours, Provider
from services.reminders.records import WEEKDAYS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generators.environments.medical.data import Hours, Specialty
    from services.runtime.streams import Stream

_WORKING_DAYS = 5


def draw_providers(stream: Stream) -> tuple[list[Provider], list[OpeningHours]]:
    """Return the providers of a world and their opening hours; nobody shares a doctor, clinic or address."""
    data = medical_data().providers
    always, others = data.specialties[: data.always], data.specialties[data.always :]
    chosen = [*always, *stream.sample(others, data.count - len(always))]
    given, family = stream.sample(data.given, data.count), stream.sample(data.family, data.count)
    clinics, streets = stream.sample(data.clinics, data.count), stream.sample(data.streets, data.count)
    providers: list[Provider] = []
    hours: list[OpeningHours] = []
    for number, specialty in enumerate(stream.shuffled(chosen)):
        mine = stream.child(number)
        provider = Provider(
            id=f"prov_{number + 1:02d}",
            doctor=f"Dr. {given[number]} {family[number]}",
            clinic=clinics[number],
            address=f"{mine.between(*data.house_numbers)} {streets[number]}",
            specialty=specialty.name,
            slot_minutes=specialty.slot_minutes,
            fee_cents=_draw_fee(mine, specialty),
        )
        providers.append(provider)
        hours += _draw_hours(mine.child("hours"), provider.id)
    return providers, hours


def _draw_fee(stream: Stream, specialty: Specialty) -> int:
    step = medical_data().providers.fee_step_cents
    low, high = specialty.fee_cents
    return low + step * stream.below((high - low) // step + 1)


def _draw_hours(stream: Stream, provider_id: str) -> Iterator[OpeningHours]:
    """Yield the opening hours of a week: most working days, and some Saturdays."""
    data = medical_data().providers
    days: list[Hours] = [
        stream.weighted([(hours, weight) for weight, hours in data.days]) for _ in range(_WORKING_DAYS)
    ]
    if not any(days):
        days[0] = data.days[0][1]
    days.append(data.saturday_hours if stream.chance(data.saturday, 100) else [])
    for weekday, stretches in zip(WEEKDAYS, days, strict=False):
        for part, (opens, closes) in enumerate(stretches, 1):
            yield OpeningHours(
                id=f"{provider_id}_{weekday.lower()}_{part}",
                provider_id=provider_id,
                weekday=weekday,
                opens=opens,
                closes=closes,
            )
