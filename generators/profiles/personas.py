"""What a description says of a user, and which of it fits together; everything else of the user is drawn around it.

Where facts exclude each other by the rules that every profile keeps, the one higher in this order stands: age and
household, health risks, dietary restrictions, sports, foods; within a list, the one said first. What gives way is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast

from schemas.profile import Gender, Profile, StatedFact, StatedField
from schemas.profile_facts import DIETS, FOODS, RISKS, SPORTS, Diet, Food, Risk, Sport

AGES: Final = (18, 90)
"""Years a user can have."""
PARENTS: Final = (22, 62)
"""Ages of users who live with children."""
_MOST = {"health_risks": 3, "dietary_restrictions": 3, "preferences.sport": 3, "preferences.food": 4}
_VIGOROUS = 3
NONE: Final = "none"
"""Stands for the entries of a list that was said to be empty."""


@dataclass(frozen=True, slots=True)
class Persona:
    """Facts of one user; what nothing is known of is empty or None."""

    given: str = ""
    family: str = ""
    ages: tuple[int, int] | None = None
    """Youngest and oldest age, both the same when the age is known."""
    gender: Gender | None = None
    adults: int | None = None
    """Adults of the household, the user included."""
    children: int | None = None
    risks: tuple[Risk, ...] = ()
    no_risks: bool = False
    """Whether the user was said to have none."""
    diets: tuple[Diet, ...] = ()
    no_diets: bool = False
    """Whether the user was said to keep none."""
    sports: tuple[Sport, ...] = ()
    foods: tuple[Food, ...] = ()
    left_out: tuple[str, ...] = field(default=(), compare=False)
    """What was said and is not used, with the reason."""

    def bounds(self) -> tuple[int, int]:
        """Return the ages that all facts allow, none when the first is above the second."""
        low, high = self.ages or AGES
        if self.children:
            low, high = max(low, PARENTS[0]), min(high, PARENTS[1])
        low = max([low, *(RISKS[risk].min_age for risk in self.risks)])
        return low, min([high, *(SPORTS[sport].max_age for sport in self.sports)])

    def needed(self) -> tuple[Diet, ...]:
        """Return the diets that whoever has these health risks keeps."""
        return tuple(dict.fromkeys(diet for risk in self.risks for diet in RISKS[risk].needs))

    def min_bmi(self) -> int:
        """Return the least body-mass index that the health risks need, in kg/m²."""
        return max([0, *(RISKS[risk].min_bmi for risk in self.risks)])

    def vigorous(self) -> bool:
        """Return whether a sport rules out a sedentary life."""
        return any(SPORTS[sport].effort >= _VIGOROUS for sport in self.sports)

    def bars_risk(self, risk: Risk) -> bool:
        """Return whether a health risk that was not stated would exclude a stated fact."""
        needs = set(RISKS[risk].needs)
        diets = (self.no_diets or bool(self.diets)) and not needs <= set(self.diets)
        return diets or _spared(RISKS[risk].spares, self.sports) or any(self.bars_diet(diet) for diet in needs)

    def bars_diet(self, diet: Diet) -> bool:
        """Return whether a diet that was not stated would exclude a stated food."""
        return any(set(DIETS[diet]) & set(FOODS[food]) for food in self.foods)


NOBODY: Final = Persona()
"""Nothing is known."""


def _spared(spares: str, sports: Sequence[Sport]) -> bool:
    return any(
        (spares == "impact" and SPORTS[sport].impact) or (spares == "effort" and SPORTS[sport].effort >= _VIGOROUS)
        for sport in sports
    )


def fitting(said: Persona) -> Persona:
    """Return the facts that fit together and into a profile; the others are told in `left_out`."""
    told: list[str] = list(said.left_out)
    kept = replace(said, risks=(), diets=(), sports=(), foods=())
    if kept.children and kept.bounds()[0] > kept.bounds()[1]:
        told.append(f"household.children: {kept.children}: the user is younger than {PARENTS[0]} or above {PARENTS[1]}")
        kept = replace(kept, children=None)
    for risk in said.risks:
        fault = _risk_fault(kept, risk)
        if fault:
            told.append(f"health_risks: {risk}: {fault}")
        else:
            kept = replace(kept, risks=(*kept.risks, risk))
    needed = kept.needed()
    if said.no_diets and needed:
        told.append(f"dietary_restrictions: none: a risk needs {needed[0]}")
        kept = replace(kept, no_diets=False)
    for diet in dict.fromkeys(said.diets):
        fault = "" if diet in needed else _diet_fault((*needed, *kept.diets), said.diets, diet)
        if fault:
            told.append(f"dietary_restrictions: {diet}: {fault}")
        else:
            kept = replace(kept, diets=(*kept.diets, diet))
    for sport in said.sports:
        fault = _sport_fault(kept, sport)
        if fault:
            told.append(f"preferences.sport: {sport}: {fault}")
        else:
            kept = replace(kept, sports=(*kept.sports, sport))
    forbidden = {content for diet in (*needed, *kept.diets) for content in DIETS[diet]}
    foods = [food for food in dict.fromkeys(said.foods) if forbidden.isdisjoint(FOODS[food])]
    told += [f"preferences.food: {food}: a diet rules it out" for food in said.foods if food not in foods]
    told += [f"preferences.food: {food}: {_FULL}" for food in foods[_MOST["preferences.food"] :]]
    return replace(kept, foods=tuple(foods[: _MOST["preferences.food"]]), left_out=tuple(told))


_FULL = "a profile has no room for more"


def _risk_fault(kept: Persona, risk: Risk) -> str:
    if risk in kept.risks:
        return "said twice"
    if any(other in RISKS[risk].excludes for other in kept.risks):
        return "another risk excludes it"
    low, high = replace(kept, risks=(*kept.risks, risk)).bounds()
    if low > high:
        return f"too rare before {RISKS[risk].min_age} years"
    return _FULL if len(kept.risks) >= _MOST["health_risks"] else ""


def _diet_fault(kept: Sequence[Diet], said: Sequence[Diet], diet: Diet) -> str:
    own = set(DIETS[diet])
    wider = [other for other in (*kept, *said) if other != diet and own < set(DIETS[other])]
    if wider:
        return f"{wider[0]} covers it"
    if any(own >= set(DIETS[other]) for other in kept):
        return "it covers another one"
    return _FULL if len(kept) >= _MOST["dietary_restrictions"] else ""


def _sport_fault(kept: Persona, sport: Sport) -> str:
    if sport in kept.sports:
        return "said twice"
    spared = [risk for risk in kept.risks if _spared(RISKS[risk].spares, (sport,))]
    if spared:
        return f"{spared[0]} rules it out"
    low, high = replace(kept, sports=(*kept.sports, sport)).bounds()
    if low > high:
        return f"too rare after {SPORTS[sport].max_age} years"
    return _FULL if len(kept.sports) >= _MOST["preferences.sport"] else ""


def facts_of(persona: Persona) -> list[StatedFact]:
    """Return the facts in the form in which they are kept with the profile."""
    return [StatedFact(field=name, value=value) for name, value in _pairs(persona)]


def _pairs(persona: Persona) -> Iterator[tuple[StatedField, str]]:
    if persona.given:
        yield "name.given", persona.given
    if persona.family:
        yield "name.family", persona.family
    if persona.ages:
        yield "age.from", str(persona.ages[0])
        yield "age.to", str(persona.ages[1])
    if persona.gender:
        yield "gender", persona.gender
    if persona.adults is not None:
        yield "household.adults", str(persona.adults)
    if persona.children is not None:
        yield "household.children", str(persona.children)
    lists: tuple[tuple[StatedField, Sequence[str]], ...] = (
        ("health_risks", persona.risks or [NONE] * persona.no_risks),
        ("dietary_restrictions", persona.diets or [NONE] * persona.no_diets),
        ("preferences.sport", persona.sports),
        ("preferences.food", persona.foods),
    )
    for name, values in lists:
        for value in values:
            yield name, value


def persona_of(profile: Profile) -> Persona:
    """Return the persona that a profile was made from: with seed and index, it gives the profile again."""
    said: dict[StatedField, list[str]] = {}
    for fact in profile.stated:
        said.setdefault(fact.field, []).append(fact.value)

    def one(name: StatedField) -> str:
        return said.get(name, [""])[0]

    def some(name: StatedField) -> tuple[str, ...]:
        return tuple(value for value in said.get(name, []) if value != NONE)

    return Persona(
        given=one("name.given"),
        family=one("name.family"),
        ages=(int(one("age.from")), int(one("age.to"))) if one("age.from") else None,
        gender=cast("Gender | None", one("gender") or None),
        adults=int(one("household.adults")) if one("household.adults") else None,
        children=int(one("household.children")) if one("household.children") else None,
        risks=cast("tuple[Risk, ...]", some("health_risks")),
        no_risks=said.get("health_risks") == [NONE],
        diets=cast("tuple[Diet, ...]", some("dietary_restrictions")),
        no_diets=said.get("dietary_restrictions") == [NONE],
        sports=cast("tuple[Sport, ...]", some("preferences.sport")),
        foods=cast("tuple[Food, ...]", some("preferences.food")),
    )
