"""The body that signals come from: a few whole numbers, each from a published formula or range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.profile import Gender, Profile
    from services.runtime.streams import Stream

_CAPACITY_LOSS: dict[Gender, int] = {"male": 11, "female": 13, "non_binary": 12}
"""Hundredths of a MET of capacity lost a year: 14.7 - 0.11 x age for men (Morris et al., JACC 1993;22:175-182),
14.7 - 0.13 x age for women (Gulati et al., NEJM 2005;353:468-475), the mean of both where gender does not tell."""
_LEAST_CAPACITY = 45
_RESTING_MORE: dict[Gender, int] = {"male": -1, "female": 2, "non_binary": 0}


@dataclass(frozen=True, slots=True)
class Person:
    """One body."""

    age: int
    weight_kg: int
    capacity: int
    """Most tenths of a MET the body can do."""
    max_rate: int
    """Highest heart rate, beats a minute."""
    resting_rate: int
    """Heart rate at complete rest, beats a minute."""
    cadence: int
    """Steps a minute when walking on purpose."""


def draw_person(profile: Profile, fitness: int, stream: Stream) -> Person:
    """Return the body of a profile whose capacity is `fitness` percent of what is usual at this age.

    Resting rates: mean 65.5, standard deviation 7.7 beats a minute over 92,457 wearers, lower in men and in the fit
    (Quer et al., PLoS ONE 2020;15:e0227709; trained persons 40-60: American Heart Association).
    """
    capacity = (1_470 - _CAPACITY_LOSS[profile.gender] * profile.age) * fitness // 1_000
    resting = 66 - (fitness - 95) * 3 // 10 + _RESTING_MORE[profile.gender]
    return Person(
        age=profile.age,
        weight_kg=profile.body.weight_kg,
        capacity=max(_LEAST_CAPACITY, capacity),
        max_rate=highest_rate(profile.age) + stream.between(-5, 5),
        resting_rate=min(84, max(42, resting + stream.between(-5, 5) + stream.between(-4, 4))),
        cadence=106 - max(0, profile.age - 50) // 2 + stream.between(-5, 5),
    )


def highest_rate(age: int) -> int:
    """Return 208 - 0.7 x age, halves rounded up (Tanaka et al., JACC 2001;37:153-156)."""
    return (2_080 - 7 * age + 5) // 10
