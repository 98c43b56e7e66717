"""Refusals of wearables and sources."""

from __future__ import annotations

from collections.abc import Callable

from schemas.base import Json
from services.runtime.environment import Environment
from services.sources.platforms import FAMILY
from tests.services import sample
from tests.services.refusals import Case, made

RAW_GIVEN = sample.permissions(raw_data=True)
DAY: dict[str, Json] = {"date": "2025-06-09"}
HOURS: dict[str, Json] = {**DAY, "start": 8, "end": 12}
MAY: dict[str, Json] = {"start_date": "2025-05-12", "end_date": "2025-05-31"}
WRONG_DAYS = ("2025-02-30", "20250609", "today", "2025-6-9", "")
HOURLY = ("get_hourly_steps", "get_hourly_calories", "get_hourly_mets", "get_hourly_activity")
INTRADAY = ("get_intraday_steps", "get_intraday_calories", "get_intraday_mets", "get_intraday_intensities")
PLANS: dict[str, dict[str, Json]] = {
    "create_activity_plan": {"goal_type": "steps", "value": 1},
    "get_activity_plan": {},
}


SOURCE = FAMILY.members[0]
"""The source for which the catalogue samples the tools of sources."""


def of_source(connected: bool = True, raw: bool = True) -> Callable[[], Environment]:
    """Return a maker of environments in which the user has this source."""
    return made(sources=[{"id": SOURCE, "connected": connected}], permissions=sample.permissions(raw_data=raw))


CASES = [
    *(
        Case(tool, "INVALID_DATE", {"date": day})
        for tool in ("get_daily_summary", "get_daily_sleep_summary")
        for day in WRONG_DAYS
    ),
    Case("get_daily_summary", "PROFILE_NOT_FOUND", DAY, made(profile=[])),
    *(Case(tool, "INVALID_DATE", {**HOURS, "date": day}) for tool in HOURLY for day in WRONG_DAYS),
    *(
        Case(tool, "INVALID_RANGE", {**DAY, "start": start, "end": end})
        for tool in HOURLY
        for start, end in ((12, 12), (23, 1))
    ),
    *(
        Case(tool, "INVALID_DATE", {**MAY, name: day})
        for tool in ("get_range_summary", "get_sport_records")
        for name in MAY
        for day in WRONG_DAYS
    ),
    *(
        Case(tool, "INVALID_RANGE", {"start_date": "2025-05-31", "end_date": "2025-05-30"})
        for tool in ("get_range_summary", "get_sport_records")
    ),
    Case("get_range_summary", "PROFILE_NOT_FOUND", MAY, made(profile=[])),
    *(Case("get_source_features", "SOURCE_NOT_FOUND", {"source_name": name}) for name in ("withings", "", "FITBIT")),
    Case("get_source_features", "PERMISSION_DENIED", {"source_name": "fitbit"}),
    Case("get_source_features", "PERMISSION_DENIED", {"source_name": "oura"}),
    Case("get_source_features", "SOURCE_NOT_CONNECTED", {"source_name": "oura"}, made(permissions=RAW_GIVEN)),
    Case("update_source", "SOURCE_NOT_FOUND", {"source_name": "withings", "allow": False}),
    *(
        Case(f"{SOURCE}-{tool}", "PERMISSION_DENIED", arguments, of_source(raw=False))
        for tool, arguments in (*((name, DAY) for name in INTRADAY), *PLANS.items())
    ),
    *(
        Case(f"{SOURCE}-{tool}", "SOURCE_NOT_CONNECTED", arguments, of_source(connected=False))
        for tool, arguments in (*((name, DAY) for name in INTRADAY), *PLANS.items())
    ),
    *(Case(f"{SOURCE}-{tool}", "INVALID_DATE", {"date": day}, of_source()) for tool in INTRADAY for day in WRONG_DAYS),
    *(
        Case(f"{SOURCE}-{tool}", "INVALID_TIME", {**DAY, **window}, of_source())
        for tool in INTRADAY
        for window in ({"start": "7:00"}, {"end": "24:01"}, {"start": "24:00"}, {"start": "09:60"}, {"end": "noon"})
    ),
    *(
        Case(f"{SOURCE}-{tool}", "INVALID_RANGE", {**DAY, **window}, of_source())
        for tool in INTRADAY
        for window in ({"start": "09:00", "end": "09:00"}, {"start": "10:00", "end": "09:00"}, {"end": "00:00"})
    ),
]
