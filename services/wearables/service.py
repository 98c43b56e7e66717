"""Tools, gate and tables of wearables."""

from __future__ import annotations

from services.runtime.declare import Service, Table
from services.wearables.daily import get_daily_sleep_summary, get_daily_summary
from services.wearables.gates import GATES
from services.wearables.hourly import get_hourly_activity, get_hourly_calories, get_hourly_mets, get_hourly_steps
from services.wearables.invariants import INVARIANTS
from services.wearables.ranges import get_range_summary, get_sport_records
from services.wearables.records import Night, Signal, SourceDay, WearableDay, Workout
from services.wearables.scores import TERMS

SERVICE = Service(
    name="wearables",
    summary="Steps, calories, METs, activity, heart rate, sleep and workouts that the user's devices recorded.",
    family="wearable",
    tables=(
        Table("signals", Signal, "signal", observed=("first_day",)),
        Table(
            "source_days",
            SourceDay,
            "day",
            references={"source": "sources", "device": "devices"},
            hidden=True,
            observed=("id",),
        ),
        Table("wearable_days", WearableDay, "wday", references={"id": "source_days"}, observed=("id",)),
        Table("nights", Night, "night", references={"id": "source_days"}, observed=("id",)),
        Table("workouts", Workout, "workout", observed=("start", "end")),
    ),
    tools=(
        get_daily_summary,
        get_range_summary,
        get_hourly_steps,
        get_hourly_calories,
        get_hourly_mets,
        get_hourly_activity,
        get_daily_sleep_summary,
        get_sport_records,
    ),
    gates=GATES,
    invariants=INVARIANTS,
    terms=TERMS,
)
