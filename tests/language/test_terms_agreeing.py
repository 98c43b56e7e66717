"""Agreeing values of a column, found by an index, are those that agree one by one."""

from __future__ import annotations

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from language.matching import agree, agreeing
from language.spans import Kind

TERMS = st.sampled_from(["nut", "nuts", "Nut", "low_sugar", "Low Sugar", "low-sugars", "7 Grain Bread", "", "&", "and"])
DAYS = st.sampled_from(["2026-01-05", "--01-05", "2026-02-05"])
KINDS: st.SearchStrategy[Kind] = st.sampled_from(cast("list[Kind]", ["term", "name", "date", "count"]))


@given(KINDS, st.lists(TERMS | DAYS | st.integers(0, 3), max_size=8), TERMS | DAYS | st.integers(0, 3))
def test_an_index_finds_what_comparing_finds(kind: Kind, values: list[object], value: object) -> None:
    expected = [one for one in values if one == value or agree(kind, one, value)]
    assert agreeing(kind, tuple(values), value) == expected
