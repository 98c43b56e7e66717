"""What is recorded is whole, agrees with itself, and ends at `now`."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.environments.wearables.physiology import simulate
from generators.environments.wearables.physiology.signals import Day, Signals
from services.runtime.streams import Stream
from tests.effort import amount
from tests.generators.physiology.people import DAYS, NOW, life, month, population, stream_of, wearer, window
from tests.scan import ROOT

FULL = 1_440
SEEN = [wearer(index) for index in range(24)]


def energies(day: Day) -> list[int]:
    return [int.from_bytes(day.calories[at : at + 2], "little") for at in range(0, len(day.calories), 2)]


def minute_of(time: str, signals: Signals) -> int:
    passed = dt.datetime.fromisoformat(time) - dt.datetime.fromisoformat(signals.days[0].date)
    assert passed.seconds % 60 == 0
    return passed.days * FULL + passed.seconds // 60


def test_every_day_is_there_up_to_now() -> None:
    for _, _, signals, now in SEEN:
        assert [day.date for day in signals.days] == [day.isoformat() for day in window(now)]
        assert [day.minutes for day in signals.days] == [FULL] * (DAYS - 1) + [now.hour * 60 + now.minute]
        for day in signals.days:
            assert {len(day.mets), len(day.intensity), len(day.heart_rate), len(day.calories) // 2} == {day.minutes}


def test_nothing_is_later_than_now() -> None:
    for _, _, signals, now in SEEN:
        assert all(workout.end <= now.isoformat() for workout in signals.workouts)
        for night in signals.nights:
            last = night.segments[-1]
            over = dt.datetime.fromisoformat(last.start) + dt.timedelta(minutes=last.minutes)
            assert over <= now


@pytest.mark.parametrize("minute", [0, 1, 479, 1_439])
def test_the_last_day_ends_with_the_minute_before_now(minute: int) -> None:
    now = NOW.replace(hour=minute // 60, minute=minute % 60)
    assert month(*life(4), stream_of(4), now).days[-1].minutes == minute


def test_an_earlier_now_shows_the_start_of_the_same_day() -> None:
    person, habits = life(5)
    early, late = (month(person, habits, stream_of(5), NOW.replace(hour=hour)) for hour in (9, 21))
    assert [day for day in late.days[:-1]] == [day for day in early.days[:-1]]
    # What a workout that is not over yet will have been is the only thing not known.
    shown = early.days[-1].minutes
    same = sum(a == b for a, b in zip(early.days[-1].steps, late.days[-1].steps[:shown], strict=True))
    assert same > 0.85 * shown


def test_minutes_agree_with_each_other() -> None:
    for person, _, signals, _ in SEEN:
        for day in signals.days:
            assert max(day.steps, default=0) <= 250
            assert all(10 <= mets <= max(20, person.capacity) for mets in day.mets)
            bounds = (16, 30, 60)
            levels = {*zip(day.mets, day.intensity, strict=True)}
            assert all(level == sum(mets >= bound for bound in bounds) for mets, level in levels)
            for mets, energy in {*zip(day.mets, energies(day), strict=True)}:
                exact = Fraction(mets, 10) * Fraction(35, 10) * person.weight_kg / 200 * 100
                assert energy == (exact + Fraction(1, 2)).__floor__()


def test_a_minute_without_a_device_is_rest_without_a_heart_rate() -> None:
    bare = 0
    for person, _, signals, _ in SEEN:
        for day in signals.days:
            for steps, mets, rate in zip(day.steps, day.mets, day.heart_rate, strict=True):
                if rate == 0:
                    bare += 1
                    assert (steps, mets) == (0, 10)
                else:
                    assert 36 <= rate <= person.max_rate
            if day.device is None:
                assert not any(day.heart_rate)
    assert bare


def test_workouts_are_what_their_minutes_say() -> None:
    checked = 0
    for _, habits, signals, _ in SEEN:
        steps, mets, hard, rate = (signals.joined(name) for name in ("steps", "mets", "intensity", "heart_rate"))
        energy = [value for day in signals.days for value in energies(day)]
        for workout in signals.workouts:
            span = slice(minute_of(workout.start, signals), minute_of(workout.end, signals))
            length = span.stop - span.start
            assert workout.calories == sum(energy[span])
            assert workout.azm == sum(level >= 2 for level in hard[span])
            assert workout.steps == sum(steps[span])
            mean = Fraction(sum(mets[span]), 10 * length)
            assert workout.intensity == ("light" if mean < 3 else "moderate" if mean < 6 else "vigorous")
            assert all(rate[span])
            assert workout.sport in {session.sport for session in habits.sessions}
            checked += 1
        for one, other in pairwise(signals.workouts):
            assert one.end < other.start
        assert len(signals.workouts) <= 40
    assert checked > 100


def test_stages_sum_to_sleep_and_follow_each_other() -> None:
    for _, _, signals, _ in SEEN:
        assert [night.date for night in signals.nights] == sorted({night.date for night in signals.nights})
        for night in signals.nights:
            begun = dt.datetime.fromisoformat(f"{night.date}T08:00")
            sums = {stage: 0 for stage in ("light", "deep", "rem", "wake")}
            episodes: list[dt.datetime] = []
            over = begun - dt.timedelta(minutes=1)
            for segment in night.segments:
                start = dt.datetime.fromisoformat(segment.start)
                assert segment.minutes > 0
                assert start >= over
                if start > over:
                    episodes.append(start)
                    assert segment.stage == "light"
                sums[segment.stage] += segment.minutes
                over = start + dt.timedelta(minutes=segment.minutes)
            assert night.segments[-1].stage != "wake"
            assert (night.light, night.deep, night.rem, night.wake) == tuple(sums.values())
            assert night.asleep == night.light + night.deep + night.rem
            assert all(begun <= start < begun + dt.timedelta(days=1) for start in episodes)


def test_asleep_is_rest_and_a_slow_heart() -> None:
    for person, _, signals, _ in SEEN:
        steps, mets, rate = (signals.joined(name) for name in ("steps", "mets", "heart_rate"))
        for night in signals.nights:
            for segment in night.segments:
                start = minute_of(segment.start, signals)
                span = slice(start, start + segment.minutes)
                assert not any(steps[span])
                assert set(mets[span]) == {10}
                assert all(rate[span])
                if segment.stage == "deep" and segment.minutes > 15:
                    # The rate follows within minutes.
                    assert max(rate[start + 12 : span.stop]) <= person.resting_rate + 22


def test_it_depends_on_the_arguments_only() -> None:
    forth = [month(*life(index), stream_of(index)) for index in range(3)]
    back = [month(*life(index), stream_of(index)) for index in reversed(range(3))]
    assert forth == back[::-1]
    assert forth[0] != forth[1]


def test_days_must_follow_each_other() -> None:
    days = window()
    with pytest.raises(ValueError, match="follow each other"):
        simulate(*life(0), [days[0], *days[2:]], NOW, stream_of(0))


@settings(max_examples=amount(8, 25), deadline=None)
@given(
    index=st.integers(0, 500),
    weight=st.integers(38, 180),
    days=st.integers(1, 12),
    now=st.datetimes(dt.datetime(2025, 1, 1), dt.datetime(2027, 1, 1)),
)
def test_any_window_of_any_body_keeps_to_the_format(index: int, weight: int, days: int, now: dt.datetime) -> None:
    person, habits = life(index)
    signals = simulate(replace(person, weight_kg=weight), habits, window(now, days), now, Stream(index))
    assert len(signals.days) == days
    assert signals.days[-1].minutes == now.hour * 60 + now.minute
    assert all(max(day.steps, default=0) <= 250 and min(day.mets, default=10) >= 10 for day in signals.days)
    assert all(night.date < now.date().isoformat() or now.hour >= 8 for night in signals.nights)
    assert sum(len(night.segments) for night in signals.nights) >= len(signals.nights)


def test_a_population_has_gaps_swaps_and_days_without_a_device() -> None:
    devices = [[day.device for day in signals.days] for _, _, signals, _ in population(60)]
    assert any(None in used for used in devices)
    assert any({0, 1} <= set(used) for used in devices)
    assert all(list(filter(None, used)) == [] or used.index(1) > 0 for used in devices)
    worn = [sum(map(bool, day.heart_rate)) for _, _, signals, _ in population(60) for day in signals.days[:-1]]
    assert sum(0 < minutes < 1_000 for minutes in worn) > 60
    assert sum(minutes == FULL for minutes in worn) > 300


@pytest.mark.slow
def test_hash_seeds_change_nothing() -> None:
    program = (
        "import hashlib\n"
        "from tests.generators.physiology.people import wearer\n"
        "print(hashlib.sha256(repr([wearer(index) for index in range(4)]).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(digests) == 1
