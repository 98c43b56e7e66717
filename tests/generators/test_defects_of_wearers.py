"""Known defects of a published synthesis of users, each with a test that it is not repeated here: wearers."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

from tests.effort import amount
from tests.environments import environment, person

SAMPLE = range(60)
MANY = amount(80, 120)


def rows(index: int, table: str) -> list[dict[str, Any]]:
    return environment(index).tables[table]


# D27: heart rate and sleep were one person's, for every user, and the resting rate was the lowest rate on every day.


def test_defect_D27_every_user_has_a_heart_and_nights_of_their_own() -> None:
    hearts = {environment(index).blobs["heart_rate"] for index in SAMPLE}
    assert len(hearts) == len(SAMPLE)
    nights = [str([night["segments"] for night in rows(index, "nights")]) for index in SAMPLE if rows(index, "nights")]
    assert len(set(nights)) == len(nights) > 50


def test_defect_D27_users_differ_in_rest_and_in_sleep() -> None:
    resting: list[int] = []
    asleep: list[int] = []
    for index in SAMPLE:
        rates: list[Any] = [day["resting_rate"] for day in rows(index, "wearable_days") if day["resting_rate"]]
        slept: list[Any] = [night["asleep"] for night in rows(index, "nights")]
        resting += [sum(rates) // len(rates)] if rates else []
        asleep += [sum(slept) // len(slept)] if slept else []
    assert max(resting) - min(resting) > 15
    assert max(asleep) - min(asleep) > 60


def test_defect_D27_a_resting_rate_is_not_the_lowest_rate() -> None:
    days = [day for index in SAMPLE for day in rows(index, "wearable_days") if day["resting_rate"] is not None]
    assert all(day["lowest_rate"] <= day["resting_rate"] <= day["average_rate"] / 10 + 1 for day in days)
    assert sum(day["lowest_rate"] < day["resting_rate"] for day in days) > 0.9 * len(days)


# D63: partial weeks got a full week's workouts, weekdays moved with a shift of days, goals knew nothing of the data.


def test_defect_D63_a_partial_week_has_no_more_workouts_than_a_whole_one() -> None:
    whole: list[tuple[int, int]] = []
    partial: list[tuple[int, int]] = []
    for index in range(amount(80, 200)):
        days = {str(row["id"]) for row in rows(index, "wearable_days")}
        weeks = Counter(dt.date.fromisoformat(day).isocalendar()[:2] for day in days)
        done = Counter(
            dt.date.fromisoformat(str(row["start"])[:10]).isocalendar()[:2] for row in rows(index, "workouts")
        )
        for week, length in weeks.items():
            (whole if length == 7 else partial).append((done[week], length))
    rate = sum(n for n, _ in whole) / sum(length for _, length in whole)
    short = [(n, length) for n, length in partial if length <= 3]
    assert len(short) > amount(20, 50)
    assert sum(n for n, _ in short) / sum(length for _, length in short) < 1.3 * rate


def test_defect_D63_weekdays_are_those_of_the_calendar() -> None:
    """Whoever trains on the same weekdays does so in every week of the window."""
    kept = 0
    for index in range(MANY):
        days = [dt.date.fromisoformat(str(row["start"])[:10]) for row in rows(index, "workouts")]
        if len(days) >= 8:
            by_weekday = Counter(day.weekday() for day in days)
            kept += sum(count for _, count in by_weekday.most_common(3)) >= 0.6 * len(days)
    users = sum(len(rows(index, "workouts")) >= 8 for index in range(MANY))
    assert kept > users / 2 > 10


def test_defect_D63_daily_goals_follow_from_the_days() -> None:
    pairs: list[tuple[int, int]] = []
    for index in range(MANY):
        days = [d for d in rows(index, "wearable_days") if d["worn"] >= 600 and d["id"] < environment(index).now[:10]]
        if len(days) < 5:
            assert rows(index, "profile")[0]["goal_steps"] == person(index).daily_goal.steps
            continue
        usual = sorted(day["total_steps"] for day in days)[(len(days) - 1) // 2]
        pairs.append((usual, rows(index, "profile")[0]["goal_steps"]))
    assert len(pairs) > 2 * MANY / 3
    assert all(goal >= usual or goal == 15_000 for usual, goal in pairs)
    assert all(goal <= 1.1 * usual + 500 or goal == 3_000 for usual, goal in pairs)
