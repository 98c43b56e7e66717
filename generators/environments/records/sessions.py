"""Sessions of one person: a few kinds, each at its hours, none overlapping another."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from generators.environments.moments import DAY, day_of, iso_time, moment
from generators.environments.records.foods import PACKAGE
from services.records.records import LoggedSession

if TYPE_CHECKING:
    from generators.environments.seeder import SeedContext
    from services.runtime.streams import Stream

Range: TypeAlias = tuple[int, int]
_MINUTE, _HOUR = 60, 3600
_ATTEMPTS = 12


class Kind(BaseModel):
    """One kind of session."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    weight: int
    minutes: Range
    hours: Range
    """Hours of the day between which it begins."""
    ages: Range
    notes: list[str]


class SessionHabits(BaseModel):
    """The data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    days: int
    counts: list[tuple[int, Range]]
    kinds_of_a_person: Range
    noted: int
    minute_step: int
    kinds: list[Kind]


@cache
def session_habits() -> SessionHabits:
    """Return the data file, read once."""
    return SessionHabits.model_validate(read_yaml(PACKAGE, "sessions.yaml"))


def draw_sessions(c: SeedContext, stream: Stream) -> list[LoggedSession]:
    """Return the sessions of the last weeks, all of them over."""
    data, today = session_habits(), day_of(c.now)
    count = stream.between(*stream.weighted([(span, weight) for weight, span in data.counts]))
    fitting = [kind for kind in data.kinds if kind.ages[0] <= c.profile.age <= kind.ages[1]]
    kinds = stream.sample(fitting, stream.between(*data.kinds_of_a_person))
    taken: list[tuple[int, int]] = []
    found: list[LoggedSession] = []
    for number in range(count):
        mine = stream.child(number)
        kind = mine.weighted([(kind, kind.weight) for kind in kinds])
        span = _span(mine, kind, today, moment(c.now), taken)
        if span is None:
            continue
        taken.append(span)
        note = mine.choice(kind.notes) if mine.chance(data.noted, 100) else None
        found.append(
            LoggedSession(
                id=c.new_id("sessions"),
                session_type=kind.name,
                start=iso_time(span[0]),
                end=iso_time(span[1]),
                note=note,
            )
        )
    return found


def _span(stream: Stream, kind: Kind, today: int, now: int, taken: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Return start and end of a session that is over and overlaps none, or nothing when none is found."""
    data = session_habits()
    step = data.minute_step * _MINUTE
    for _ in range(_ATTEMPTS):
        day = today - stream.below(data.days)
        first, last = (day * DAY + hour * _HOUR for hour in kind.hours)
        start = first + step * stream.below((last - first) // step)
        low, high = (minutes // data.minute_step for minutes in kind.minutes)
        end = start + step * stream.between(low, high)
        if end <= now and not any(start < other_end and other < end for other, other_end in taken):
            return start, end
    return None
