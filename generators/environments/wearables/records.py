"""From signals, of a modelled body or read from files, to the records of wearables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from generators.environments.wearables.physiology.signals import METRICS
from services.runtime.blobs import described
from services.wearables.records import Night, Segment, Signal, WearableDay, Workout
from services.wearables.signals import day_of, of_bytes

if TYPE_CHECKING:
    from generators.environments.wearables.physiology import Signals
    from generators.environments.wearables.physiology.signals import Day
    from generators.environments.wearables.physiology.signals import Night as Slept
    from generators.environments.wearables.physiology.signals import Workout as Done


DERIVED = ("intensity", "calories")


def signals_of(signals: Signals, *, modelled: bool = True) -> tuple[list[Signal], dict[str, bytes]]:
    """Return the records that describe the series of a window, and the series, by name.

    What is modelled follows from the METs; a file brings intensities and calories of its own.
    """
    first, series = signals.days[0].date, {metric: signals.joined(metric) for metric in METRICS}
    records = [
        Signal(
            id=metric,
            first_day=first,
            derived=modelled and metric in DERIVED,
            **described(series[metric], "u8" if width == 1 else "u16"),  # type: ignore[arg-type]
        )
        for metric, width in METRICS.items()
    ]
    return records, {**series}


def wearable_day(day: Day) -> WearableDay:
    """Return the record of a day; heart rates that a file tells of the whole day alone stand as they are told."""
    record = day_of(day.date, of_bytes(day.steps, day.mets, day.intensity, day.heart_rate, day.calories))
    heart = day.heart
    if heart is None:
        return record
    below, fat_burn, cardio, peak = heart.zone_minutes
    return replace(
        record,
        worn=below + fat_burn + cardio + peak,
        resting_rate=heart.resting,
        average_rate=heart.average_tenths,
        highest_rate=heart.highest,
        lowest_rate=heart.lowest,
        zone_below=below,
        zone_fat_burn=fat_burn,
        zone_cardio=cardio,
        zone_peak=peak,
        by_minute=False,
    )


def night_of(night: Slept) -> Night:
    """Return the record of a night."""
    return Night(
        id=night.date,
        segments=tuple(Segment(start=s.start, minutes=s.minutes, stage=s.stage) for s in night.segments),
        light=night.light,
        deep=night.deep,
        rem=night.rem,
        wake=night.wake,
        asleep=night.asleep,
    )


def workout_of(key: str, workout: Done) -> Workout:
    """Return the record of a workout."""
    return Workout(
        id=key,
        sport=workout.sport,
        start=workout.start,
        end=workout.end,
        intensity=workout.intensity,
        calories=workout.calories,
        azm=workout.azm,
        steps=workout.steps,
        note=workout.note,
    )
