"""Checks of wearables: what devices recorded agrees with the arrays, and each way of disagreeing is found."""

from __future__ import annotations

import copy
import datetime as dt
import subprocess
import sys
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from schemas.environment import EnvironmentRecord
from services.runtime.blobs import described, pack
from tests.environments import Tables, context, environment, failed, first
from tests.scan import ROOT
from validators.environments import check_environment, environment_checks
from validators.environments.records import raw_values, state_hash
from validators.wearables import CHECKS

Arrays = dict[str, "array[int]"]
NAMES = ["wearables.days", "wearables.nights", "wearables.workouts", "wearables.sums", "wearables.goals"]
CODES = {"u8": "B", "u16": "H"}


@cache
def lived() -> EnvironmentRecord:
    """An environment with workouts, nights, a day that nothing recorded, and goals of its own."""

    def has_all(record: EnvironmentRecord) -> bool:
        tables = record.tables
        return bool(
            len(tables["workouts"]) > 3
            and len(tables["nights"]) > 10
            and any(row["source"] is None for row in tables["source_days"])
            and any(row["steps"] for row in tables["activity_plans"])
            and tables["wearable_days"][-1]["id"] == record.now[:10]
        )

    return next(environment(i) for i in range(120) if has_all(environment(i)))


def arrays_of(record: EnvironmentRecord) -> Arrays:
    encodings = {str(row["id"]): str(row["encoding"]) for row in record.tables["signals"]}
    return {name: array(CODES[encodings[name]], raw_values(text)) for name, text in record.blobs.items()}


def altered(change: Callable[[Tables, Arrays], object]) -> EnvironmentRecord:
    """The environment with changed records and arrays; digests and hash are right again."""
    record = lived()
    tables: Tables = copy.deepcopy(record.tables)
    arrays = arrays_of(record)
    change(tables, arrays)
    for row in tables["signals"]:
        row.update(described(arrays[row["id"]].tobytes(), row["encoding"]))
    blobs = {name: pack(values.tobytes()) for name, values in arrays.items()}
    return record.model_copy(update={"tables": tables, "blobs": blobs, "state_hash": state_hash(tables)})


def faults(change: Callable[[Tables, Arrays], object]) -> dict[str, str]:
    """What the checks of wearables say after a change."""
    verdicts = check_environment(altered(change), context(), [*CHECKS.state, *CHECKS.fresh])
    return {verdict.check: verdict.reason for verdict in verdicts if not verdict.passed}


def at(arrays: Arrays, metric: str, value: int, where: Callable[[int], bool]) -> None:
    """Set the first minute of a series whose number fits."""
    minute = next(n for n in range(len(arrays[metric])) if where(n))
    arrays[metric][minute] = value


def minute_of(tables: Tables, time: str) -> int:
    begins = dt.datetime.fromisoformat(tables["signals"][0]["first_day"])
    return int((dt.datetime.fromisoformat(time) - begins).total_seconds()) // 60


def day_minutes(tables: Tables, *, recorded: bool) -> range:
    """Minutes of the first day that was, or was not, recorded."""
    days = tables["source_days"]
    number = next(n for n, row in enumerate(days) if (row["source"] is not None) == recorded)
    return range(1440 * number, 1440 * (number + 1))


def walk(t: Tables, a: Arrays) -> None:
    at(
        a,
        "steps",
        a["steps"][day_minutes(t, recorded=True)[700]] + 1,
        lambda n: n == day_minutes(t, recorded=True)[700],
    )


def longer(t: Tables, a: Arrays) -> None:
    for series in a.values():
        series.append(10 if series is a["mets"] else 0)


def shorter_steps(t: Tables, a: Arrays) -> None:
    a["steps"].pop()


def hidden_steps(t: Tables, a: Arrays) -> None:
    a["steps"][day_minutes(t, recorded=False)[600]] = 5


def other_weight(t: Tables, a: Arrays) -> None:
    a["calories"][5] += 1


def swap_calories(t: Tables, a: Arrays) -> None:
    """Change two minutes of one hour against each other: all sums stay."""
    start = day_minutes(t, recorded=True)[600]
    a["calories"][start] += 1
    a["calories"][start + 1] -= 1


