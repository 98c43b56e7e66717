"""Periods said from where the writer stands: what is written reads back, and only with a clock."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.dates import month_period
from language.matching import find, mentions, writings
from language.relative import LAST_DAYS, other_readings

TODAY = "2026-03-15"
DAYS = st.dates(date(2020, 1, 1), date(2035, 12, 31))


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("what I spent last month", ("2026-02-01", "2026-02-28")),
        ("orders I placed in February.", ("2026-02-01", "2026-02-28")),
        ("during April", ("2025-04-01", "2025-04-30")),
        ("in March, so far", ("2026-03-01", "2026-03-31")),
        ("so far this month", ("2026-03-01", TODAY)),
        ("this month so far", ("2026-03-01", TODAY)),
        ("what I wrote this month", ("2026-03-01", "2026-03-31")),
        ("last year", ("2025-01-01", "2025-12-31")),
        ("in the last 30 days", ("2026-02-13", TODAY)),
        ("over the past ninety days", ("2025-12-15", TODAY)),
        ("in May 2024", ("2024-05-01", "2024-05-31")),
        ("from June to August", ("2025-06-01", "2025-08-31")),
        ("from November to February", ("2025-11-01", "2026-02-28")),
        ("in December and January", ("2025-12-01", "2026-01-31")),
        ("in may and june", ("2025-05-01", "2025-06-30")),
        ("so far this year", ("2026-01-01", TODAY)),
        ("since the beginning of this year", ("2026-01-01", TODAY)),
        ("from June to August 2025", ("2025-06-01", "2025-08-31")),
        ("from November 2024 until February 2025", ("2024-11-01", "2025-02-28")),
        ("from November to February 2025", ("2024-11-01", "2025-02-28")),
        ("since the start of May", ("2025-05-01", TODAY)),
        ("since the start of may", ("2025-05-01", TODAY)),
        ("in the last two weeks", ("2026-03-01", TODAY)),
        ("over the past 6 weeks", ("2026-02-01", TODAY)),
    ],
)
def test_periods_are_read_from_the_day_given(text: str, period: tuple[str, str]) -> None:
    assert [mention.value for mention in find("period", text, (), TODAY)] == [period]
    assert find("count", text, (), TODAY) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("the note from 8 March", "2026-03-08"),
        ("what I noted on March 15", "2026-03-15"),
        ("the 16th of March", "2025-03-16"),
        ("my note of Sunday, 8 March", "2026-03-08"),
        ("on 29 February", "2024-02-29"),
        ("on 8 March 2024", "2024-03-08"),
    ],
)
def test_a_day_without_a_year_is_the_latest_that_has_been(text: str, day: str) -> None:
    assert [mention.value for mention in find("date", text, (), TODAY)] == [day]
    assert find("count", text, (), TODAY) == []


@given(DAYS, st.integers(-40, 400))
def test_days_are_said_without_a_year_only_while_it_is_plain(today: date, before: int) -> None:
    day, clock = (today - timedelta(days=before)).isoformat(), today.isoformat()
    forms = writings("date", day, clock)
    assert all([mention.value for mention in find("date", f"on {form}.", (), clock)] == [day] for form in forms)
    assert any(day[:4] not in form for form in forms) == (0 <= before <= 300)


@pytest.mark.parametrize(
    "text",
    [
        "in may cases",
        "over the last month",
        "in the last month",
        "in March 3",
        "in May the 4th",
        "next month",
        "from June to August 3",
    ],
)
def test_what_has_no_single_reading_is_no_period(text: str) -> None:
    assert find("period", text, (), TODAY) == []


@pytest.mark.parametrize("text", ["last month", "in May", "in the last 30 days", "so far this month"])
def test_without_a_clock_nothing_relative_is_read(text: str) -> None:
    assert find("period", text) == []


@given(DAYS, st.integers(0, 400))
def test_months_read_back_in_every_form(today: date, before: int) -> None:
    inside = today - timedelta(days=before)
    period = month_period(inside.year, inside.month)
    for form in writings("period", period, today.isoformat()):
        text = f"the orders I placed {form}, please"
        assert [mention.value for mention in find("period", text, (), today.isoformat())] == [period]


@given(DAYS, st.sampled_from(tuple(LAST_DAYS)))
def test_last_days_and_this_month_read_back(today: date, days: int) -> None:
    clock = today.isoformat()
    for start in (today - timedelta(days=days), today.replace(day=1)):
        period = (start.isoformat(), clock)
        forms = writings("period", period, clock)
        assert all(mentions_on(clock, form, period) for form in forms)
        assert any(word in forms[0] for word in ("last", "so far"))


@given(DAYS, st.integers(0, 14), st.integers(0, 11))
def test_rows_of_months_and_what_is_since_one_read_back(today: date, before: int, length: int) -> None:
    clock = today.isoformat()
    last = today - timedelta(days=30 * before)
    first = last - timedelta(days=30 * length)
    start = month_period(first.year, first.month)[0]
    for period in ((start, month_period(last.year, last.month)[1]), (start, clock)):
        assert all(mentions_on(clock, form, period) for form in writings("period", period, clock))


def mentions_on(today: str, form: str, period: tuple[str, str]) -> bool:
    return [mention.value for mention in find("period", f"spent {form}.", (), today)] == [period]


def test_the_month_before_is_said_in_the_shortest_way_too() -> None:
    forms = writings("period", ("2026-02-01", "2026-02-28"), TODAY)
    assert forms[:3] == ("last month", "in February", "in February 2026")
    assert writings("period", ("2026-02-01", "2026-02-28"))[0] == "in February 2026"
    assert mentions("last month", "period", ("2026-02-01", "2026-02-28")) is False


def test_the_current_month_and_one_of_another_year_are_not_said_by_name_alone() -> None:
    assert "in March" not in writings("period", ("2026-03-01", "2026-03-31"), TODAY)
    assert "in February" not in writings("period", ("2025-02-01", "2025-02-28"), TODAY)
    assert "in April" in writings("period", ("2025-04-01", "2025-04-30"), TODAY)


def test_only_what_is_counted_in_days_up_to_today_has_two_readings() -> None:
    assert other_readings(("2026-02-13", TODAY), TODAY) == (("2026-02-14", TODAY),)
    for period in (("2026-02-01", "2026-02-28"), ("2026-01-01", TODAY), ("2026-02-13", "2026-03-14")):
        assert other_readings(period, TODAY) == ()
