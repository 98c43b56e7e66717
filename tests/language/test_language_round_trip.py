"""What the writer writes, the reader reads back: for every kind, value and style."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.matching import find, mentions, write, writings
from language.numbers import in_words
from language.spans import Kind

DAYS = st.dates(date(1990, 1, 1), date(2059, 12, 31))
SENTENCES = ("{}", "{}.", "I mean {}, please.", "Well ({}) then!", "so: {}")


def check(kind: Kind, value: object, vocabulary: tuple[str, ...] = ()) -> None:
    for form in writings(kind, value):
        for sentence in SENTENCES:
            text = sentence.format(form)
            assert [mention.value for mention in find(kind, text, vocabulary)] == [value], text
            assert mentions(text, kind, value, vocabulary)


@given(st.integers(-10_000_000, 10_000_000))
def test_money(cents: int) -> None:
    check("money_cents", cents)


@given(st.integers(0, 200_000))
def test_count(number: int) -> None:
    check("count", number)


@given(st.integers(0, 99_999))
def test_numbers_in_words(number: int) -> None:
    assert [mention.value for mention in find("count", f"take {in_words(number)} of them")] == [number]


@given(st.integers(0, 100) | st.decimals(0, 100, places=1, allow_nan=False).map(float))
def test_percent(number: float) -> None:
    check("percent", number)


@given(DAYS)
def test_date(day: date) -> None:
    check("date", day.isoformat())


@given(DAYS, st.integers(0, 800))
def test_period(start: date, length: int) -> None:
    check("period", (start.isoformat(), (start + timedelta(length)).isoformat()))


@pytest.mark.parametrize("year", [1999, 2000, 2025])
@pytest.mark.parametrize("month", range(1, 13))
def test_whole_months(year: int, month: int) -> None:
    last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(1)).isoformat()
    check("period", (f"{year}-{month:02d}-01", last))
    check("period", (f"{year}-01-01", f"{year}-12-31"))


TERM = st.lists(st.from_regex(r"[a-z]{4,9}", fullmatch=True), min_size=1, max_size=3).map("_".join)


@given(st.lists(TERM, min_size=1, max_size=6, unique=True))
def test_term(vocabulary: list[str]) -> None:
    for term in vocabulary:
        for form in writings("term", term):
            text = f"The word is {form}, nothing else"
            assert [mention.value for mention in find("term", text, (term,))] == [term]
            assert mentions(text, "term", term)


NAMES = (
    "Cocoa Oat Bar",
    "7 Grain Bread",
    "Nutty & Nice Mix",
    "Crème Biscuit (Light)",
    "Baker's Best 70% Dark",
    "Cocoa Oat",
)


@pytest.mark.parametrize("name", NAMES)
def test_name(name: str) -> None:
    check("name", name, NAMES)
    assert find("count", f"Get {name}.", NAMES) == []


@pytest.mark.parametrize("text", ["Tent is missing a few pegs.", "Bars: low sugar, at most $12.50 for six units."])
def test_text(text: str) -> None:
    check("text", text, (text,))
    assert f'Please note "{text}" for me.' == f"Please note {write('text', text, 3)} for me."
    # What stands inside is part of the text, and no amount or number of its own.
    for kind in ("count", "money_cents"):
        assert find(kind, f'Please note "{text}" for me.', (text,)) == []


@pytest.mark.parametrize("value", [True, False])
def test_bool(value: bool) -> None:
    for form in writings("bool", value):
        assert [mention.value for mention in find("bool", form)] == [value]


@given(st.text())
def test_any_text_is_read_without_error_or_overlap(text: str) -> None:
    kinds: tuple[Kind, ...] = ("money_cents", "count", "percent", "date", "period", "bool", "term", "name")
    for kind in kinds:
        found = find(kind, text, ("low_sugar", "biscuit"))
        assert all(one.end <= two.start for one, two in pairwise(found))
        assert all(0 <= mention.start < mention.end <= len(text) for mention in found)
