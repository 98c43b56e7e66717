"""Extents: naming, growth by rectangles only, nothing twice and nothing left out."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.chunks import MOST_RUNS, chunked, from_text, to_text
from flows.extents import BLOCK, ROUND, SHARD_TASKS, Done, Extent, connected, file_name, missing, read_name

SIZES = st.tuples(st.integers(1, 45), st.integers(1, 260))
SIZES_OR_NONE = st.tuples(st.integers(1, 45), st.integers(0, 260))


def all_of(users: int, tasks: int, done: Done | None = None) -> list[Extent]:
    return [extent for block in missing(done or {}, users, tasks) for extent in block]


def cells(extents: list[Extent]) -> Counter[tuple[int, int]]:
    return Counter((user, task) for extent in extents for user in extent.users for task in extent.tasks)


def test_names_say_what_is_inside() -> None:
    extent = Extent(0, 8, 0, 20)
    assert file_name("tasks", extent) == "tasks/block-00000-u000000-000008-t00000-00020.parquet"
    assert file_name("users", extent) == "users/block-00000-u000000-000008.parquet"
    assert read_name("block-00000-u000000-000008-t00000-00020.parquet") == extent
    assert read_name("block-00000-u000000-000008.parquet") == Extent(0, 8, 0, 0)


@pytest.mark.parametrize(
    "name",
    [
        "block-00000-u000000-000011-t00000-00020.parquet",
        "block-00001-u000000-000008.parquet",
        "block-00000-u000008-000008.parquet",
        "notes.parquet",
        ".block-00000-u000000-000008.parquet.12.part",
    ],
)
def test_other_names_are_no_shards(name: str) -> None:
    assert read_name(name) is None


@given(SIZES_OR_NONE, SIZES_OR_NONE, SIZES)
def test_growing_covers_every_task_exactly_once(
    one: tuple[int, int], two: tuple[int, int], three: tuple[int, int]
) -> None:
    made: list[Extent] = []
    users = tasks = 0
    for more_users, more_tasks in (one, two, three):
        users, tasks = max(users, more_users), max(tasks, more_tasks)
        _, done = connected(made)
        made.extend(all_of(users, tasks, done))
    counted = cells(made)
    assert set(counted.values()) == {1}
    assert counted.keys() == {(user, task) for user in range(users) for task in range(tasks)}
    assert sorted(connected(made)[0]) == sorted(made)
    assert {user: last.stop for user, last in connected(made)[1].items()} == dict.fromkeys(range(users), tasks)


@given(st.lists(SIZES_OR_NONE, min_size=1, max_size=4))
def test_users_are_made_once_whether_with_tasks_or_without(sizes: list[tuple[int, int]]) -> None:
    made: list[Extent] = []
    users = tasks = 0
    for more_users, more_tasks in sizes:
        users, tasks = max(users, more_users), max(tasks, more_tasks)
        made.extend(all_of(users, tasks, connected(made)[1]))
    assert all_of(users, tasks, connected(made)[1]) == []
    files = {file_name("users", extent) for extent in made if extent.start == 0}
    ranges = [extent for name in files if (extent := read_name(name.partition("/")[2]))]
    assert sorted(user for extent in ranges for user in extent.users) == list(range(users))


@given(SIZES)
def test_an_extent_stays_in_its_block_and_is_small(size: tuple[int, int]) -> None:
    for extent in all_of(*size):
        assert {user // BLOCK for user in extent.users} == {extent.block}
        assert 0 < len(extent.tasks) <= SHARD_TASKS


@given(SIZES, st.data())
def test_after_losing_any_extent_what_is_left_can_be_continued(size: tuple[int, int], data: st.DataObject) -> None:
    made = all_of(*size)
    lost = data.draw(st.sampled_from(made))
    kept, done = connected([extent for extent in made if extent != lost])
    assert set(cells([*kept, *all_of(*size, done)]).values()) == {1}
    assert len(cells([*kept, *all_of(*size, done)])) == size[0] * size[1]


@given(st.integers(0, 300), st.integers(1, 60))
def test_rounds_cut_the_tasks_into_tens(start: int, length: int) -> None:
    extent = Extent(0, 1, start, start + length)
    ordinals = [number * ROUND + position for number, want in extent.rounds() for position in want]
    assert ordinals == list(extent.tasks)


@given(st.integers(1, 3_000), st.integers(1, 300), st.integers(1, 16))
def test_chunks_keep_all_blocks_in_order_and_are_not_too_many(blocks: int, tasks: int, workers: int) -> None:
    all_blocks = [[Extent(n * BLOCK, (n + 1) * BLOCK, 0, tasks)] for n in range(blocks)]
    chunks = list(chunked(all_blocks, workers))
    assert [block for chunk in chunks for block in chunk] == all_blocks
    assert len(chunks) <= MOST_RUNS
    assert from_text(to_text(chunks[0])) == chunks[0]


def test_no_blocks_make_no_chunks() -> None:
    assert list(chunked([], 2)) == []
