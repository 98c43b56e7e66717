"""Wearables: what each tool shows of minutes that are known, by arithmetic of the test's own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from schemas.base import Json
from services.runtime.environment import Environment
from services.wearables.records import WearableDay
from services.wearables.scores import POINTS_PER_BEAT, mean, score
from services.wearables.signals import REST_MINUTES, day_of, of_bytes
from tests.services import sample, wearing
from tests.services.sample import done
from tests.services.wearing import MINUTES, MISSING, OURA_DAYS

FULL_DAY, RUN_DAY, TODAY = "2025-06-09", "2025-05-12", "2025-06-10"
RUN_DAYS = [str(row["start"])[:10] for row in wearing.TABLES["workouts"]]
UNAVAILABLE = [MISSING, *OURA_DAYS]


def shown(tool: str, **arguments: Json) -> dict[str, Any]:
    return done(sample.environment(), tool, "assistant", **arguments)


def in_kcal(hundredths: int) -> float:
    return hundredths / 100


def rounded(value: Fraction) -> int:
    """Half up."""
    return int(value + Fraction(1, 2))


# --- one day ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("date", [FULL_DAY, RUN_DAY, TODAY])
def test_a_day_shows_the_sums_of_its_minutes(date: str) -> None:
    day, minutes = shown("get_daily_summary", date=date), MINUTES[date]
    assert (day["available"], day["date"], day["source"]) == (True, date, "fitbit")
    assert day["device"] == {"device_id": "device_1", "type": "watch"}
    assert day["recorded_until"] == ("12:00" if date == TODAY else "24:00")
    for name, unit in (("steps", 1), ("mets", 1), ("calories", 100)):
        hours = [sum(minutes[name][60 * hour : 60 * hour + 60]) for hour in range(24)]
        block = day[name]
        assert block["total"] == sum(minutes[name]) / unit
        assert block["daytime_total"] == sum(minutes[name][480:1200]) / unit
        assert block["max_hour"]["value"] == max(hours) / unit
        assert block["max_hour"]["time"] == f"{hours.index(max(hours)):02d}:00"


@pytest.mark.parametrize("date", [FULL_DAY, RUN_DAY, TODAY])
def test_a_day_shows_its_activity_and_its_heart(date: str) -> None:
    day, minutes = shown("get_daily_summary", date=date), MINUTES[date]
    names = ("sedentary", "lightly_active", "fairly_active", "very_active")
    spent = [minutes["intensity"].count(level) for level in range(4)]
    assert [day["activity"][f"{name}_minutes"] for name in names] == spent
    for name, part in zip(names, spent, strict=True):
        assert day["activity"][f"{name}_percent"] == rounded(Fraction(1000 * part, sum(spent))) / 10
    assert day["activity"]["azm_total"] == spent[2] + spent[3]
    rates = minutes["heart_rate"]
    heart = day["heart_rate"]
    assert (heart["max"], heart["min"]) == (max(rates), min(rates))
    assert heart["avg"] == rounded(Fraction(10 * sum(rates), len(rates))) / 10
    assert heart["resting"] == min(rounded(Fraction(sum(rates[n : n + 30]), 30)) for n in range(len(rates) - 29))
    assert [(zone["from"], zone["to"]) for zone in heart["zones"]] == [(30, 90), (90, 110), (110, 140), (140, 221)]
    for zone in heart["zones"]:
        assert zone["minutes"] == sum(zone["from"] <= rate < zone["to"] for rate in rates)
    assert sum(zone["minutes"] for zone in heart["zones"]) == day["worn_minutes"] == len(rates)


def test_goals_are_reached_from_their_value_on() -> None:
    (profile,) = sample.TABLES["profile"]
    minutes = MINUTES[RUN_DAY]
    exact = {
        "goal_steps": sum(minutes["steps"]),
        "goal_azm": sum(level >= 2 for level in minutes["intensity"]),
        "goal_calories_burn": sum(minutes["calories"]) // 100,
    }
    for more, reached in ((0, True), (1, False)):
        env = sample.environment(profile=[{**profile, **{goal: value + more for goal, value in exact.items()}}])
        day: Any = done(env, "get_daily_summary", date=RUN_DAY)
        assert day["goals"] == {"steps": reached, "AZM": reached, "calories_burn": reached}


# --- scores ----------------------------------------------------------------------------------------------------------


def scored(steps: int, kcal: int, azm: int, resting: int | None) -> tuple[int, int | None, int]:
    """The score of a day with these totals against goals of 8,000 steps, 2,200 kcal and 30 minutes."""
    day: Any = type(
        "Day", (), {"total_steps": steps, "total_calories": 100 * kcal, "azm": azm, "resting_rate": resting}
    )
    goals: Any = type("Goals", (), {"goal_steps": 8000, "goal_calories_burn": 2200, "goal_azm": 30})
    return tuple(score(day, goals))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ((8000, 2200, 30, 60), (100, 100, 100)),
        ((80_000, 9000, 300, 40), (100, 100, 100)),
        ((0, 0, 0, 60), (0, 100, 33)),
        ((4000, 1100, 15, 60), (50, 100, 67)),
        ((4000, 2200, 30, 70), (83, 80, 82)),
        ((4000, 2200, 30, None), (83, None, 83)),
        ((8000, 2200, 30, 130), (100, 0, 67)),
        ((7999, 2200, 30, None), (100, None, 100)),
        ((7900, 2178, 29, None), (98, None, 98)),
    ],
)
def test_a_score_follows_its_formula(
    day: tuple[int, int, int, int | None], expected: tuple[int, int | None, int]
) -> None:
    assert scored(*day) == expected


def test_the_rules_of_scores_are_made_of_the_constants_of_the_code() -> None:
    from services.wearables.service import SERVICE

    assert any(f"{POINTS_PER_BEAT} points less" in term for term in SERVICE.terms)
    heart = scored(8000, 2200, 30, 61)[1]
    assert heart == 100 - POINTS_PER_BEAT


# --- hours -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "name", "unit"),
    [("get_hourly_steps", "steps", 1), ("get_hourly_mets", "mets", 1), ("get_hourly_calories", "calories", 100)],
)
@pytest.mark.parametrize(("start", "end"), [(0, 24), (8, 12), (18, 19), (23, 24)])
def test_hours_are_half_open_and_show_their_minutes(tool: str, name: str, unit: int, start: int, end: int) -> None:
    result = shown(tool, date=RUN_DAY, start=start, end=end)
    assert [hour["hour"] for hour in result["hours"]] == list(range(start, end))
    for hour in result["hours"]:
        first = 60 * hour["hour"]
        assert hour["time"] == f"{hour['hour']:02d}:00"
        assert hour["value"] == sum(MINUTES[RUN_DAY][name][first : first + 60]) / unit


def test_hours_of_activity_show_minutes_by_intensity() -> None:
    result = shown("get_hourly_activity", date=RUN_DAY, start=17, end=20)
    for hour in result["hours"]:
        levels = MINUTES[RUN_DAY]["intensity"][60 * hour["hour"] : 60 * hour["hour"] + 60]
        names = ("sedentary_minutes", "lightly_active_minutes", "fairly_active_minutes", "very_active_minutes")
        assert [hour[name] for name in names] == [levels.count(level) for level in range(4)]
        assert hour["azm_total"] == levels.count(2) + levels.count(3)


# --- nights ----------------------------------------------------------------------------------------------------------


def test_a_night_shows_its_stages_and_its_uninterrupted_times() -> None:
    night = shown("get_daily_sleep_summary", date=FULL_DAY)
    assert (night["total_sleep_minutes"], night["total_sleep_hours"]) == (470, 7.83)
    spent = [night[f"{name}_minutes"] for name in ("light", "deep", "rem", "awake")]
    assert spent == [320, 60, 90, 10]
    assert [stage["stage"] for stage in night["stages"]] == ["light", "deep", "rem", "wake", "light"]
    assert night["segments"] == [
        {
            "start_time": "2025-06-09T23:00:00",
            "end_time": "2025-06-10T07:00:00",
            "duration_minutes": 480,
            "light_minutes": 320,
            "deep_minutes": 60,
            "rem_minutes": 90,
            "awake_minutes": 10,
        }
    ]
    assert night["segment_count"] == 1


def test_a_gap_in_the_sleep_makes_two_times() -> None:
    segments: list[Json] = [
        {"start": "2025-06-09T23:00:00", "minutes": 60, "stage": "light"},
        {"start": "2025-06-10T00:00:00", "minutes": 30, "stage": "deep"},
        {"start": "2025-06-10T01:00:00", "minutes": 20, "stage": "rem"},
    ]
    night: sample.Row = {
        "id": FULL_DAY,
        "segments": segments,
        "light": 60,
        "deep": 30,
        "rem": 20,
        "wake": 0,
        "asleep": 110,
    }
    result: Any = done(sample.environment(nights=[night]), "get_daily_sleep_summary", date=FULL_DAY)
    assert result["segment_count"] == 2
    assert [(s["start_time"][11:16], s["end_time"][11:16]) for s in result["segments"]] == [
        ("23:00", "00:30"),
        ("01:00", "01:20"),
    ]


# --- ranges ----------------------------------------------------------------------------------------------------------


def test_a_range_sums_up_the_days_that_are_available() -> None:
    result = shown("get_range_summary", start_date="2025-05-01", end_date=TODAY)
    dates = [date for date in wearing.DATES if date not in UNAVAILABLE]
    assert (result["dates"], result["days_count"]) == (dates, len(dates))
    totals = {date: sum(MINUTES[date]["steps"]) for date in dates}
    block = result["steps"]
    assert block["total_sum"] == sum(totals.values())
    assert block["daily_avg"] == rounded(Fraction(sum(totals.values()), len(dates)))
    most, least = max(totals.values()), min(totals.values())
    assert block["max_day"] == {"date": next(d for d in dates if totals[d] == most), "value": most}
    assert block["min_day"] == {"date": next(d for d in dates if totals[d] == least), "value": least}
    assert result["calories"]["total_sum"] == in_kcal(sum(sum(MINUTES[date]["calories"]) for date in dates))
    assert result["activity"]["azm_total"] == sum(level >= 2 for date in dates for level in MINUTES[date]["intensity"])


def test_a_range_shows_goals_and_mean_scores_of_its_days() -> None:
    env = sample.environment()
    result: Any = done(env, "get_range_summary", start_date=RUN_DAY, end_date="2025-05-16")
    days: list[Any] = [done(env, "get_daily_summary", date=goal["date"]) for goal in result["goals"]]
    assert [{"date": day["date"], **day["goals"]} for day in days] == result["goals"]
    for name, value in result["system_score"].items():
        scores = [day["system_score"][name] for day in days]
        assert value == rounded(Fraction(sum(scores), len(scores)))


def test_days_without_a_heart_score_are_left_out_of_its_mean() -> None:
    from services.wearables.scores import Score

    assert mean([Score(80, 90, 83), Score(70, None, 70)]) == Score(75, 90, 77)
    assert mean([Score(70, None, 70)]) == Score(70, None, 70)


def test_workouts_are_listed_with_id_and_duration() -> None:
    result = shown("get_sport_records", start_date="2025-05-12", end_date=TODAY)
    expected = [date for date in RUN_DAYS if date not in UNAVAILABLE]
    assert [record["start_time"][:10] for record in result["records"]] == expected
    first = result["records"][0]
    assert first == {
        "workout_id": "workout_2025-05-12",
        "sport_type": "running",
        "start_time": "2025-05-12T18:00:00",
        "end_time": "2025-05-12T18:40:00",
        "duration_minutes": 40,
        "intensity": "vigorous",
        "calories": in_kcal(sum(MINUTES[RUN_DAY]["calories"][1080:1120])),
        "azm": 40,
        "steps": 6400,
        "user_note": "",
    }
    assert shown("get_sport_records", start_date="2025-05-13", end_date="2025-05-14")["records"] == []


# --- what is not available -------------------------------------------------------------------------------------------

ON_A_DAY: dict[str, dict[str, Json]] = {
    "get_daily_summary": {},
    "get_daily_sleep_summary": {},
    "get_hourly_steps": {"start": 0, "end": 24},
    "get_hourly_calories": {"start": 0, "end": 24},
    "get_hourly_mets": {"start": 0, "end": 24},
    "get_hourly_activity": {"start": 0, "end": 24},
}


@pytest.mark.parametrize("date", [*UNAVAILABLE, "2025-05-11", "2025-06-11", "1999-01-01"])
@pytest.mark.parametrize("tool", ON_A_DAY)
def test_what_is_not_available_is_told_without_a_reason(tool: str, date: str) -> None:
    assert shown(tool, date=date, **ON_A_DAY[tool]) == {"available": False, "date": date}


@pytest.mark.parametrize("date", ["2025-05-19", TODAY])
def test_a_night_that_was_not_recorded_or_is_not_over_is_not_available(date: str) -> None:
    assert shown("get_daily_summary", date=date)["available"] is True
    assert shown("get_daily_sleep_summary", date=date) == {"available": False, "date": date}


@pytest.mark.parametrize("tool", ["get_range_summary", "get_sport_records"])
def test_a_range_without_an_available_day_is_not_available(tool: str) -> None:
    for first, last in ((MISSING, MISSING), (OURA_DAYS[0], OURA_DAYS[-1]), ("2025-06-11", "2025-07-01")):
        assert shown(tool, start_date=first, end_date=last) == {
            "available": False,
            "start_date": first,
            "end_date": last,
        }


def reconnected(env: Environment, source: str, allow: bool) -> Environment:
    done(env, "update_source", "user", source_name=source, allow=allow)
    return env


@pytest.mark.parametrize("tool", ON_A_DAY)
def test_days_follow_the_connection_of_the_source_that_recorded_them(tool: str) -> None:
    env = reconnected(sample.environment(), "oura", True)
    result = env.call(tool, {"date": OURA_DAYS[0], **ON_A_DAY[tool]})
    assert result["available"] is True
    assert env.call(tool, {"date": MISSING, **ON_A_DAY[tool]})["available"] is False
    reconnected(env, "fitbit", False)
    assert env.call(tool, {"date": FULL_DAY, **ON_A_DAY[tool]})["available"] is False
    assert env.call(tool, {"date": OURA_DAYS[0], **ON_A_DAY[tool]}) == result


def test_ranges_follow_the_connections_too() -> None:
    env = reconnected(reconnected(sample.environment(), "oura", True), "fitbit", False)
    result: Any = done(env, "get_range_summary", start_date="2025-05-12", end_date=TODAY)
    assert result["dates"] == list(OURA_DAYS)
    assert result["steps"]["total_sum"] == sum(sum(MINUTES[date]["steps"]) for date in OURA_DAYS)
    records: Any = done(env, "get_sport_records", start_date="2025-05-12", end_date=TODAY)
    assert {record["start_time"][:10] for record in records["records"]} == {*OURA_DAYS}.intersection(RUN_DAYS)


# --- records of days -------------------------------------------------------------------------------------------------


def day(rates: list[int], length: int = 1440) -> WearableDay:
    """A day with these heart rates, the rest not worn."""
    rate = bytes(rates + [0] * (length - len(rates)))
    return day_of("2025-06-01", of_bytes(bytes(length), bytes([10]) * length, bytes(length), rate, bytes(2 * length)))


def test_a_resting_rate_needs_half_an_hour_without_a_gap() -> None:
    assert day([60] * (REST_MINUTES - 1)).resting_rate is None
    assert day([60] * REST_MINUTES).resting_rate == 60
    assert day([60] * 29 + [0] + [70] * 30).resting_rate == 70
    assert day([61, 62] * 15).resting_rate == 62  # 61.5, half up
    assert day([90] * 100 + [55] * 30 + [40] * 5).resting_rate == 53  # 25 of 55 and 5 of 40
    assert day([]).resting_rate is None and day([]).average_rate is None and day([]).worn == 0


def test_a_day_that_has_just_begun_has_no_minutes() -> None:
    empty = day([], length=0)
    assert (empty.minutes, empty.total_steps, sum(empty.sedentary)) == (0, 0, 0)
    assert day([], length=61).sedentary[:3] == (60, 1, 0)
