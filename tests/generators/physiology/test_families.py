"""Habit families: their data file, whom they suit, and that the arrays tell them apart."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from generators.environments.wearables.physiology import draw_life, simulate
from generators.environments.wearables.physiology.body import body, stages_at
from generators.environments.wearables.physiology.families import Family, families, suitable, suits
from generators.environments.wearables.physiology.habits import draw_family
from generators.environments.wearables.physiology.person import highest_rate
from generators.environments.wearables.physiology.remarks import remarks
from generators.environments.wearables.physiology.sports import sport_forms
from generators.profiles.profile import make_profile
from schemas.profile_facts import RISKS, SPORTS, Sport
from services.runtime.streams import Stream
from tests.effort import amount
from tests.generators.physiology.habit_features import Floats, NearestCentroid, features
from tests.generators.physiology.people import clock, population, window

PROFILES = [make_profile(9, index) for index in range(400)]


def test_there_are_families_for_all_ways_of_life() -> None:
    names = set(families().families)
    assert len(names) >= 12
    assert names >= {"runner", "lifter", "swimmer", "cyclist", "team_player", "walker", "rehab", "sedentary"}
    assert names >= {"shift_worker", "parent", "older_adult"}


@pytest.mark.parametrize("family", families().families.values(), ids=families().families)
def test_a_family_is_complete(family: Family) -> None:
    assert set(family.sports) <= set(sport_forms())
    assert family.day in families().routines
    assert sum(family.days) > 0
    ranges = [family.ages, family.fitness, family.sessions, family.minutes, family.long, family.adherence]
    assert all(low <= high for low, high in [*ranges, family.strolls, family.chores, family.bed, family.rise])
    assert all(slot[0] <= slot[1] < 1_440 for slot in (*family.slots.work, *family.slots.free))


def test_routines_have_a_weight_for_every_hour() -> None:
    for routine in families().routines.values():
        assert len(routine.work) == len(routine.free) == 24


def test_every_sport_of_the_profiles_has_a_form_with_codes() -> None:
    assert set(sport_forms()) == {*get_args(Sport), "physiotherapy"}
    for form in sport_forms().values():
        assert all(len(code) == 5 and code.isdigit() for code in form.codes)
        assert list(form.mets) == sorted(form.mets)
        assert list(form.steps) == sorted(form.steps)


def test_cadence_is_the_cited_one() -> None:
    assert {steps: mets for steps, mets in body().cadence if steps in (100, 110, 120, 130)} == {
        100: 30,
        110: 40,
        120: 50,
        130: 60,
    }


def test_the_highest_rate_is_the_cited_one() -> None:
    # 208 - 0.7 x 35 = 183.5.
    assert [highest_rate(age) for age in (20, 35, 40, 70)] == [194, 184, 180, 159]


def test_sleep_of_every_age_is_found() -> None:
    assert [stages_at(age).age for age in (18, 29, 30, 90)] == [18, 18, 30, 80]


def test_remarks_hold_no_number() -> None:
    texts = [*remarks().light, *remarks().moderate, *remarks().vigorous]
    assert len(set(texts)) == len(texts)
    assert not any(character.isdigit() for text in texts for character in text)


def test_everybody_has_a_family_that_suits() -> None:
    for profile in PROFILES:
        options = dict(suitable(profile))
        assert options
        assert all(weight > 0 for weight in options.values())
        for name in set(options) - {"sedentary"}:
            family = families().families[name]
            assert family.ages[0] <= profile.age <= family.ages[1]
            assert not family.children or profile.household.children
    drawn = Counter(draw_family(profile, Stream("family", n)) for n, profile in enumerate(PROFILES))
    assert set(drawn) == set(families().families)
    assert max(drawn.values()) < 0.25 * len(PROFILES)


def test_nobody_does_a_sport_that_a_condition_forbids() -> None:
    for number, profile in enumerate(PROFILES):
        _, habits = draw_life(profile, Stream("life", number))
        for session in habits.sessions:
            assert suits(session.sport, profile)
            if session.sport in SPORTS and any(RISKS[risk].spares == "impact" for risk in profile.health_risks):
                assert not next(facts.impact for name, facts in SPORTS.items() if name == session.sport)


def test_some_train_never_and_some_all_the_time_in_many_sports() -> None:
    months = [signals for _, _, signals, _ in population(60)]
    counts = [len(signals.workouts) for signals in months]
    assert min(counts) == 0
    assert 25 <= max(counts) <= 40
    assert len({workout.sport for signals in months for workout in signals.workouts}) >= 14


def described(seed: int, count: int) -> tuple[list[Floats], list[str]]:
    """Features of published arrays and the true families of `count` users of the run with root seed `seed`."""
    rows: list[Floats] = []
    labels: list[str] = []
    for index in range(count):
        stream, now = Stream(seed, "user", index, "wearer"), clock(seed * 10_000 + index)
        person, habits = draw_life(make_profile(seed, index), stream.child("life"))
        signals = simulate(person, habits, window(now), now, stream.child("signals"))
        series = {name: signals.joined(name) for name in ("steps", "mets", "intensity", "heart_rate")}
        rows.append(features([day.date for day in signals.days], series))
        labels.append(habits.family)
    return rows, labels


def recovered(training: int, tested: int) -> float:
    """Share of users whose family a classifier finds that was made from users of another run."""
    classify = NearestCentroid(*described(21, training))
    rows, labels = described(22, tested)
    return sum(classify(row) == label for row, label in zip(rows, labels, strict=True)) / tested


def test_the_arrays_tell_families_apart() -> None:
    assert recovered(amount(80, 150), 40) >= 0.7


@pytest.mark.slow
def test_the_arrays_of_two_hundred_users_tell_families_apart() -> None:
    assert recovered(300, 220) >= 0.7
