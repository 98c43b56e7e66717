"""What a person does and when, day by day: workouts, walks, naps and sleep, each depending on what came before.

Times are minutes after 00:00 of the day before the window, which is lived too, so that the first day starts as any
other. Every decision draws from a stream of its own (day, matter, number), so that one workout more changes nothing
but what follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from generators.environments.wearables.physiology.body import body, stages_at
from generators.environments.wearables.physiology.habits import MOST_WORKOUTS
from generators.environments.wearables.physiology.signals import MINUTES
from generators.environments.wearables.physiology.sleep import Sleep, draw_sleep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generators.environments.wearables.physiology.conditions import Condition
    from generators.environments.wearables.physiology.habits import Effort, Habits, Session
    from generators.environments.wearables.physiology.person import Person
    from services.runtime.streams import Stream

_MONTH = 30
_SATURDAY = 5
_MOVED_MOST = 150
"""Minutes by which a workout waits for its person to be up; later ones are left out."""
_APART = 45
"""Minutes between two workouts at least."""
_SHIFT_BED = 7 * 60
"""When a night worker goes to bed."""
_SHIFT_SLEEP = (82, 62)
"""Percent of the usual sleep by day after a night shift, and after the last one in a row: one to four hours less
(Akerstedt & Wright, Sleep Med Clin 2009;4:257-271)."""
_LEAST_SLEEP = 150
_LIE_IN = 70
"""Minutes of missed sleep made up for on a day off, at most."""


class Bout(NamedTuple):
    """A workout that is done."""

    start: int
    end: int
    sport: str
    effort: Effort


class Stroll(NamedTuple):
    """A regular walk that is done."""

    start: int
    end: int
    cadence: int


@dataclass(slots=True)
class Plan:
    """Everything that happens."""

    bouts: list[Bout] = field(default_factory=list["Bout"])
    strolls: list[Stroll] = field(default_factory=list["Stroll"])
    sleeps: list[Sleep] = field(default_factory=list["Sleep"])
    in_bed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    working: list[bool] = field(default_factory=list[bool])
    """Per day, whether it is a working day."""


class _Day(NamedTuple):
    """One day while it is planned."""

    number: int
    weekday: int
    working: bool
    free_next: bool
    on_shift: bool
    last_shift: bool
    condition: Condition
    stream: Stream

    @property
    def start(self) -> int:
        return self.number * MINUTES


def make_plan(
    person: Person, habits: Habits, conditions: Sequence[Condition], first: int, end: int, stream: Stream
) -> Plan:
    """Return what happens on the days that begin with ordinal `first`; no workout reaches beyond minute `end`."""
    plan = Plan()
    up = habits.rise
    debt = 0
    most = max(1, MOST_WORKOUTS * (len(conditions) - 1) // _MONTH)
    for number, condition in enumerate(conditions):
        day = _day(habits, number, first + number, condition, stream)
        plan.working.append(day.working)
        bed = _bed_time(habits, day)
        nap = _nap(habits, day, up, bed)
        left = most - sum(bout.start >= MINUTES for bout in plan.bouts)
        bouts = _bouts(habits, day, up, bed, end)[:left]
        if nap and any(_meet(nap, (bout.start - _APART, bout.end + _APART)) for bout in bouts):
            nap = None
        if nap:
            plan.sleeps.append(draw_sleep(person, nap[0], nap[1], day.stream.child("nap"), main=False))
            plan.in_bed.append(nap)
        plan.bouts += bouts
        plan.strolls += _strolls(habits, day, up, bed, [*((b.start, b.end) for b in bouts), *([nap] if nap else [])])
        sleep, bed, debt = _main_sleep(person, habits, day, bed, bouts, debt)
        plan.sleeps.append(sleep)
        plan.in_bed.append((bed, sleep.end + 4))
        up = sleep.end
    return plan


def _day(habits: Habits, number: int, ordinal: int, condition: Condition, stream: Stream) -> _Day:
    weekday = (ordinal + 6) % 7
    on_shift = last = False
    working, free_next = weekday < _SATURDAY, (weekday + 1) % 7 >= _SATURDAY
    if habits.rota is not None:
        cycle = habits.rota.shifts + habits.rota.rest
        place = (ordinal + habits.rota.phase) % cycle
        on_shift = working = place < habits.rota.shifts
        last, free_next = place == habits.rota.shifts - 1, True
    if condition.away:
        on_shift = working = False
        free_next = True
    return _Day(number, weekday, working, free_next, on_shift, last, condition, stream.child("day", ordinal))


def _bed_time(habits: Habits, day: _Day) -> int:
    """Return when the person means to go to bed."""
    stream = day.stream.child("bed")
    if day.on_shift:
        return day.start + MINUTES + _SHIFT_BED + stream.between(-18, 12)
    later = habits.free_later if day.free_next else 0
    drift = stream.between(-22, 22) + stream.between(-18, 18)
    return day.start + MINUTES // 2 + habits.bed + later + drift + day.condition.bed


def _bouts(habits: Habits, day: _Day, up: int, bed: int, end: int) -> list[Bout]:
    """Return the planned workouts that are done; who is ill does none."""
    found: list[Bout] = []
    for number, session in enumerate(habits.sessions):
        if session.weekday != day.weekday or day.condition.sick:
            continue
        bout = _bout(session, habits, day, up, day.stream.child("session", number))
        free_from = found[-1].end + _APART if found else up + 10
        if bout is not None and bout.start >= free_from and bout.end <= min(bed - 15, end):
            found.append(bout)
    return found


def _bout(session: Session, habits: Habits, day: _Day, up: int, stream: Stream) -> Bout | None:
    if not stream.chance(habits.adherence if not day.condition.away else habits.adherence // 3, 100):
        return None
    percent = stream.between(88, 112) * (100 if day.working else habits.long)
    minutes = max(8, session.minutes * percent // 10_000)
    planned = day.start + session.start + stream.between(-12, 12)
    start = max(planned, up + 15)
    if start > planned + _MOVED_MOST:
        return None
    effort: Effort = session.effort
    if effort and stream.chance(1, 6):
        effort = 0 if effort == 1 else 1
    return Bout(start, start + minutes, session.sport, effort)


def _nap(habits: Habits, day: _Day, up: int, bed: int) -> tuple[int, int] | None:
    if habits.nap is None:
        return None
    stream = day.stream.child("nap")
    start = day.start + habits.nap.start + stream.between(-20, 20)
    span = start, start + max(15, habits.nap.minutes + stream.between(-10, 10))
    taken = stream.chance(habits.nap.percent, 100)
    return span if taken and span[0] > up + 120 and span[1] < bed - 180 else None


def _strolls(habits: Habits, day: _Day, up: int, bed: int, taken: Iterable[tuple[int, int]]) -> list[Stroll]:
    found: list[Stroll] = []
    for number, walk in enumerate(habits.walks):
        stream = day.stream.child("walk", number)
        start = day.start + walk.start + stream.between(-8, 8)
        span = start, start + max(5, walk.minutes + stream.between(-4, 4))
        today = walk.days == "all" or (walk.days == "work") is day.working
        done = stream.chance(walk.percent, 100) and today and not day.condition.sick and not day.condition.away
        if done and up < span[0] and span[1] < bed and not any(_meet(span, other) for other in taken):
            found.append(Stroll(*span, walk.cadence))
    return found


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _main_sleep(
    person: Person, habits: Habits, day: _Day, bed: int, bouts: Sequence[Bout], debt: int
) -> tuple[Sleep, int, int]:
    """Return the sleep after a day, when the person went to bed, and how much sleep is missing since."""
    stream, late = day.stream.child("sleep"), body().late
    usual = stages_at(person.age)
    bed = max([bed, *(bout.end + late.winding_down for bout in bouts)])
    strain = sum(max(0, late.minutes - (bed - bout.end)) * (1, 2, 4)[bout.effort] for bout in bouts)
    fresh = sum(bout.end - bout.start for bout in bouts if bout.effort == 2 and bed - bout.end >= late.minutes)
    # A moderate workout that ends at bedtime has a strain of twice late.minutes.
    full = 2 * late.minutes
    onset = bed + max(3, usual.latency + stream.between(-8, 12)) + late.latency * strain // full
    wanted = habits.need + usual.wake + stream.between(-24, 24) + day.condition.sleep
    if day.on_shift:
        wanted = wanted * _SHIFT_SLEEP[day.last_shift] // 100
    natural = onset + wanted
    if day.free_next:
        rise = natural + min(debt, _LIE_IN)
    else:
        rise = min(natural + stream.between(-10, 10), day.start + MINUTES + habits.rise + stream.between(-4, 6))
    rise = max(rise, onset + _LEAST_SLEEP)
    debt = min(240, max(0, debt + natural - rise)) if not day.on_shift else 0
    deep = min(fresh * body().hard_day.a_minute, body().hard_day.most) - late.deep_permille * strain // full
    sleep = draw_sleep(
        person, onset, rise, stream, deep=deep, woken=habits.woken, rate=day.condition.rate + late.rate * strain // full
    )
    return sleep, bed, debt
