"""Invented wearers for tests of the physiological model."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import TYPE_CHECKING

from generators.environments.wearables.physiology import Habits, Person, Signals, draw_life, simulate
from generators.profiles.profile import make_profile
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = dt.datetime(2026, 3, 17, 19, 25)
DAYS = 30


def window(now: dt.datetime = NOW, days: int = DAYS) -> list[dt.date]:
    return [now.date() - dt.timedelta(days=back) for back in range(days - 1, -1, -1)]


def stream_of(index: int, seed: int = 1) -> Stream:
    return Stream(seed, "user", index, "wearer")


def life(index: int, family: str | None = None, seed: int = 1) -> tuple[Person, Habits]:
    return draw_life(make_profile(seed, index), stream_of(index, seed).child("life"), family)


def month(person: Person, habits: Habits, stream: Stream, now: dt.datetime = NOW) -> Signals:
    return simulate(person, habits, window(now), now, stream.child("signals"))


def clock(index: int) -> dt.datetime:
    """A moment of the wearer's own, at any time of any day."""
    stream = Stream("clock", index)
    return dt.datetime(2025, 1, 1) + dt.timedelta(days=stream.below(700), minutes=stream.below(1_440))


@cache
def wearer(index: int) -> tuple[Person, Habits, Signals, dt.datetime]:
    """One of a population that is made once for all tests."""
    person, habits = life(index)
    now = clock(index)
    return person, habits, month(person, habits, stream_of(index), now), now


def population(count: int) -> Iterator[tuple[Person, Habits, Signals, dt.datetime]]:
    return (wearer(index) for index in range(count))
