"""One thing leads to another: more workouts, later ones, illness, journeys, free days, age."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import pairwise
from statistics import mean
from typing import TYPE_CHECKING

import pytest

from generators.environments.wearables.physiology.conditions import draw_conditions
from generators.environments.wearables.physiology.habits import Effort, Session
from generators.environments.wearables.physiology.sleep import draw_sleep
from services.runtime.streams import Stream
from tests.generators.physiology.people import NOW, life, month, population, stream_of, window

if TYPE_CHECKING:
    from generators.environments.wearables.physiology import Habits, Signals

ALWAYS = {"nights": 100, "gaps": 0, "partial": 0}


def always_worn(habits: Habits) -> Habits:
    return replace(habits, wear=replace(habits.wear, **ALWAYS), adherence=100)


def azm(signals: Signals) -> int:
    return sum(level >= 2 for level in signals.joined("intensity"))


def onset(signals: Signals) -> dict[str, int]:
    """Minutes from noon to the start of the longest episode of each night."""
    found: dict[str, int] = {}
    for night in signals.nights:
        start = dt.datetime.fromisoformat(night.segments[-1].start)
        for earlier in reversed(night.segments):
            begins = dt.datetime.fromisoformat(earlier.start)
            if begins + dt.timedelta(minutes=earlier.minutes) < start:
                break
            start = begins
        found[night.date] = int((start - dt.datetime.fromisoformat(f"{night.date}T12:00")).total_seconds()) // 60
    return found


def training(start: int, effort: Effort = 2, sport: str = "cycling", days: int = 7) -> tuple[Session, ...]:
    return tuple(Session(day, start, 55, effort, sport) for day in range(days))


@pytest.mark.parametrize("index", range(6))
def test_more_workouts_give_more_active_zone_minutes_calories_and_zones(index: int) -> None:
    person, habits = life(index, "sedentary")
    months = [
        month(person, replace(always_worn(habits), sessions=training(1_080, days=days)), stream_of(index))
        for days in (0, 2, 5)
    ]
    assert len({len(signals.workouts) for signals in months}) == 3
    for fewer, more in pairwise(months):
        assert azm(fewer) < azm(more)
        assert sum(fewer.joined("mets")) < sum(more.joined("mets"))
        high = [sum(rate >= 110 for rate in signals.joined("heart_rate")) for signals in (fewer, more)]
        assert high[0] < high[1]


def test_a_harder_workout_costs_more_and_beats_faster() -> None:
    for index in range(5):
        person, habits = life(index, "cyclist")
        months = [
            month(person, replace(always_worn(habits), sessions=training(1_080, effort)), stream_of(index))
            for effort in (0, 1, 2)
        ]
        spent = [mean(w.calories / len_of(w.start, w.end) for w in signals.workouts) for signals in months]
        assert spent == sorted(spent)
        assert spent[0] < spent[2]


def len_of(start: str, end: str) -> int:
    return int((dt.datetime.fromisoformat(end) - dt.datetime.fromisoformat(start)).total_seconds()) // 60


@pytest.mark.parametrize(("effort", "later", "beats"), [(1, 5, 0), (2, 15, 1)])
def test_late_workouts_put_off_sleep_and_raise_the_rate_at_night(effort: Effort, later: int, beats: int) -> None:
    onsets, rates = defaultdict[str, list[float]](list), defaultdict[str, list[int]](list)
    for when, months in early_and_late(effort).items():
        onsets[when] = [mean(onset(signals).values()) for signals in months]
        rates[when] = [min(rate for rate in signals.joined("heart_rate") if rate) for signals in months]
    assert mean(onsets["late"]) > mean(onsets["early"]) + later
    assert all(late >= early for early, late in zip(onsets["early"], onsets["late"], strict=True))
    assert mean(rates["late"]) > mean(rates["early"]) + beats


def test_late_workouts_take_from_deep_sleep() -> None:
    # Moderate ones: vigorous ones deepen sleep when they are early.
    deep = {
        when: mean(night.deep / night.asleep for signals in months for night in signals.nights)
        for when, months in early_and_late(1).items()
    }
    assert deep["late"] < deep["early"] - 0.005


@cache
def early_and_late(effort: Effort) -> dict[str, list[Signals]]:
    """Months of the same people, training in the morning or until an hour before bed."""
    months = defaultdict[str, list["Signals"]](list)
    for index in range(12):
        person, habits = life(index, "lifter")
        habits = replace(always_worn(habits), rota=None, bed=660, free_later=0)
        for when, start in (("early", 600), ("late", 1_185)):
            sessions = training(start, effort)
            months[when].append(month(person, replace(habits, sessions=sessions), stream_of(index)))
    return months


def test_intensity_shows_in_the_heart_rate() -> None:
    for _, _, signals, _ in population(20):
        by_level = defaultdict[int, list[int]](list)
        for level, rate in zip(signals.joined("intensity"), signals.joined("heart_rate"), strict=True):
            if rate:
                by_level[level].append(rate)
        means = [mean(by_level[level]) for level in sorted(by_level) if len(by_level[level]) > 60]
        assert means == sorted(means)


def test_illness_raises_the_rate_and_stops_workouts() -> None:
    moved, beaten = [], []
    for index in range(60):
        stream = stream_of(index)
        conditions = draw_conditions(31, stream.child("signals").child("conditions"))[1:]
        sick = [number for number, condition in enumerate(conditions) if condition.sick]
        if not sick:
            continue
        person, habits = life(index)
        signals = month(person, always_worn(habits), stream)
        ill_dates = {signals.days[number].date for number in sick}
        assert not any(workout.start[:10] in ill_dates for workout in signals.workouts)
        whole = [day for day in signals.days[:-1] if day.device is not None]
        for group, measure in ((moved, lambda day: sum(day.steps)), (beaten, lambda day: sorted(day.heart_rate)[72])):
            ill = [measure(day) for day in whole if day.date in ill_dates]
            well = [measure(day) for day in whole if day.date not in ill_dates]
            if ill and well:
                group.append(mean(ill) / mean(well))
    assert len(moved) > 4
    assert mean(moved) < 0.75
    assert mean(beaten) > 1.04


def test_a_journey_shifts_bed_times() -> None:
    shifted: list[float] = []
    for index in range(80):
        stream = stream_of(index)
        conditions = draw_conditions(31, stream.child("signals").child("conditions"))[1:]
        first = next((number for number, condition in enumerate(conditions) if condition.bed), None)
        if first is None or first > 28 or not conditions[first].away:
            continue
        person, habits = life(index)
        starts = onset(month(person, replace(always_worn(habits), rota=None), stream))
        usual = [
            starts[d.isoformat()]
            for d, c in zip(window(), conditions, strict=True)
            if not c.bed and d.isoformat() in starts
        ]
        night = starts.get(window()[first].isoformat())
        if night is not None and usual:
            shift = conditions[first].bed
            shifted.append((night - mean(usual)) / shift)
    assert len(shifted) > 4
    assert 0.4 < mean(shifted) < 1.6


def test_free_days_begin_later() -> None:
    ups = defaultdict[bool, list[int]](list)
    for index in range(10):
        person, habits = life(index, "lifter")
        signals = month(person, always_worn(habits), stream_of(index))
        for night in signals.nights:
            last = night.segments[-1]
            up = dt.datetime.fromisoformat(last.start) + dt.timedelta(minutes=last.minutes)
            ups[up.weekday() >= 5].append(up.hour * 60 + up.minute)
    assert mean(ups[True]) > mean(ups[False]) + 25


def test_night_workers_sleep_by_day() -> None:
    by_day = 0
    for index in range(5):
        _, habits = life(index, "shift_worker")
        signals = month(life(index)[0], always_worn(habits), stream_of(index))
        starts = [dt.datetime.fromisoformat(night.segments[0].start).hour for night in signals.nights]
        by_day += sum(6 <= hour < 8 for hour in starts)
    assert by_day > 25


def test_sleep_changes_with_age_as_cited() -> None:
    shares = {}
    for age in (22, 45, 75):
        person = replace(life(0)[0], age=age)
        nights = [draw_sleep(person, 0, 450, Stream("night", age, number)) for number in range(200)]
        sums = defaultdict[str, int](int)
        for night in nights:
            assert sum(minutes for _, minutes in night.stages) == 450
            for stage, minutes in night.stages:
                sums[stage] += minutes
        asleep = sums["light"] + sums["deep"] + sums["rem"]
        shares[age] = (sums["deep"] / asleep, sums["rem"] / asleep, sums["wake"] / 200)
    assert shares[22][0] == pytest.approx(0.19, abs=0.01)
    assert shares[75][0] == pytest.approx(0.10, abs=0.01)
    assert shares[22][1] == pytest.approx(0.23, abs=0.01)
    assert shares[22][2] < shares[45][2] < shares[75][2]


def test_deep_sleep_comes_first_and_rem_last() -> None:
    person = replace(life(0)[0], age=30)
    halves = defaultdict[tuple[str, bool], int](int)
    for number in range(50):
        at = 0
        for stage, minutes in draw_sleep(person, 0, 460, Stream("halves", number)).stages:
            halves[stage, at < 230] += minutes
            at += minutes
    assert halves["deep", True] > 2 * halves["deep", False]
    assert halves["rem", False] > 1.5 * halves["rem", True]


def test_hard_days_deepen_sleep() -> None:
    deep = {}
    for start in (None, 540):
        nights = []
        for index in range(10):
            person, habits = life(index, "cyclist")
            sessions = training(start) if start else ()
            signals = month(person, replace(always_worn(habits), sessions=sessions), stream_of(index), NOW)
            nights += [night.deep / night.asleep for night in signals.nights]
        deep[start] = mean(nights)
    assert deep[540] > deep[None] + 0.01
