"""Who a user is: name, age, gender, household, body and habitual activity."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from generators.profiles.personas import NOBODY, Persona
from schemas.profile import Activity, Body, Gender, Household, PersonName
from services.runtime.streams import Stream

_AGES = (((18, 29), 20), ((30, 44), 28), ((45, 59), 26), ((60, 74), 18), ((75, 90), 8))
_GENDERS: tuple[tuple[Gender, int], ...] = (("female", 48), ("male", 48), ("non_binary", 4))
_HEIGHTS: dict[Gender, int] = {"female": 163, "male": 176, "non_binary": 169}
"""Mean height in cm."""
_BMI_TENTHS = (((176, 184), 3), ((185, 249), 44), ((250, 299), 32), ((300, 349), 15), ((350, 389), 6))
"""Body-mass index in tenths of kg/m², roughly as adult populations spread."""
_ACTIVITIES: tuple[tuple[Activity, int], ...] = (("sedentary", 25), ("light", 35), ("moderate", 28), ("active", 12))
_CALM_ACTIVITIES: tuple[tuple[Activity, int], ...] = (("sedentary", 45), ("light", 40), ("moderate", 15))
_CALM_FROM = 75
"""From this age on nobody is drawn as active."""


@dataclass(frozen=True, slots=True)
class Person:
    """What is drawn first, because everything else depends on it."""

    name: PersonName
    age: int
    gender: Gender
    household: Household
    body: Body
    activity: Activity


@cache
def _names() -> dict[str, dict[str, list[str]]]:
    """Return given names by gender and family names, by origin. Family names are coined; no real person is meant."""
    return json.loads(files("generators.profiles").joinpath("data/names.json").read_text(encoding="utf-8"))


def draw_person(stream: Stream, persona: Persona = NOBODY) -> Person:
    """Draw a person who keeps to what is known."""
    low, high = stream.weighted(_ages(*persona.bounds()))
    age = stream.between(low, high)
    gender = stream.weighted(_genders(persona))
    drawn = _draw_household(stream.child("household"), age)
    household = Household(
        adults=drawn.adults if persona.adults is None else persona.adults,
        children=drawn.children if persona.children is None else persona.children,
    )
    activities = _CALM_ACTIVITIES if age >= _CALM_FROM else _ACTIVITIES
    return Person(
        name=_draw_name(stream.child("name"), gender, persona),
        age=age,
        gender=gender,
        household=household,
        body=_draw_body(stream.child("body"), gender, persona.min_bmi()),
        activity=stream.weighted(
            [option for option in activities if option[0] != "sedentary" or not persona.vigorous()]
        ),
    )


def _ages(low: int, high: int) -> list[tuple[tuple[int, int], int]]:
    """Return the spread of ages from `low` to `high`, each age about as likely as in the whole spread."""
    cut = [((max(low, first), min(high, last)), last - first + 1, weight) for (first, last), weight in _AGES]
    inside = [(ages, ages[1] - ages[0] + 1, years, weight) for ages, years, weight in cut if ages[0] <= ages[1]]
    return [(ages, max(1, weight * left // years)) for ages, left, years, weight in inside]


def _genders(persona: Persona) -> list[tuple[Gender, int]]:
    """Return the genders that may be drawn: those for which a known given name is listed, if it is for any."""
    if persona.gender:
        return [(persona.gender, 1)]
    fits = {gender for gender, _ in _GENDERS for listed in _names().values() if persona.given in _given(listed, gender)}
    return [(gender, weight) for gender, weight in _GENDERS if gender in fits or not fits]


def _given(listed: dict[str, list[str]], gender: Gender) -> list[str]:
    return listed["neutral"] if gender == "non_binary" else listed[gender] + listed["neutral"]


def _draw_name(stream: Stream, gender: Gender, persona: Persona) -> PersonName:
    """Draw a name; one family name in four comes from another origin than the given name."""
    names = _names()
    origins = sorted(names)
    origin = stream.choice(origins)
    family_origin = stream.choice(origins) if stream.chance(1, 4) else origin
    given = persona.given or stream.choice(_given(names[origin], gender))
    families = [name for name in names[family_origin]["family"] if name != given]
    return PersonName(given=given, family=persona.family or stream.choice(families))


def _draw_household(stream: Stream, age: int) -> Household:
    """Draw who lives together: children with adults of 22 to 62, more generations with the young and the old."""
    if age < 25:
        adults = stream.weighted(((1, 35), (2, 30), (3, 22), (4, 13)))
    elif age < 75:
        adults = stream.weighted(((1, 30), (2, 58), (3, 9), (4, 3)))
    else:
        adults = stream.weighted(((1, 48), (2, 46), (3, 6)))
    if age < 22 or age > 62:
        children = 0
    elif age < 30 or age > 50:
        children = stream.weighted(((0, 75), (1, 16), (2, 9)))
    else:
        children = stream.weighted(((0, 38), (1, 25), (2, 26), (3, 9), (4, 2)))
    return Household(adults=adults, children=children)


def _draw_body(stream: Stream, gender: Gender, min_bmi: int) -> Body:
    """Draw height around the mean of the gender, and weight from a body-mass index of at least `min_bmi`."""
    height = _HEIGHTS[gender] + sum(stream.between(-5, 5) for _ in range(3))
    low, high = stream.weighted([option for option in _BMI_TENTHS if option[0][0] >= 10 * min_bmi])
    tenths = stream.between(low, high)
    weight = (tenths * height * height + 50_000) // 100_000
    return Body(height_cm=height, weight_kg=max(weight, -(-min_bmi * height * height // 10_000)))