def swap_intensities(t: Tables, a: Arrays) -> None:
    """Exchange the intensities of two minutes of one hour: all sums stay."""
    for hour in range(len(a["intensity"]) // 60):
        minutes = [*range(60 * hour, 60 * hour + 60)]
        low = next((n for n in minutes if a["intensity"][n] == 0), None)
        high = next((n for n in minutes if a["intensity"][n] == 1), None)
        if low is not None and high is not None:
            a["intensity"][low], a["intensity"][high] = 1, 0
            return


def lift(series: str, value: int) -> Callable[[Tables, Arrays], None]:
    def change(t: Tables, a: Arrays) -> None:
        a[series][day_minutes(t, recorded=True)[700]] = value

    return change


def edit(table: str, **changes: Callable[[Any], Any]) -> Callable[[Tables, Arrays], None]:
    """Change fields of the first record of a table."""

    def change(t: Tables, a: Arrays) -> None:
        row = t[table][0]
        row.update({name: new(row[name]) for name, new in changes.items()})

    return change


def more(value: int) -> int:
    return value + 1


def swap_hours(t: Tables, a: Arrays) -> None:
    """Exchange two hours of a day: its total stays."""
    hours = t["wearable_days"][0]["steps"]
    other = next(n for n in range(24) if hours[n] != hours[0])
    hours[0], hours[other] = hours[other], hours[0]


DAYS: dict[str, tuple[Callable[[Tables, Arrays], object], str]] = {
    "a step more": (walk, "steps is"),
    "a minute after now": (longer, " are over"),
    "steps of a day that nothing recorded": (hidden_steps, "on a day without a record"),
    "calories without a weight": (other_weight, "no body weight explains"),
    "calories moved between minutes": (swap_calories, "no body weight explains"),
    "intensities moved between minutes": (swap_intensities, "intensities do not follow"),
    "too many steps": (lift("steps", 251), "more than 250 steps"),
    "too few METs": (lift("mets", 9), "less than 10 tenths"),
    "an intensity above all": (lift("intensity", 4), "an intensity above 3"),
    "a heart that hardly beats": (lift("heart_rate", 29), "not from 30 to 220"),
    "a heart that races": (lift("heart_rate", 221), "not from 30 to 220"),
    "hours exchanged": (swap_hours, "steps is"),
    "another total": (edit("wearable_days", total_steps=more), "total_steps is"),
    "other METs": (edit("wearable_days", total_mets=more), "total_mets is"),
    "other calories": (edit("wearable_days", total_calories=more), "total_calories is"),
    "another active minute": (edit("wearable_days", azm=more), "azm is"),
    "another resting rate": (edit("wearable_days", resting_rate=lambda v: (v or 0) + 1), "resting_rate is"),
    "another mean rate": (edit("wearable_days", average_rate=lambda v: (v or 0) + 1), "average_rate is"),
    "another highest rate": (edit("wearable_days", highest_rate=lambda v: (v or 0) + 1), "highest_rate is"),
    "another lowest rate": (edit("wearable_days", lowest_rate=lambda v: (v or 0) - 1), "lowest_rate is"),
    "another worn minute": (edit("wearable_days", worn=more, zone_below=more), "worn is"),
    "a minute in another zone": (edit("wearable_days", zone_below=lambda v: v - 1, zone_peak=more), "zone_below is"),
    "another minute": (edit("wearable_days", minutes=lambda v: v - 1), "minutes is"),
    "heart rates by the minute denied": (edit("wearable_days", by_minute=lambda v: False), "and there are some"),
    "a day without a source record": (lambda t, a: t["source_days"].pop(), "sources are told for 29 days"),
    "a series too short": (shorter_steps, "the series begin on"),
    "a series later": (edit("signals", first_day=lambda v: "2020-01-01"), "the series begin on"),
    "no series": (lambda t, a: (t["signals"].clear(), a.clear()), "there are no series"),
}
SPANS: dict[str, tuple[str, Callable[[Tables, Arrays], object], str]] = {
    "a workout that burned more": ("workouts", edit("workouts", calories=more), "calories is"),
    "a workout with more active minutes": ("workouts", edit("workouts", azm=more), "azm is"),
    "a workout with more steps": ("workouts", edit("workouts", steps=more), "steps is"),
    "a workout of another intensity": (
        "workouts",
        edit("workouts", intensity=lambda v: "light" if v != "light" else "moderate"),
        "intensity is",
    ),
    "a workout outside of the window": (
        "workouts",
        edit("workouts", start=lambda v: "2020-01-01T10:00:00", end=lambda v: "2020-01-01T11:00:00"),
        "outside of the recorded minutes",
    ),
    "a workout twice": (
        "workouts",
        lambda t, a: t["workouts"].append({**t["workouts"][0], "id": "workout_zzzzzzzzzz"}),
        "overlap",
    ),
    "light sleep more": ("nights", edit("nights", light=more), "light is"),
    "sleep more": ("nights", edit("nights", asleep=more), "asleep is"),
    "awake more": ("nights", edit("nights", wake=more), "wake is"),
    "a stage exchanged": (
        "nights",
        lambda t, a: first(t["nights"][0]["segments"], stage="light").update(stage="deep"),
        "light is",
    ),
    "a night without segments": ("nights", edit("nights", segments=lambda v: []), "it has no segments"),
    "segments in disorder": ("nights", edit("nights", segments=lambda v: v[::-1]), "begins before"),
    "a segment of no time": (
        "nights",
        lambda t, a: t["nights"][0]["segments"][0].update(minutes=0),
        "has no minutes",
    ),
    "another night's sleep": (
        "nights",
        lambda t, a: t["nights"][0].update(segments=t["nights"][-1]["segments"]),
        "belongs to another night",
    ),
    "sleep without a device": (
        "nights",
        lambda t, a: at(a, "heart_rate", 0, lambda n: n == minute_of(t, t["nights"][0]["segments"][0]["start"])),
        "no device was worn",
    ),
    "a night of a day that was not recorded": (
        "nights",
        lambda t, a: t["wearable_days"].__setitem__(
            slice(None), [row for row in t["wearable_days"] if row["id"] != t["nights"][0]["id"]]
        ),
        "begins on a day that was not recorded",
    ),
}
GOALS: dict[str, tuple[Callable[[Tables, Arrays], object], str]] = {
    "more steps": (edit("profile", goal_steps=lambda v: v + 500), "goal_steps is"),
    "more to burn": (edit("profile", goal_calories_burn=lambda v: v + 50), "goal_calories_burn is"),
    "more active minutes": (edit("profile", goal_azm=lambda v: v + 5), "goal_azm is"),
    "a weekly goal far off": (
        lambda t, a: next(p for p in t["activity_plans"] if p["steps"]).update(steps=500_000),
        "the weekly goal steps",
    ),
    "a weekly goal between the steps": (
        lambda t, a: next(p for p in t["activity_plans"] if p["steps"]).update(
            steps=next(p for p in t["activity_plans"] if p["steps"])["steps"] + 1
        ),
        "the weekly goal steps",
    ),
}


def test_what_is_made_passes() -> None:
    assert [name for name, _ in (*CHECKS.state, *CHECKS.fresh)] == NAMES
    assert {*NAMES} <= {name for name, _ in environment_checks()}
    for index in range(40):
        assert failed(environment(index)) == {}
    assert faults(lambda t, a: None) == {}


def test_verdicts_count_what_was_computed_again() -> None:
    verdicts = {v.check: v.counts for v in check_environment(lived(), context(), [*CHECKS.state, *CHECKS.fresh])}
    assert verdicts["wearables.days"]["days"] == len(lived().tables["wearable_days"])
    assert verdicts["wearables.workouts"]["workouts"] == len(lived().tables["workouts"])
    assert verdicts["wearables.nights"]["nights"] == len(lived().tables["nights"])
    assert verdicts["wearables.sums"]["ranges"] == 1
    assert verdicts["wearables.goals"]["daily"] == 3 and verdicts["wearables.goals"]["weekly"] >= 1


@pytest.mark.parametrize("name", DAYS)
def test_days_catch(name: str) -> None:
    change, reason = DAYS[name]
    assert reason in faults(change)["wearables.days"]


@pytest.mark.parametrize("name", SPANS)
def test_nights_and_workouts_catch(name: str) -> None:
    check, change, reason = SPANS[name]
    assert reason in faults(change)[f"wearables.{check}"]


@pytest.mark.parametrize("name", GOALS)
def test_goals_catch(name: str) -> None:
    change, reason = GOALS[name]
    assert reason in faults(change)["wearables.goals"]


def test_goals_need_some_days_that_count() -> None:
    def few(t: Tables, a: Arrays) -> None:
        t["wearable_days"][:] = t["wearable_days"][:4]
        t["profile"][0].update(goal_steps=1)

    assert "goal_steps" not in faults(few).get("wearables.goals", "")


def test_sums_catch_what_agrees_with_itself_and_not_with_the_minutes() -> None:
    """A day whose hours and total are raised alike: records and tools agree, the arrays do not."""

    def raise_alike(t: Tables, a: Arrays) -> None:
        row = t["wearable_days"][0]
        row["steps"][12] += 7
        row["total_steps"] += 7

    found = faults(raise_alike)
    assert "steps: minutes sum to" in found["wearables.sums"]


def test_sums_catch_a_last_day_that_differs() -> None:
    def change(t: Tables, a: Arrays) -> None:
        t["wearable_days"][-1]["steps"][0] += 1

    assert "its hours" in faults(change)["wearables.sums"] or "hours to" in faults(change)["wearables.sums"]


def test_environments_without_wearables_pass() -> None:
    def nothing(t: Tables, a: Arrays) -> None:
        for table in ("signals", "source_days", "wearable_days", "nights", "workouts"):
            t[table].clear()
        a.clear()

    assert faults(nothing) == {}


def test_stages_told_without_times_are_held_by_their_sum() -> None:
    """As a file tells them: how much of each stage there was, and not when."""

    def told(t: Tables, a: Arrays) -> None:
        night = t["nights"][0]
        for segment in night["segments"]:
            segment["stage"] = "wake" if segment["stage"] == "wake" else "asleep"

    assert faults(told) == {}

    def wrong(t: Tables, a: Arrays) -> None:
        told(t, a)
        t["nights"][0]["deep"] += 1

    assert "stages do not sum to sleep" in faults(wrong)["wearables.nights"]


@pytest.mark.parametrize("module", ["validators.wearables", "validators.wearables.days", "validators.environments"])
def test_checks_are_found_whatever_is_loaded_first(module: str) -> None:
    program = (
        f"import {module}\nfrom validators.environments import environment_checks\nprint(len(environment_checks()))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == str(len(environment_checks())), run.stderr
