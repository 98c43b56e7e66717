"""What tools say of the whole window is what its minutes add up to: hours are days, and days are the range."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from validators.wearables.arrays import rows_by_id, window_of
from validators.wearables.days import total_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from schemas.base import Json
    from services.runtime.environment import Environment
    from validators.environments.context import Case
    from validators.wearables.arrays import Window

_METRICS = {"steps": 1, "calories": 100, "mets": 1}
"""Metric -> what the records hold of it for one unit that tools show."""


def sum_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield a fault unless hours, days and the range of all days agree with the arrays, every source connected."""
    window, days = window_of(case), rows_by_id(case.record, "wearable_days")
    if window is None or not days:
        return
    env = case.open()
    for source in rows_by_id(case.record, "sources"):
        env.call("update_source", {"source_name": source, "allow": True}, side="user")
    shown = env.call("get_range_summary", {"start_date": window.days[0], "end_date": window.days[-1]})
    if shown.get("available") is not True or shown.get("dates") != sorted(days):
        yield f"with every source connected the range shows {shown.get('dates')}, recorded are {sorted(days)}"
        return
    tally["ranges"] += 1
    numbers = [number for number, date in enumerate(window.days) if date in days]
    for metric, scale in _METRICS.items():
        minutes = int(window.series[metric][numbers].sum())
        hours = sum(total_of(row, metric) for row in days.values())
        block = cast("dict[str, Json]", shown[metric])
        if not minutes == hours == round(cast("float", block["total_sum"]) * scale):
            yield f"{metric}: minutes sum to {minutes}, hours to {hours}, the range shows {block['total_sum']}"
    activity = cast("dict[str, Json]", shown["activity"])
    azm = int((window.series["intensity"][numbers] >= 2).sum())
    if activity["azm_total"] != azm:
        yield f"active zone minutes: {azm} minutes, the range shows {activity['azm_total']}"
    yield from _day_faults(env, window, numbers[-1])


def _day_faults(env: Environment, window: Window, number: int) -> Iterator[str]:
    """Yield a fault unless the last day, its hours and its minutes are the same through the tools."""
    date = window.days[number]
    steps = int(window.series["steps"][number].sum())
    summary = env.call("get_daily_summary", {"date": date})
    hourly = env.call("get_hourly_steps", {"date": date, "start": 0, "end": 24})
    hours = cast("list[dict[str, int]]", hourly.get("hours", []))
    whole = cast("dict[str, Json]", summary.get("steps", {})).get("total")
    if whole != steps or sum(hour["value"] for hour in hours) != steps:
        yield f"{date}: minutes have {steps} steps, the day shows {whole}, its hours {sum(h['value'] for h in hours)}"
