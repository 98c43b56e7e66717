"""Which source and device recorded which day, weekly goals, and shares of both over many users."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from generators.environments import odds
from generators.environments.wearables.assignment import assign
from services.account.records import Device, Source
from services.runtime.streams import Stream
from services.sources.platforms import DEVICES, SOURCES
from tests.effort import amount
from tests.environments import environment
from tests.generators.test_environments_shares import share

COUNT = amount(100, 200)
SAMPLE = range(COUNT)


def rows(index: int, table: str) -> list[dict[str, Any]]:
    return environment(index).tables[table]


def stretches(index: int) -> list[tuple[str, int]]:
    """Source and length of each stretch, days that nothing recorded belonging to the one they lie in."""
    named = [row["source"] for row in rows(index, "source_days")]
    return [(name, len([*days])) for name, days in groupby(name for name in named if name is not None)]


# --- assignment alone ------------------------------------------------------------------------------------------------


@st.composite
def lives(draw: st.DrawFn) -> tuple[list[tuple[str, int | None]], list[str], list[Device], int]:
    """Days with the ordinal of the device worn, sources, devices, and a seed."""
    length = draw(st.integers(1, 45))
    swap = draw(st.integers(0, length))
    days = [(dt.date(2025, 1, 1) + dt.timedelta(days=n)).isoformat() for n in range(length)]
    absent = draw(st.sets(st.integers(0, length - 1)))
    ordinals = [None if n in absent else int(0 < swap <= n) for n in range(length)]
    names = draw(st.lists(st.sampled_from(SOURCES), min_size=1, max_size=4, unique=True))
    devices = [
        Device(id=f"d_{name}_{n}", source=name, type=DEVICES[name][0])
        for name in names
        for n in range(draw(st.integers(1, 2)))
    ]
    return [*zip(days, ordinals, strict=True)], [*names], devices, draw(st.integers(0, 2**32))


@given(lives())
def test_a_day_is_recorded_exactly_when_a_device_is_worn(
    life: tuple[list[tuple[str, int | None]], list[str], list[Device], int],
) -> None:
    worn, names, devices, seed = life
    ids = iter(f"new_{n}" for n in range(99))
    sources = [Source(id=name, connected=True) for name in names]
    days, added = assign(worn, sources, devices, Stream(seed, "assign"), lambda: next(ids))
    owner = {device.id: device.source for device in (*devices, *added)}
    assert [day.id for day in days] == [date for date, _ in worn]
    for day, (_, ordinal) in zip(days, worn, strict=True):
        assert (day.source is None) == (day.device is None) == (ordinal is None)
        assert day.device is None or owner[day.device] == day.source
    # Another ordinal is another device; within a source, the same one is the same device.
    used: dict[tuple[str | None, int | None], set[str | None]] = {}
    for day, (_, ordinal) in zip(days, worn, strict=True):
        used.setdefault((day.source, ordinal), set()).add(day.device)
    assert all(len(found) == 1 for found in used.values())
    recorded = [found for (source, _), found in used.items() if source is not None]
    assert len(set().union(*recorded)) == len(recorded)
    assert {device.source for device in added} <= set(names)
    again = assign(worn, sources, devices, Stream(seed, "assign"), iter(f"new_{n}" for n in range(99)).__next__)
    assert again == (days, added)


def test_a_swap_begins_a_stretch_where_there_is_room() -> None:
    worn: list[tuple[str, int | None]] = [(f"2025-01-{n + 1:02d}", int(n >= 12)) for n in range(30)]
    sources = [Source(id=name, connected=True) for name in ("fitbit", "oura")]
    devices = [Device(id=f"d_{s.id}", source=s.id, type="watch") for s in sources]
    begun: Counter[bool] = Counter()
    for seed in range(200):
        days, _ = assign(worn, sources, devices, Stream(seed, "swap"), lambda: "new")
        names = [day.source for day in days]
        if len(set(names)) == 2:
            begun[names[11] != names[12]] += 1
    assert begun[True] > 50 and begun[False] < 0.1 * begun[True]  # three stretches may leave no room


# --- made environments -----------------------------------------------------------------------------------------------


def test_one_to_three_sources_recorded_the_window() -> None:
    used: Counter[int] = Counter()
    for index in SAMPLE:
        names = [name for name, _ in stretches(index)]
        used[len(set(names))] += 1
        assert set(names) <= {row["id"] for row in rows(index, "sources")}
        assert len(names) <= 3
    assert set(used) == {1, 2, 3} and min(used.values()) > COUNT // 20


def test_stretches_are_days_in_a_row() -> None:
    for index in SAMPLE:
        missing = sum(row["source"] is None for row in rows(index, "source_days"))
        assert all(length >= odds.STRETCH_LEAST - missing for _, length in stretches(index))


def test_days_are_missing_disconnected_and_recorded_by_other_devices() -> None:
    missing = [sum(row["source"] is None for row in rows(index, "source_days")) for index in SAMPLE]
    assert 0 < sum(1 for count in missing if count == 0) < COUNT and max(missing) <= 8
    connected = [{row["id"]: row["connected"] for row in rows(index, "sources")} for index in SAMPLE]
    seen = [sum(connected[index].get(row["source"], False) for row in rows(index, "source_days")) for index in SAMPLE]
    assert sum(count == 0 for count in seen) > COUNT // 20
    assert sum(0 < count < 25 for count in seen) > COUNT // 20
    assert sum(count >= 25 for count in seen) > 3 * COUNT // 10
    swapped = 0
    for index in SAMPLE:
        for source in {row["source"] for row in rows(index, "source_days")} - {None}:
            swapped += len({r["device"] for r in rows(index, "source_days") if r["source"] == source}) > 1
    assert swapped > 3
    assert sum(rows(index, "source_days")[-1]["source"] is None for index in SAMPLE) > 0


def test_the_window_is_a_month_that_ends_today() -> None:
    for index in SAMPLE:
        days = [row["id"] for row in rows(index, "source_days")]
        assert len(days) == odds.WINDOW_DAYS and days[-1] == environment(index).now[:10]
        assert {row["first_day"] for row in rows(index, "signals")} == {days[0]}


def test_weekly_goals_are_set_as_stated() -> None:
    plans = [plan for index in SAMPLE for plan in rows(index, "activity_plans")]
    assert {plan["id"] for plan in rows(0, "activity_plans")} == {row["id"] for row in rows(0, "sources")}
    for field in ("steps", "azm", "mets", "calories_burn"):
        assert share(odds.WEEKLY, sum(plan[field] is not None for plan in plans), len(plans))
        assert all(plan[field] is None or plan[field] % odds.WEEKLY_STEPS[field] == 0 for plan in plans)


def test_an_environment_is_small_on_disk() -> None:
    """Without the world, and before the file's own compression."""
    sizes = [len(environment(index).model_dump_json()) for index in SAMPLE]
    blobs = [sum(map(len, environment(index).blobs.values())) for index in SAMPLE]
    assert max(blobs) < 110_000
    assert max(sizes) < 250_000
