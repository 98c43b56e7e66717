"""Ranges of days summed up, and the workouts in them: only days that may be seen count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import Json
from services.account.records import Source
from services.moments import RANGE_ERRORS
from services.runtime.tools import Context, tool
from services.wearables.daily import activity, profile_of, recorded, whole
from services.wearables.records import SourceDay, Workout
from services.wearables.scores import mean, reached, score
from services.wearables.shown import FirstDay, LastDay, check_range, half_up, kcal, minutes_between

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from services.wearables.records import WearableDay

_EXAMPLE: dict[str, Json] = {"start_date": "2025-05-01", "end_date": "2025-05-31"}


def seen_days(c: Context, first: str, last: str) -> list[str]:
    """Return the days of a range that a connected source recorded, in order."""
    connected = {source.id for source in c.all(Source) if source.connected}
    return sorted(day.id for day in c.all(SourceDay) if first <= day.id <= last and day.source in connected)


def _metric(
    days: Sequence[WearableDay], of: Callable[[WearableDay], int], shown: Callable[[int], Json]
) -> dict[str, Json]:
    values = [(of(day), day.id) for day in days]
    total = sum(value for value, _ in values)
    most, least = max(values, key=lambda pair: pair[0]), min(values, key=lambda pair: pair[0])
    return {
        "total_sum": shown(total),
        "daily_avg": shown(half_up(total, len(values))),
        "max_day": {"date": most[1], "value": shown(most[0])},
        "min_day": {"date": least[1], "value": shown(least[0])},
    }


@tool(
    side="assistant",
    gates=("DATA_RANGE",),
    errors={**RANGE_ERRORS, "PROFILE_NOT_FOUND": "The account has no profile record, which holds the goals."},
    before=check_range,
    example=_EXAMPLE,
)
def get_range_summary(c: Context, start_date: FirstDay, end_date: LastDay) -> dict[str, Json]:
    """Sum up a range of days, both ends included: steps, calories, METs, activity, goals and scores of the days in it.

    `available`; when true also `start_date`, `end_date`, `days_count` and `dates`, the days that are available and that
    all else is about, `steps`, `calories` (kcal) and `mets` (tenths of a MET), each {total_sum, daily_avg rounded half
    up, max_day and min_day {date, value}, the first of equal ones}, `activity` (minutes by intensity over these days,
    and percent of them; azm_total), `goals` [{date, and whether each daily goal was reached}] and `system_score`, the
    means of the days' scores {activity_score, hr_score, overall}. Today counts as far as it goes.
    """
    profile = profile_of(c)
    days = [recorded(c, date) for date in seen_days(c, start_date, end_date)]
    return {
        "available": True,
        "start_date": start_date,
        "end_date": end_date,
        "days_count": len(days),
        "dates": [day.id for day in days],
        "steps": _metric(days, lambda day: day.total_steps, whole),
        "calories": _metric(days, lambda day: day.total_calories, kcal),
        "mets": _metric(days, lambda day: day.total_mets, whole),
        "activity": activity(
            sum(sum(day.sedentary) for day in days),
            sum(sum(day.light) for day in days),
            sum(sum(day.fairly) for day in days),
            sum(sum(day.very) for day in days),
        ),
        "goals": [{"date": day.id, **reached(day, profile)} for day in days],
        "system_score": {**mean(score(day, profile) for day in days).shown()},
    }


def _show(workout: Workout) -> dict[str, Json]:
    return {
        "workout_id": workout.id,
        "sport_type": workout.sport,
        "start_time": workout.start,
        "end_time": workout.end,
        "duration_minutes": minutes_between(workout.start, workout.end),
        "intensity": workout.intensity,
        "calories": kcal(workout.calories),
        "azm": workout.azm,
        "steps": workout.steps,
        "user_note": workout.note,
    }


@tool(side="assistant", gates=("DATA_RANGE",), errors=RANGE_ERRORS, before=check_range, example=_EXAMPLE)
def get_sport_records(c: Context, start_date: FirstDay, end_date: LastDay) -> dict[str, Json]:
    """List the workouts that began within a range of days, both ends included, oldest first.

    `available`; when true also `dates`, the days of the range that are available and whose workouts are listed, and
    `records` [{workout_id, sport_type, start_time, end_time, duration_minutes, intensity: light, moderate or vigorous,
    calories in kcal, azm (active zone minutes), steps, user_note}].
    """
    dates = seen_days(c, start_date, end_date)
    known = frozenset(dates)
    found = sorted((w for w in c.all(Workout) if w.start[:10] in known), key=lambda w: (w.start, w.id))
    return {"available": True, "dates": [*dates], "records": [_show(workout) for workout in found]}
