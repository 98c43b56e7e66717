"""Seeds reminders: plain ones and some that state a rule, with the rule beside the title."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from generators.environments.advice import draw_rule, fitting, said
from generators.environments.seeder import Seeder
from services.moments import clock_at
from services.reminders.records import Reminder, Weekday
from services.rules import with_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from services.rules import Rule
    from services.runtime.records import Record
    from services.runtime.streams import Stream

Range: TypeAlias = tuple[int, int]


class Titled(BaseModel):
    """A reminder that states no rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    hours: Range
    """Hours of the day between which it comes."""


class ReminderHabits(BaseModel):
    """The data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    counts: list[tuple[int, Range]]
    ruled: int
    ruled_hours: Range
    minute_step: int
    repeats: list[tuple[int, tuple[Weekday, ...]]]
    titles: list[Titled]


@cache
def reminder_habits() -> ReminderHabits:
    """Return the data file, read once."""
    return ReminderHabits.model_validate(read_yaml(__name__, "reminders.yaml"))


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    data, stream = reminder_habits(), c.stream.child("reminders")
    count = stream.between(*stream.weighted([(span, weight) for weight, span in data.counts]))
    titles = stream.child("titles").shuffled(data.titles)
    made: dict[str, Reminder] = {}
    for number in range(count):
        mine = stream.child(number)
        title, hours, rule = _about(mine, c, titles[number])
        if title not in made:
            reminder = Reminder(
                id=c.new_id("reminders"),
                title=title,
                time_of_day=_draw_clock(mine, hours),
                repeat_days=mine.weighted([(days, weight) for weight, days in data.repeats]),
            )
            made[title] = with_rule(reminder, rule)
    return {"reminders": list(made.values())}


def _about(stream: Stream, c: SeedContext, plain: Titled) -> tuple[str, Range, Rule | None]:
    """Return the title of a reminder, its hours, and the rule that the title states, if any."""
    if not stream.chance(reminder_habits().ruled, 100):
        return plain.title, plain.hours, None
    form = stream.weighted(fitting(c.profile.health_risks))
    rule = draw_rule(stream, form, c.profile)
    return said(stream, form, rule, "reminder"), reminder_habits().ruled_hours, rule


def _draw_clock(stream: Stream, hours: Range) -> str:
    step = reminder_habits().minute_step
    first, last = (60 * hour for hour in hours)
    return clock_at(first + step * stream.below((last - first) // step + 1))


SEEDER = Seeder("reminders", _seed)
