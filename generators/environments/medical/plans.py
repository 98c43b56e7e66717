"""Care plans: what providers wrote, most of it with a rule that the text states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.advice import advice, draw_rule, fitting, said
from generators.environments.medical.data import medical_data
from generators.environments.moments import DAY, day_of, iso_time
from services.medical.records import CarePlan
from services.rules import with_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.environments.medical.diary import Diary
    from generators.environments.seeder import SeedContext
    from schemas.profile_facts import Risk
    from services.medical.records import Appointment, Provider
    from services.runtime.streams import Stream

_SEES_PATIENTS = (8 * 3600, 18 * 3600)


def draw_care_plans(
    c: SeedContext, stream: Stream, diary: Diary, providers: Sequence[Provider], attended: Sequence[Appointment]
) -> list[CarePlan]:
    """Return the care plans of a person, each of a day of its own, those of attended appointments first."""
    data, risks = medical_data().care_plans, c.profile.medical_view.health_risks
    options = data.counts if risks else data.counts_without_risks
    count = stream.between(*stream.weighted([(span, weight) for weight, span in options]))
    visits = stream.sample(attended, count)
    days = {day_of(visit.date) for visit in visits}
    first = max(diary.since, diary.today - data.days)
    free = stream.sample([day for day in range(first, diary.today) if day not in days], count - len(visits))
    written = [(visit.provider_id, _after(visit)) for visit in visits] + [
        (stream.choice(providers).id, day * DAY + stream.between(*_SEES_PATIENTS)) for day in free
    ]
    found: dict[str, CarePlan] = {}
    for number, (provider_id, at) in enumerate(written):
        plan = _plan(c, stream.child(number), provider_id, iso_time(diary.exactly(at)), risks)
        found.setdefault(plan.text, plan)
    return list(found.values())


def _after(visit: Appointment) -> int:
    """Return the moment at which a visit ended."""
    hour, minute = visit.end.split(":")
    return day_of(visit.date) * DAY + 3600 * int(hour) + 60 * int(minute)


def _plan(c: SeedContext, stream: Stream, provider_id: str, created_at: str, risks: Sequence[Risk]) -> CarePlan:
    key = c.new_id("care_plans")
    if not stream.chance(medical_data().care_plans.ruled, 100):
        plain = stream.choice(advice().plain_plans)
        return CarePlan(
            id=key, provider_id=provider_id, created_at=created_at, topics=tuple(plain.topics), text=plain.text
        )
    form = stream.weighted(fitting(risks))
    rule = draw_rule(stream, form, c.profile)
    # What the visit was about, as far as it is one of the things that the rule is for.
    about = [risk for risk in risks if risk in form.risks]
    openings = advice().openings[stream.choice(about) if about else "none"]
    parts = (stream.choice(openings), said(stream, form, rule, "plan"), stream.choice(advice().closings))
    text = " ".join(part for part in parts if part)
    plan = CarePlan(id=key, provider_id=provider_id, created_at=created_at, topics=tuple(form.topics), text=text)
    return with_rule(plan, rule)
