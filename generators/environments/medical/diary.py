"""The calendar of one person while appointments are drawn: what is open, what is taken, which moments are used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from generators.environments.medical.data import medical_data
from generators.environments.moments import DAY, draw_waking, iso_day, iso_time, unused
from services.medical.records import TakenSlot
from services.moments import clock_at, minutes_of
from services.reminders.records import WEEKDAYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from services.medical.records import OpeningHours, Provider
    from services.runtime.streams import Stream

_MINUTE = 60
_ATTEMPTS = 30


class Visit(NamedTuple):
    """A stretch of a day at a provider."""

    provider: Provider
    day: int
    first: int
    """Minute of the day at which it begins."""
    last: int
    """Minute of the day at which it ends."""

    @property
    def begins(self) -> int:
        """The moment at which it begins."""
        return self.day * DAY + self.first * _MINUTE

    def overlaps(self, other: Visit, *, anywhere: bool = True) -> bool:
        """Return whether the two share a minute, at one provider or anywhere."""
        near = anywhere or self.provider.id == other.provider.id
        return near and self.day == other.day and self.first < other.last and other.first < self.last


@dataclass(slots=True)
class Diary:
    """What is known while appointments are drawn."""

    now: int
    since: int
    """First day of the records, as an ordinal."""
    hours: Mapping[str, Sequence[OpeningHours]]
    """Opening hours by provider."""
    used: set[str]
    """Moments at which something else happened."""
    taken: list[Visit] = field(default_factory=list[Visit])
    mine: list[Visit] = field(default_factory=list[Visit])

    @property
    def today(self) -> int:
        """The ordinal of today."""
        return self.now // DAY

    def open_on(self, provider: Provider, day: int) -> list[OpeningHours]:
        """Return the opening hours of a provider on a day."""
        weekday = WEEKDAYS[(day - 1) % len(WEEKDAYS)]
        return [one for one in self.hours[provider.id] if one.weekday == weekday]

    def draw_visit(self, stream: Stream, provider: Provider, days: tuple[int, int], slots: int) -> Visit | None:
        """Return a visit of some slots within hours on one of the days, clear of all others; None if none is found."""
        for _ in range(_ATTEMPTS):
            day = stream.between(*days)
            stretches = self.open_on(provider, day)
            if not stretches:
                continue
            hours = stream.choice(stretches)
            minutes = slots * provider.slot_minutes
            room = (minutes_of(hours.closes) - minutes_of(hours.opens) - minutes) // provider.slot_minutes
            if room < 0:
                continue
            first = minutes_of(hours.opens) + provider.slot_minutes * stream.below(room + 1)
            visit = Visit(provider, day, first, first + minutes)
            if not self._clashes(visit):
                return visit
        return None

    def _clashes(self, visit: Visit) -> bool:
        return any(visit.overlaps(one) for one in self.mine) or any(
            visit.overlaps(one, anywhere=False) for one in self.taken
        )

    def moment(self, stream: Stream, first: int, last: int) -> int:
        """Return an unused waking moment in [first, last], and count it as used."""
        at = unused(draw_waking(stream, first, last), self.used)
        self.used.add(iso_time(at))
        return at

    def exactly(self, at: int) -> int:
        """Return the first unused moment from `at` on, and count it as used."""
        at = unused(at, self.used, 1)
        self.used.add(iso_time(at))
        return at


def fill_taken(stream: Stream, diary: Diary, providers: Sequence[Provider]) -> None:
    """Draw what others have booked of the providers in the next days."""
    data = medical_data().taken
    for provider in providers:
        mine = stream.child(provider.id)
        for _ in range(mine.between(*data.slots)):
            days = (diary.today, diary.today + data.days)
            visit = diary.draw_visit(mine, provider, days, mine.between(*data.length))
            if visit is not None:
                diary.taken.append(visit)


def taken_slot(key: str, visit: Visit) -> TakenSlot:
    """Return the record of a slot that somebody else has."""
    return TakenSlot(
        id=key,
        provider_id=visit.provider.id,
        date=iso_day(visit.day),
        time=clock_at(visit.first),
        end=clock_at(visit.last),
    )
