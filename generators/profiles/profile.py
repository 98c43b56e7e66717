"""One profile from seed and index: each part drawn from its own sub-stream, in the order in which parts depend."""

from __future__ import annotations

from generators.profiles.goals import daily_goal
from generators.profiles.health import draw_diets, draw_medical_view, draw_preferences, draw_risks
from generators.profiles.narrative import write_narrative
from generators.profiles.people import draw_person
from generators.profiles.personas import NOBODY, Persona, facts_of
from schemas.profile import Budget, Locale, Profile, Style
from services.runtime.streams import Stream

_LOCALES: tuple[tuple[Locale, int], ...] = (
    ("en-US", 10),
    ("en-GB", 5),
    ("en-CA", 2),
    ("en-AU", 2),
    ("en-IE", 1),
    ("en-NZ", 1),
)
_STYLES: tuple[tuple[Style, int], ...] = (("terse", 3), ("chatty", 3), ("formal", 2), ("careless", 2))
_STEP_CENTS = 500


def make_profile(seed: int, index: int, persona: Persona = NOBODY) -> Profile:
    """Return the user at place `index` of the run with root seed `seed`, who keeps to what `persona` says.

    Without a persona everything is drawn; with one, what it leaves open is drawn from the same streams.

    Raises:
        ValueError: the index is negative.
    """
    if index < 0:
        raise ValueError(f"a user index cannot be negative: {index!r}")
    stream = Stream(seed, "profile", index)
    person = draw_person(stream.child("person"), persona)
    risks = draw_risks(stream.child("risks"), person, persona)
    diets = draw_diets(stream.child("diets"), risks, persona)
    manners = stream.child("manners")
    facts = Profile(
        user_id=f"u{index:06d}",
        index=index,
        name=person.name,
        age=person.age,
        gender=person.gender,
        household=person.household,
        locale=manners.weighted(_LOCALES),
        body=person.body,
        activity=person.activity,
        health_risks=risks,
        dietary_restrictions=diets,
        preferences=draw_preferences(stream.child("preferences"), person, risks, diets, persona),
        daily_goal=daily_goal(person.gender, person.age, person.body, person.activity, risks),
        budget=_draw_budget(stream.child("budget"), person.household.adults, person.household.children),
        style=manners.weighted(_STYLES),
        medical_view=draw_medical_view(stream.child("medical"), person, risks, diets),
        narrative="",
        stated=facts_of(persona),
    )
    return facts.model_copy(update={"narrative": write_narrative(stream.child("narrative"), facts)})


def _draw_budget(stream: Stream, adults: int, children: int) -> Budget:
    """Draw budgets in steps of five dollars.

    A head's weekly food lies between the thrifty and the liberal plan of the USDA Official Food Plans (U.S. average,
    2024), roughly 55 to 110 dollars for an adult and 40 to 80 for a child.
    """
    food = adults * stream.between(11, 22) + children * stream.between(8, 16)
    return Budget(weekly_food_cents=food * _STEP_CENTS, monthly_wellness_cents=stream.between(4, 30) * _STEP_CENTS)
