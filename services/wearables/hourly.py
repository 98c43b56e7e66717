"""The hours of one day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from msgspec import Meta

from schemas.base import Json
from services.moments import DATE_ERROR, day_of
from services.runtime.tools import Context, tool
from services.wearables.daily import recorded, whole
from services.wearables.shown import Day, hour, kcal

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.wearables.records import Hours, WearableDay

Start: TypeAlias = Annotated[int, Meta(ge=0, le=23, description="First hour, 0 to 23.")]
End: TypeAlias = Annotated[int, Meta(ge=1, le=24, description="Hour before which to stop, 1 to 24.")]
_ERRORS = {**DATE_ERROR, "INVALID_RANGE": "The hours end before they start."}
_EXAMPLE: dict[str, Json] = {"date": "2025-05-12", "start": 8, "end": 12}


def check_hours(c: Context, date: str, start: int, end: int) -> None:
    """Refuse a day that is none, and hours that end before they start."""
    day_of(c, date)
    if end <= start:
        c.refuse("INVALID_RANGE", f"The hours end at {end}, not after they start at {start}.")


def _over(day: WearableDay, start: int, end: int) -> range:
    """Return the hours asked for that have begun."""
    return range(start, min(end, -(-day.minutes // 60)))


def _hours(
    c: Context,
    date: str,
    start: int,
    end: int,
    of: Callable[[WearableDay], Hours],
    unit: str,
    shown: Callable[[int], Json] = whole,
) -> dict[str, Json]:
    day = recorded(c, date)
    values = of(day)
    return {
        "available": True,
        "date": date,
        "unit": unit,
        "hours": [{"hour": n, "time": hour(n), "value": shown(values[n])} for n in _over(day, start, end)],
    }


@tool(side="assistant", gates=("DATA",), errors=_ERRORS, before=check_hours, example=_EXAMPLE)
def get_hourly_steps(c: Context, date: Day, start: Start, end: End) -> dict[str, Json]:
    """Return the steps of each hour of a day from `start` to before `end`.

    `available`; when true also `date`, `unit` and `hours` [{hour, time, value}], each from its time to an hour later;
    hours that have not begun are left out.
    """
    return _hours(c, date, start, end, lambda day: day.steps, "steps")


@tool(side="assistant", gates=("DATA",), errors=_ERRORS, before=check_hours, example=_EXAMPLE)
def get_hourly_calories(c: Context, date: Day, start: Start, end: End) -> dict[str, Json]:
    """Return the kcal burned in each hour of a day from `start` to before `end`, resting energy included.

    `available`; when true also `date`, `unit` and `hours` [{hour, time, value}], each from its time to an hour later;
    hours that have not begun are left out.
    """
    return _hours(c, date, start, end, lambda day: day.calories, "kcal", kcal)


@tool(side="assistant", gates=("DATA",), errors=_ERRORS, before=check_hours, example=_EXAMPLE)
def get_hourly_mets(c: Context, date: Day, start: Start, end: End) -> dict[str, Json]:
    """Return the METs of each hour of a day from `start` to before `end`, summed over its minutes in tenths of a MET.

    `available`; when true also `date`, `unit` and `hours` [{hour, time, value}], each from its time to an hour later;
    an hour of rest has 600; hours that have not begun are left out.
    """
    return _hours(c, date, start, end, lambda day: day.mets, "tenths of a MET, summed over minutes")


@tool(side="assistant", gates=("DATA",), errors=_ERRORS, before=check_hours, example=_EXAMPLE)
def get_hourly_activity(c: Context, date: Day, start: Start, end: End) -> dict[str, Json]:
    """Return the minutes by intensity of each hour of a day from `start` to before `end`.

    `available`; when true also `date` and `hours` [{hour, time, sedentary_minutes, lightly_active_minutes,
    fairly_active_minutes, very_active_minutes, azm_total}], each from its time to an hour later; hours that have not
    begun are left out.
    """
    day = recorded(c, date)
    return {
        "available": True,
        "date": date,
        "hours": [
            {
                "hour": n,
                "time": hour(n),
                "sedentary_minutes": day.sedentary[n],
                "lightly_active_minutes": day.light[n],
                "fairly_active_minutes": day.fairly[n],
                "very_active_minutes": day.very[n],
                "azm_total": day.fairly[n] + day.very[n],
            }
            for n in _over(day, start, end)
        ],
    }
