"""Do the fields of a profile fit each other? Every rule looks up the facts of the vocabulary for itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

from schemas.profile import Profile
from schemas.profile_facts import DIETS, FOODS, RISKS, SPORTS, Diet, Risk
from validators.profiles.context import ProfileContext

_PARENTS = range(20, 63)
"""Ages in years at which minor children at home are plausible."""
_VIGOROUS = 3


def identity_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield a fault unless the id is that of the index."""
    if profile.user_id != "u" + str(profile.index).rjust(6, "0"):
        yield f"user_id {profile.user_id!r} is not that of index {profile.index}"


def household_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield children in households where they are not plausible."""
    if profile.household.children and profile.age not in _PARENTS:
        yield f"a user of {profile.age} years with {profile.household.children} children under 18 is not plausible"


def body_mass_index(profile: Profile) -> Fraction:
    """Return weight by squared height in kg/m²."""
    return profile.body.weight_kg / (Fraction(profile.body.height_cm, 100) ** 2)


def risk_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield risks that the person cannot plausibly have, or that exclude each other."""
    yield from _risk_faults(profile, profile.health_risks, profile.dietary_restrictions, "health_risks")


def _risk_faults(profile: Profile, risks: Sequence[Risk], diets: Sequence[Diet], field: str) -> Iterator[str]:
    yield from _repeats(risks, field)
    for risk in risks:
        facts = RISKS[risk]
        if profile.age < facts.min_age:
            yield f"{field}: {risk} at {profile.age} years, it starts at {facts.min_age}"
        if facts.min_bmi and body_mass_index(profile) < facts.min_bmi:
            yield f"{field}: {risk} with a body-mass index of {float(body_mass_index(profile)):.1f}"
        yield from (f"{field}: {risk} excludes {other}" for other in facts.excludes if other in risks)
        yield from (f"{field}: {risk} needs the diet {diet}" for diet in facts.needs if diet not in diets)


def diet_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield repeats and diets that another one of the list covers."""
    yield from _diet_faults(profile.dietary_restrictions, "dietary_restrictions")


def _diet_faults(diets: Sequence[Diet], field: str) -> Iterator[str]:
    yield from _repeats(diets, field)
    for one, other in permutations(diets, 2):
        if one != other and all(content in DIETS[other] for content in DIETS[one]):
            yield f"{field}: {other} covers {one}"


def preference_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield favourite foods that a diet rules out, and sports that age, activity or a risk rule out."""
    sports, foods = profile.preferences.sport, profile.preferences.food
    yield from _repeats(sports, "preferences.sport")
    yield from _repeats(foods, "preferences.food")
    for diet in profile.dietary_restrictions:
        for food in foods:
            if set(DIETS[diet]) & set(FOODS[food]):
                yield f"preferences.food: {food} is not {diet}"
    spared = {RISKS[risk].spares: risk for risk in profile.health_risks}
    for sport in sports:
        facts = SPORTS[sport]
        if profile.age > facts.max_age:
            yield f"preferences.sport: {sport} at {profile.age} years"
        if facts.effort >= _VIGOROUS and profile.activity == "sedentary":
            yield f"preferences.sport: {sport} and a sedentary life"
        if facts.effort >= _VIGOROUS and "effort" in spared:
            yield f"preferences.sport: {sport} with {spared['effort']}"
        if facts.impact and "impact" in spared:
            yield f"preferences.sport: {sport} with {spared['impact']}"


def medical_view_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield what the medical view says against the everyday view, leaves out of it, or cannot know of this person."""
    view, info = profile.medical_view, profile.medical_view.basic_info
    for field, filed, own in (
        ("name", info.name, f"{profile.name.given} {profile.name.family}"),
        ("age", info.age, profile.age),
        ("gender", info.gender, profile.gender),
    ):
        if filed != own:
            yield f"medical_view.{field} is {filed!r}, the profile says {own!r}"
    for field, filed, own in (
        ("health_risks", view.health_risks, profile.health_risks),
        ("dietary_restrictions", view.dietary_restrictions, profile.dietary_restrictions),
    ):
        yield from (f"medical_view.{field} does not know {item}" for item in own if item not in filed)
    yield from _risk_faults(profile, view.health_risks, view.dietary_restrictions, "medical_view.health_risks")
    yield from _diet_faults(view.dietary_restrictions, "medical_view.dietary_restrictions")
    if body_mass_index(profile) >= RISKS["obesity"].min_bmi and "obesity" not in view.health_risks:
        yield "medical_view.health_risks does not know obesity"


def _repeats(items: Sequence[str], field: str) -> Iterator[str]:
    yield from (f"{field} says {item} {count} times" for item, count in Counter(items).items() if count > 1)
