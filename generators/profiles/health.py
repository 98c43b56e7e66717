"""Health risks, diets, preferences and the medical view, each consistent with what is already known of the person."""

from __future__ import annotations

from collections.abc import Sequence

from generators.profiles.people import Person
from generators.profiles.personas import NOBODY, Persona
from schemas.profile import BasicInfo, Body, MedicalView, Preferences
from schemas.profile_facts import DIETS, FOODS, RISKS, SPORTS, Diet, Food, Risk, Sport
from services.runtime.streams import Stream

_RISK_COUNTS = (
    (30, ((0, 68), (1, 25), (2, 7))),
    (50, ((0, 42), (1, 36), (2, 16), (3, 6))),
    (65, ((0, 24), (1, 36), (2, 27), (3, 13))),
    (200, ((0, 12), (1, 33), (2, 33), (3, 22))),
)
"""Below each age: how many risks, with weights."""
_DIET_COUNTS = ((0, 42), (1, 40), (2, 15), (3, 3))
_DIET_WEIGHTS: dict[Diet, int] = {
    "egg_free": 3,
    "gluten_free": 7,
    "halal": 6,
    "kosher": 3,
    "lactose_free": 9,
    "low_fat": 4,
    "low_sodium": 5,
    "low_sugar": 7,
    "nut_free": 6,
    "pescatarian": 5,
    "shellfish_free": 4,
    "soy_free": 2,
    "vegan": 7,
    "vegetarian": 11,
}
_ADVISED = 12
"""Added to the weight of a diet that one of the person's risks advises."""
_MOST_FILED = 5
"""Entries a list of the medical view may hold."""


def draw_risks(stream: Stream, person: Person, persona: Persona = NOBODY) -> list[Risk]:
    """Draw up to three risks that age, body and what is known allow, sorted; those that are known if there are any."""
    if persona.risks or persona.no_risks:
        return sorted(persona.risks)
    counts = next(counts for below, counts in _RISK_COUNTS if person.age < below)
    risks: list[Risk] = []
    for _ in range(stream.weighted(counts)):
        options: list[Risk] = [risk for risk in _open_risks(person, risks) if not persona.bars_risk(risk)]
        if options:
            risks.append(_draw_risk(stream, options))
    return sorted(risks)


def _draw_risk(stream: Stream, options: Sequence[Risk]) -> Risk:
    weighted: list[tuple[Risk, int]] = [(risk, RISKS[risk].weight) for risk in options]
    return stream.weighted(weighted)


def _open_risks(person: Person, risks: Sequence[Risk]) -> list[Risk]:
    """Return the risks that can be added."""
    return [
        risk
        for risk, facts in RISKS.items()
        if risk not in risks
        and person.age >= facts.min_age
        and has_bmi(person.body, facts.min_bmi)
        and not any(other in risks for other in facts.excludes)
    ]


def has_bmi(body: Body, bmi: int) -> bool:
    """Return whether the body-mass index is at least `bmi` kg/m²."""
    return body.weight_kg * 10_000 >= bmi * body.height_cm**2


def draw_diets(stream: Stream, risks: Sequence[Risk], persona: Persona = NOBODY) -> list[Diet]:
    """Draw up to three diets of which none covers another, those that a risk needs included, sorted.

    Nothing is drawn when it is known which the person keeps.
    """
    diets: list[Diet] = [diet for risk in risks for diet in RISKS[risk].needs]
    if persona.diets or persona.no_diets:
        return sorted({*diets, *persona.diets})
    advised = {diet for risk in risks for diet in RISKS[risk].advises}
    for _ in range(stream.weighted(_DIET_COUNTS) - len(diets)):
        options: list[tuple[Diet, int]] = [
            (diet, _DIET_WEIGHTS[diet] + _ADVISED * (diet in advised))
            for diet in DIETS
            if _fits(diet, diets) and not persona.bars_diet(diet)
        ]
        if options:
            diets.append(stream.weighted(options))
    return sorted(diets)


def _fits(diet: Diet, diets: Sequence[Diet]) -> bool:
    """Return whether `diet` neither covers one of `diets` nor is covered by one."""
    forbidden = set(DIETS[diet])
    return not any(forbidden <= set(DIETS[other]) or forbidden >= set(DIETS[other]) for other in diets)


def draw_preferences(
    stream: Stream, person: Person, risks: Sequence[Risk], diets: Sequence[Diet], persona: Persona = NOBODY
) -> Preferences:
    """Draw sports that age, activity and risks allow, and foods that the diets allow.

    Known sports are all of them; known foods come first, and there are at least two.
    """
    spared = {RISKS[risk].spares for risk in risks}
    gentle = person.activity == "sedentary" or "effort" in spared
    sports: list[Sport] = [
        sport
        for sport, facts in SPORTS.items()
        if person.age <= facts.max_age
        and not (gentle and facts.effort == 3)
        and not ("impact" in spared and facts.impact)
    ]
    forbidden = {content for diet in diets for content in DIETS[diet]}
    foods: list[Food] = [food for food, contents in FOODS.items() if forbidden.isdisjoint(contents)]
    sport = stream.sample(sports, stream.between(1, 3))
    others: list[Food] = [food for food in foods if food not in persona.foods]
    drawn = stream.sample(others, stream.between(2, 4))
    food: list[Food] = [*persona.foods, *drawn[: max(0, len(drawn) - len(persona.foods))]]
    return Preferences(sport=list(persona.sports) or sport, food=food)


def draw_medical_view(stream: Stream, person: Person, risks: Sequence[Risk], diets: Sequence[Diet]) -> MedicalView:
    """Draw what care providers know: all of the everyday view, sometimes a risk or an advised diet more."""
    filed = list(risks)
    if "obesity" not in filed and has_bmi(person.body, RISKS["obesity"].min_bmi):
        filed.append("obesity")
    silent: list[Risk] = [risk for risk in _open_risks(person, filed) if not RISKS[risk].needs and risk != "obesity"]
    if silent and len(filed) < _MOST_FILED and stream.chance(1, 6):
        filed.append(_draw_risk(stream, silent))
    kept: list[Diet] = list(diets)
    advised: set[Diet] = {diet for risk in filed for diet in RISKS[risk].advises}
    for diet in sorted(advised):
        if len(kept) < _MOST_FILED and _fits(diet, kept) and stream.chance(1, 2):
            kept.append(diet)
    return MedicalView(
        basic_info=BasicInfo(name=f"{person.name.given} {person.name.family}", age=person.age, gender=person.gender),
        health_risks=sorted(filed),
        dietary_restrictions=sorted(kept),
    )
