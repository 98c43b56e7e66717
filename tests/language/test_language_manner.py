"""Whatever a writer's manner, the reader reads the value back; and what no writer would put is not put."""

from __future__ import annotations

from datetime import date, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language import Kind, Manner, find, say, writings
from language.manner import Day, Money
from language.terms import key, plural

MANNERS = st.builds(
    Manner,
    words=st.booleans(),
    money=st.sampled_from(get_args(Money)),
    day=st.sampled_from(get_args(Day)),
    relative=st.booleans(),
    quoted=st.booleans(),
    hyphened=st.booleans(),
    lower=st.booleans(),
)
DAYS = st.dates(date(1990, 1, 1), date(2059, 12, 31))
TODAY = "2026-05-17"
SENTENCES = ("{}", "I mean {}.", "so {}, please")


def check(kind: Kind, value: object, manner: Manner, vocabulary: tuple[str, ...] = ()) -> None:
    said = say(kind, value, manner, TODAY)
    forms = writings(kind, value, TODAY)
    assert said in forms or (manner.lower and said in [form.lower() for form in forms])
    for sentence in SENTENCES:
        text = sentence.format(said)
        assert [mention.value for mention in find(kind, text, vocabulary, TODAY)] == [value], text


@given(st.integers(0, 200_000), MANNERS)
def test_counts(number: int, manner: Manner) -> None:
    check("count", number, manner)


@given(st.integers(1, 1_000_000), MANNERS)
def test_amounts(cents: int, manner: Manner) -> None:
    check("money_cents", cents, manner)


@given(st.integers(1, 10_000), MANNERS)
def test_a_round_sum_has_cents_only_beside_the_code(dollars: int, manner: Manner) -> None:
    assert (".00" in say("money_cents", 100 * dollars, manner)) == (manner.money == "code")


@given(st.integers(0, 100), MANNERS)
def test_percentages(number: int, manner: Manner) -> None:
    check("percent", number, manner)


@given(DAYS, MANNERS)
def test_days(day: date, manner: Manner) -> None:
    check("date", day.isoformat(), manner)


@given(DAYS, st.integers(0, 800), MANNERS)
def test_periods(start: date, length: int, manner: Manner) -> None:
    check("period", (start.isoformat(), (start + timedelta(length)).isoformat()), manner)


@given(st.integers(2024, 2026), st.integers(1, 12), MANNERS)
def test_a_month_is_said_by_its_name(year: int, month: int, manner: Manner) -> None:
    last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(1)).isoformat()
    period = (f"{year}-{month:02d}-01", last)
    check("period", period, manner)
    assert not any(sign.isdigit() for sign in say("period", period, manner, TODAY).removesuffix(str(year)))


@pytest.mark.parametrize("lower", [True, False])
def test_the_month_of_may_is_read_whatever_the_letters(lower: bool) -> None:
    said = say("period", ("2026-05-01", "2026-05-31"), Manner(lower=lower), "2026-08-02")
    assert said == ("in may 2026" if lower else "in May")


@given(MANNERS)
def test_terms_and_names(manner: Manner) -> None:
    for term in ("low_sugar", "contains_nuts", "meal_replacement", "bar", "3_days"):
        check("term", term, manner, (term,))
    assert "-" not in say("term", "contains_nuts", manner)
    check("name", "Nutty & Nice Mix", manner, ("Nutty & Nice Mix",))


@given(MANNERS)
def test_words_to_be_kept_are_kept(manner: Manner) -> None:
    assert say("text", "Call Ann at Noon.", manner) == '"Call Ann at Noon."'


@pytest.mark.parametrize("number", [13, 40, 100])
def test_large_counts_are_in_digits(number: int) -> None:
    assert say("count", number, Manner(words=True)) == str(number)


@pytest.mark.parametrize(
    ("one", "several"),
    [("meal replacement", "meal replacements"), ("milk", "milk"), ("nuts", "nuts"), ("Oat Bar", "Oat Bars")],
)
def test_several(one: str, several: str) -> None:
    assert plural(one) == several
    assert key(several) == key(one)
