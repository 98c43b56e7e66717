"""What the runtime benchmarks measure."""

from __future__ import annotations

import os

from benchmarks import memory, phases, runtime, sample, wearables
from services.runtime.catalogue import installed_catalogue
from tests.nonempty import nonempty


def test_every_tool_is_timed_in_calls_that_succeed() -> None:
    situations: dict[str, runtime.Situation] = {}
    for situation in runtime.situations():
        situations.setdefault(situation.tool, situation)
    assert set(situations) == set(installed_catalogue().tools)
    for situation in situations.values():
        assert "error" not in situation.call()
        assert situation.call() == situation.call()


def test_wearables_are_read_where_everything_is_available() -> None:
    env, source, dates = wearables.opened()
    assert len(dates) >= 20
    whole = {"start_date": dates[0], "end_date": dates[-1]}
    assert wearables.compute(env, "get_range_summary", whole)["days_count"] == len(dates)
    window = {"date": dates[0], "start": "17:00", "end": "18:00"}
    points = wearables.compute(env, f"{source}-get_intraday_steps", window)["points"]
    assert isinstance(points, list) and len(points) == 60
    assert len(wearables.measure()) == 4


def test_the_sample_starts_where_its_tasks_start() -> None:
    person = sample.people()[0]
    for task in nonempty(person.tasks):
        assert sample.at_start(person, task).state_hash() == task.start_hash


def test_shares_add_up_and_name_the_largest_checks() -> None:
    text = phases.shares({"task.a": 1.0, "task.b": 3.0, "making tasks": 5.0, "storage": 1.0}, largest=1)
    assert text == "checks 40% (b 30%), making tasks 50%, storage 10%"


def test_memory_of_this_process_is_counted() -> None:
    assert os.getpid() in memory.family(os.getpid())
    assert memory.resident_kib(os.getpid()) > 10_000
    assert memory.family(2**22 + 1) == []
    assert memory.resident_kib(2**22 + 1) == 0
