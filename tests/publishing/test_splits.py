"""Splits: a fixed function of the user index."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from publishing.splits import BLOCK, SPLITS, index_of, split_of


def test_the_first_eight_users_fill_every_split() -> None:
    assert {split_of(index) for index in range(8)} == set(SPLITS)


@given(st.integers(0, 10**7))
def test_each_ten_are_divided_eight_one_one(block: int) -> None:
    counts = Counter(split_of(index) for index in range(block * BLOCK, (block + 1) * BLOCK))
    assert counts == {"train": 8, "validation": 1, "test": 1}


def test_places_in_a_block_are_permuted() -> None:
    places = {tuple(split_of(block * BLOCK + place) for place in range(BLOCK)) for block in range(200)}
    assert len(places) > 60
    for place in range(BLOCK):
        assert {split_of(block * BLOCK + place) for block in range(200)} == set(SPLITS)


def test_published_splits_never_change() -> None:
    held_out = [index for index in range(40) if split_of(index) != "train"]
    assert held_out == [4, 5, 11, 13, 23, 28, 33, 34]


def test_user_ids_give_their_index() -> None:
    assert index_of("u000012") == 12
    assert index_of("u1234567") == 1234567
