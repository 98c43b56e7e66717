"""One day summed up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import Json
from services.account.records import Device, Profile
from services.moments import DATE_ERROR, clock_at
from services.numbers import tenths
from services.runtime.tools import Context, tool
from services.wearables.records import Night, SourceDay, WearableDay
from services.wearables.scores import reached, score
from services.wearables.shown import DAYTIME, ZONES, Day, check_day, half_up, hour, kcal, later, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from services.wearables.records import Hours, Segment


def profile_of(c: Context) -> Profile:
    """Return the profile, which holds the daily goals."""
    profile = c.get(Profile, "profile")
    if profile is None:
        c.refuse("PROFILE_NOT_FOUND", "This account has no profile.")
    return profile


def recorded(c: Context, date: str) -> WearableDay:
    """Return the record of a day of which a gate has made sure that it is there."""
    day = c.get(WearableDay, date)
    if day is None:
        msg = f"{date} is said to be recorded, and there is no record of it"
        raise LookupError(msg)
    return day


def whole(value: int) -> Json:
    """Return a count as it is."""
    return value


def _metric(hours: Hours, total: int, shown: Callable[[int], Json]) -> dict[str, Json]:
    most = max(range(len(hours)), key=hours.__getitem__)
    return {
        "total": shown(total),
        "daytime_total": shown(sum(hours[slice(*DAYTIME)])),
        "max_hour": {"time": hour(most), "value": shown(hours[most])},
    }


def activity(sedentary: int, light: int, fairly: int, very: int) -> dict[str, Json]:
    """Return minutes by intensity, and their shares."""
    minutes = sedentary + light + fairly + very
    return {
        "sedentary_minutes": sedentary,
        "lightly_active_minutes": light,
        "fairly_active_minutes": fairly,
        "very_active_minutes": very,
        "sedentary_percent": percent(sedentary, minutes),
        "lightly_active_percent": percent(light, minutes),
        "fairly_active_percent": percent(fairly, minutes),
        "very_active_percent": percent(very, minutes),
        "azm_total": fairly + very,
    }


def _heart(day: WearableDay) -> Json:
    if day.average_rate is None:
        return None
    minutes = (day.zone_below, day.zone_fat_burn, day.zone_cardio, day.zone_peak)
    return {
        "resting": day.resting_rate,
        "avg": tenths(day.average_rate),
        "max": day.highest_rate,
        "min": day.lowest_rate,
        "zones": [
            {"name": zone.name, "from": zone.low, "to": zone.high, "minutes": spent}
            for zone, spent in zip(ZONES, minutes, strict=True)
        ],
    }


@tool(
    side="assistant",
    gates=("DATA",),
    errors={
        **DATE_ERROR,
        "PROFILE_NOT_FOUND": "The account has no profile record, which holds the goals.",
    },
    before=check_day,
    example={"date": "2025-05-12"},
)
def get_daily_summary(c: Context, date: Day) -> dict[str, Json]:
    """Return what was recorded on one day: source, device, steps, calories, METs, activity, heart rate, goals, score.

    `available`; when true also `date`, `source`, `device` {device_id, type}, `recorded_until` (24:00, or the minute it
    is now on today), `worn_minutes`, `steps`, `calories` (kcal) and `mets` (tenths of a MET: 10 a minute at rest), each
    {total, daytime_total from 08:00 to 20:00, max_hour {time, value}, the first of equal ones}, `activity` (minutes and
    percent of them sedentary, lightly, fairly and very active; azm_total, the fairly and very active minutes),
    `heart_rate` (resting, avg, max, min in beats a minute, zones [{name, from, to (not included), minutes}]; null when
    no device was worn), `goals` (whether each daily goal was reached) and `system_score` {activity_score, hr_score,
    overall}.
    """
    day, profile, source = recorded(c, date), profile_of(c), c.get(SourceDay, date)
    device = c.get(Device, source.device) if source is not None and source.device is not None else None
    goals: dict[str, Json] = {**reached(day, profile)}
    return {
        "available": True,
        "date": date,
        "source": source.source if source is not None else None,
        "device": None if device is None else {"device_id": device.id, "type": device.type},
        "recorded_until": clock_at(day.minutes),
        "worn_minutes": day.worn,
        "steps": _metric(day.steps, day.total_steps, whole),
        "calories": _metric(day.calories, day.total_calories, kcal),
        "mets": _metric(day.mets, day.total_mets, whole),
        "activity": activity(sum(day.sedentary), sum(day.light), sum(day.fairly), sum(day.very)),
        "heart_rate": _heart(day),
        "goals": goals,
        "system_score": {**score(day, profile).shown()},
    }


@tool(
    side="assistant",
    gates=("DATA", "NIGHT"),
    errors=DATE_ERROR,
    before=check_day,
    example={"date": "2025-05-12"},
)
def get_daily_sleep_summary(c: Context, date: Day) -> dict[str, Json]:
    """Return the sleep of the night that begins on a day: what began between 08:00 of that day and 08:00 of the next.

    `available`; when true also `date`, `total_sleep_minutes`, `total_sleep_hours`, `light_minutes`, `deep_minutes`,
    `rem_minutes`, `awake_minutes` (between falling asleep and rising), `segment_count` and `segments`, the
    uninterrupted times in bed asleep or awake [{start_time, end_time, duration_minutes, and minutes of each stage}],
    and `stages` [{start_time, minutes, stage}].
    """
    night = c.get(Night, date)
    if night is None:
        msg = f"the night of {date} is said to be recorded, and there is no record of it"
        raise LookupError(msg)
    episodes = [*map(_episode, _episodes(night.segments))]
    return {
        "available": True,
        "date": date,
        "total_sleep_minutes": night.asleep,
        "total_sleep_hours": half_up(100 * night.asleep, 60) / 100,
        "light_minutes": night.light,
        "deep_minutes": night.deep,
        "rem_minutes": night.rem,
        "awake_minutes": night.wake,
        "segment_count": len(episodes),
        "segments": [*episodes],
        "stages": [{"start_time": s.start, "minutes": s.minutes, "stage": s.stage} for s in night.segments],
    }


def _episodes(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return segments in groups that follow each other without a gap."""
    groups: list[list[Segment]] = []
    end = ""
    for segment in segments:
        if segment.start != end:
            groups.append([])
        groups[-1].append(segment)
        end = later(segment.start, segment.minutes)
    return groups


def _episode(segments: Sequence[Segment]) -> dict[str, Json]:
    spent = {stage: sum(s.minutes for s in segments if s.stage == stage) for stage in ("light", "deep", "rem", "wake")}
    return {
        "start_time": segments[0].start,
        "end_time": later(segments[-1].start, segments[-1].minutes),
        "duration_minutes": sum(s.minutes for s in segments),
        "light_minutes": spent["light"],
        "deep_minutes": spent["deep"],
        "rem_minutes": spent["rem"],
        "awake_minutes": spent["wake"],
    }
