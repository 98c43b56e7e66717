"""How one user lives: what is drawn once, from the ranges of the user's family, and holds for the whole window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from generators.environments.wearables.physiology.body import body
from generators.environments.wearables.physiology.families import families, liked, suitable, suits

if TYPE_CHECKING:
    from generators.environments.wearables.physiology.families import Days, Family, NapForm, Range, WalkForm
    from schemas.profile import Activity, Profile
    from services.runtime.streams import Stream

Effort = Literal[0, 1, 2]
"""Light, moderate, vigorous."""
MOST_WORKOUTS = 40
"""Workouts in thirty days, at most."""
_MOVEMENT: dict[Activity, int] = {"sedentary": 85, "light": 96, "moderate": 104, "active": 112}
"""Percent of the family's strolls, by habitual activity; ours."""
_LIKED = 3


@dataclass(frozen=True, slots=True)
class Session:
    """A workout planned for every week."""

    weekday: int
    """0 is Monday."""
    start: int
    """Minute of the day, give or take `jitter`."""
    minutes: int
    effort: Effort
    sport: str


@dataclass(frozen=True, slots=True)
class Walk:
    """A regular walk that is no workout."""

    days: Days
    start: int
    minutes: int
    cadence: int
    percent: int


@dataclass(frozen=True, slots=True)
class Nap:
    """Sleep by day."""

    percent: int
    start: int
    minutes: int


@dataclass(frozen=True, slots=True)
class Rota:
    """Night shifts in a row, days off in a row, and the place in this cycle of a day whose ordinal it divides."""

    shifts: int
    rest: int
    phase: int


@dataclass(frozen=True, slots=True)
class Wear:
    """How the user wears devices."""

    nights: int
    """Percent of nights."""
    gaps: int
    """Percent of days with a gap for charging."""
    partial: int
    """Percent of days put on late or taken off early."""


@dataclass(frozen=True, slots=True)
class Habits:
    """One user's way of life. Times are minutes of the day, bed time minutes after noon."""

    family: str
    sessions: tuple[Session, ...]
    adherence: int
    """Percent of planned workouts that are done."""
    long: int
    """Percent of its usual length that a workout has on days off."""
    routine: str
    strolls: int
    """Bouts of walking a waking day."""
    chores: int
    """Bouts of standing work a waking day."""
    hurries: int
    """Minutes of stairs or haste a waking day."""
    walks: tuple[Walk, ...]
    bed: int
    rise: int
    free_later: int
    need: int
    """Minutes of sleep wanted a night."""
    woken: int
    """Times awake in a night more than is usual at the age."""
    nap: Nap | None
    rota: Rota | None
    wear: Wear


def draw_family(profile: Profile, stream: Stream) -> str:
    """Return the family of a profile, drawn among those that suit it."""
    return stream.weighted(suitable(profile))


def draw_habits(profile: Profile, family: str, stream: Stream) -> Habits:
    """Return the habits of a profile in a family."""
    form = families().families[family]
    rest = stream.child("rest")
    return Habits(
        family=family,
        sessions=_sessions(form, profile, stream.child("sessions")),
        adherence=rest.between(*form.adherence),
        long=rest.between(*form.long),
        routine=form.day,
        strolls=rest.between(*form.strolls) * _MOVEMENT[profile.activity] // 100,
        chores=rest.between(*form.chores),
        hurries=rest.between(*form.hurries),
        walks=tuple(_walk(walk, rest) for walk in form.walks),
        bed=rest.between(*form.bed),
        rise=rest.between(*form.rise),
        free_later=rest.between(*form.free_later),
        need=_need(profile.age, rest),
        woken=rest.between(*form.woken),
        nap=None if form.nap is None else _nap(form.nap, rest),
        rota=None
        if form.nights is None
        else Rota(rest.between(*form.nights.shifts), rest.between(*form.nights.rest), rest.below(8)),
        wear=_wear(stream.child("wear")),
    )


def _sessions(form: Family, profile: Profile, stream: Stream) -> tuple[Session, ...]:
    """Return a weekly plan: as many (weekday, slot) pairs as sessions, without repeats, each with a sport."""
    sports = [
        (sport, weight * (_LIKED if liked([sport], profile) else 1))
        for sport, weight in form.sports.items()
        if suits(sport, profile)
    ]
    open_slots = {
        (day, slot): form.days[day] * slot[2]
        for day in range(7)
        for slot in (form.slots.work if day < 5 else form.slots.free)
        if form.days[day]
    }
    found: list[Session] = []
    for _ in range(min(stream.between(*form.sessions), len(open_slots)) if sports else 0):
        day, slot = stream.weighted(list(open_slots.items()))
        del open_slots[day, slot]
        found.append(
            Session(
                weekday=day,
                start=5 * stream.between(slot[0] // 5, slot[1] // 5),
                minutes=stream.between(*form.minutes),
                effort=stream.weighted(((0, form.effort[0]), (1, form.effort[1]), (2, form.effort[2]))),
                sport=stream.weighted(sports),
            )
        )
    return tuple(sorted(found, key=lambda s: (s.weekday, s.start)))


def _walk(form: WalkForm, stream: Stream) -> Walk:
    start, minutes, cadence, percent = _each(stream, form.start, form.minutes, form.cadence, form.percent)
    return Walk(form.days, start, minutes, cadence, percent)


def _nap(form: NapForm, stream: Stream) -> Nap:
    percent, start, minutes = _each(stream, form.percent, form.start, form.minutes)
    return Nap(percent, start, minutes)


def _each(stream: Stream, *ranges: Range) -> list[int]:
    return [stream.between(*bounds) for bounds in ranges]


def _need(age: int, stream: Stream) -> int:
    need = body().need
    usual = need.at_20 - need.loss_a_decade * (age - 20) // 10
    return usual + stream.between(-need.spread, need.spread) // 2 + stream.between(-need.spread, need.spread) // 2


def _wear(stream: Stream) -> Wear:
    odds = body().wear
    return Wear(
        nights=stream.weighted(odds.nights_kept),
        gaps=stream.between(*odds.gap_percent),
        partial=stream.weighted(odds.partial_percent),
    )
