"""The named streams: fixed draws, independence, exact uniformity."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.runtime.streams import Stream


def test_draws_are_fixed_for_all_time() -> None:
    stream = Stream(7, "user", 3, "meals")
    words = [stream.word() for _ in range(9)]
    assert words[:3] == [6756932721929761022, 17767811017094484297, 18376609670904078955]
    assert words[8] == 1113693334782456745


@given(st.integers(0, 99), st.lists(st.sampled_from("abc"), max_size=3), st.integers(0, 20))
def test_a_child_does_not_depend_on_earlier_draws(seed: int, names: list[str], drawn: int) -> None:
    parent = Stream(seed, *names)
    for _ in range(drawn):
        parent.word()
    assert [parent.child("x", 1).word() for _ in range(2)] == [Stream(seed, *names, "x", 1).word()] * 2


def test_names_and_seeds_make_different_streams() -> None:
    streams = [Stream(1), Stream(2), Stream(1, "a"), Stream(1, "b"), Stream(1, "a", "b"), Stream(1, "ab"), Stream(1, 1)]
    assert len({stream.word() for stream in streams}) == len(streams)


def test_a_name_with_a_slash_is_refused() -> None:
    # Otherwise ("a/b") and ("a", "b") would be one stream.
    with pytest.raises(ValueError, match="slash"):
        Stream(1, "a/b")
    with pytest.raises(ValueError, match="slash"):
        Stream(1).child("a/b")


@given(st.integers(1, 10**30), st.integers(0, 50))
def test_below_stays_below(n: int, seed: int) -> None:
    if n <= 1 << 64:
        assert 0 <= Stream(seed).below(n) < n
    else:
        with pytest.raises(ValueError, match="below"):
            Stream(seed).below(n)


@pytest.mark.parametrize("n", [0, -1])
def test_below_nothing_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match="below"):
        Stream(1).below(n)


@pytest.mark.parametrize("n", [2, 3, 7, 10])
def test_small_draws_are_uniform(n: int) -> None:
    stream, draws = Stream(5, n), 7000
    seen = Counter(stream.below(n) for _ in range(draws))
    # Chi-squared with at most 9 degrees of freedom: 33.7 is exceeded once in 10,000.
    assert sum((seen[i] - draws / n) ** 2 / (draws / n) for i in range(n)) < 33.7


def test_large_draws_are_uniform() -> None:
    # A remainder alone would give the lowest third half of the draws.
    stream, n = Stream(6), 3 << 62
    lowest = sum(stream.below(n) < n // 3 for _ in range(3000))
    assert 900 < lowest < 1100


def test_between_takes_both_ends() -> None:
    stream = Stream(1)
    assert {stream.between(-1, 1) for _ in range(100)} == {-1, 0, 1}


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(0, 9), st.integers(0, 50))
def test_shuffles_and_samples_take_from_the_items(items: list[int], count: int, seed: int) -> None:
    assert sorted(Stream(seed, "s").shuffled(items)) == sorted(items)
    sample = Stream(seed, "t").sample(items, count)
    assert len(sample) == min(count, len(items))
    assert not Counter(sample) - Counter(items)


def test_every_order_of_three_is_about_alike_likely() -> None:
    stream = Stream(9)
    seen = Counter(tuple(stream.shuffled("abc")) for _ in range(6000))
    assert len(seen) == 6
    assert all(880 < count < 1120 for count in seen.values())


def test_weights_are_followed() -> None:
    stream = Stream(2)
    seen = Counter(stream.weighted([("a", 1), ("b", 0), ("c", 3)]) for _ in range(4000))
    assert seen["b"] == 0
    assert 2850 < seen["c"] < 3150


def test_chance_of_nothing_and_of_everything() -> None:
    stream = Stream(3)
    assert not any(stream.chance(0, 5) for _ in range(50))
    assert all(stream.chance(5, 5) for _ in range(50))


@pytest.mark.parametrize("options", [[], [("a", 0)]])
def test_no_weight_is_refused(options: list[tuple[str, int]]) -> None:
    with pytest.raises(ValueError, match="below"):
        Stream(1).weighted(options)


def test_taken_bytes_are_the_blocks_that_words_are_read_from() -> None:
    words, stream = Stream(7, "bytes"), Stream(7, "bytes")
    expected = b"".join(words.word().to_bytes(8, "little") for _ in range(24))
    assert stream.take(100) == expected[:100]
    # The rest of the second block is gone, so no byte is given twice.
    assert stream.word().to_bytes(8, "little") == expected[128:136]
    assert stream.take(0) == b""
