"""The users of a run taken together, one after the other, so that memory stays small."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from publishing.people.measures import KINDS, NUMBERS
from publishing.people.person import MINUTES, weekday
from publishing.wearers.measures import Measured, add_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from publishing.people.person import Person

HOURS = 24
_SATURDAY = 5
CURVES = ("steps", "heart_rate")
"""Series whose course over the day is shown."""


@dataclass(slots=True)
class Curve:
    """Sums by hour, of minutes with a value."""

    total: list[int] = field(default_factory=lambda: [0] * HOURS)
    minutes: list[int] = field(default_factory=lambda: [0] * HOURS)

    def mean(self, parts: int = 1) -> list[float]:
        """Return the mean of each hour, `parts` minutes together."""
        return [parts * total / max(1, count) for total, count in zip(self.total, self.minutes, strict=True)]


@dataclass(slots=True)
class Population:
    """What is measured of all users."""

    users: int = 0
    days: int = 0
    """Recorded days."""
    numbers: dict[str, list[float]] = field(default_factory=lambda: {number.words: [] for number in NUMBERS})
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: {kind.words: Counter[str]() for kind in KINDS})
    curves: dict[tuple[str, bool], Curve] = field(
        default_factory=lambda: {(name, weekend): Curve() for name in CURVES for weekend in (False, True)}
    )
    """By series and whether it is a weekend."""
    measured: Measured = field(default_factory=Measured)

    def add(self, person: Person) -> None:
        """Count one user."""
        self.users += 1
        self.days += len(person.recorded)
        for number in NUMBERS:
            value = number.of(person)
            if value is not None:
                self.numbers[number.words].append(value)
        for kind in KINDS:
            self.kinds[kind.words].update(kind.of(person))
        self._add_curves(person)
        add_tables(self.measured, person.tables)

    def _add_curves(self, person: Person) -> None:
        at = {date: number * MINUTES for number, date in enumerate(person.dates)}
        rates = person.series("heart_rate")
        for date, row in person.whole.items():
            weekend = weekday(date) >= _SATURDAY
            steps = self.curves["steps", weekend]
            beats = self.curves["heart_rate", weekend]
            for hour, count in enumerate(cast("list[int]", row["steps"])):
                steps.total[hour] += count
                steps.minutes[hour] += 60
                part = bytes(rates[at[date] + 60 * hour : at[date] + 60 * hour + 60])
                beats.total[hour] += sum(part)
                beats.minutes[hour] += len(part) - part.count(0)


def collect(people: Iterable[Person]) -> Population:
    """Return what is measured of users."""
    found = Population()
    for person in people:
        found.add(person)
    return found
