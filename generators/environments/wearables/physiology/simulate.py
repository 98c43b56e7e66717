"""The door of the model: a month of one person's signals from habits and a stream, and from nothing else."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from generators.environments.moments import iso_day
from generators.environments.wearables.physiology.body import body
from generators.environments.wearables.physiology.conditions import draw_conditions, draw_devices
from generators.environments.wearables.physiology.exertion import exert
from generators.environments.wearables.physiology.heart import beat
from generators.environments.wearables.physiology.movement import move
from generators.environments.wearables.physiology.plan import make_plan
from generators.environments.wearables.physiology.remarks import draw_remark
from generators.environments.wearables.physiology.signals import (
    MINUTES,
    STEPS_MOST,
    Day,
    Night,
    Segment,
    Signals,
    Workout,
    calories_of,
    intensity_of,
    workout_intensity,
)
from generators.environments.wearables.physiology.wear import worn_minutes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from generators.environments.wearables.physiology.habits import Habits
    from generators.environments.wearables.physiology.movement import Ints
    from generators.environments.wearables.physiology.person import Person
    from generators.environments.wearables.physiology.plan import Bout, Plan
    from generators.environments.wearables.physiology.sleep import Sleep
    from services.runtime.streams import Stream

_NIGHT_FROM = 8 * 60
"""Minute of the day at which the sleep of one night ends to count, and that of the next begins."""
_REST = 10


@cache
def _intensities() -> Ints:
    return np.array([intensity_of(mets) for mets in range(256)], np.int32)


@cache
def _energies(weight_kg: int) -> Ints:
    return np.array([calories_of(mets, weight_kg) for mets in range(256)], np.int32)


def simulate(person: Person, habits: Habits, days: Sequence[dt.date], now: dt.datetime, stream: Stream) -> Signals:
    """Return what a person's devices recorded on `days`, which follow each other, up to `now`.

    It depends on the arguments only: neither on other users nor on the order of calls. Nothing is later than `now`:
    a workout or a night that is not over is not recorded yet. Raise ValueError when the days do not follow each other.
    """
    first = days[0].toordinal() - 1
    if [day.toordinal() for day in days] != list(range(first + 1, first + 1 + len(days))):
        msg = f"days must follow each other: {days[0]} to {days[-1]} in {len(days)} days"
        raise ValueError(msg)
    lived = len(days) + 1
    over = (now.toordinal() - first) * MINUTES + now.hour * 60 + now.minute
    length = max(MINUTES, min(lived * MINUTES, over))
    conditions = draw_conditions(lived, stream.child("conditions"))
    devices: list[int | None] = [0, *draw_devices(len(days), stream.child("devices"))]
    plan = make_plan(person, habits, conditions, first, length, stream.child("plan"))
    steps, mets = move(person, habits, conditions, plan, length, stream.child("movement"))
    extra = np.zeros(length, np.int32)
    for start, end in plan.in_bed:
        steps[start:end], mets[start:end] = 0, _REST
    for bout in plan.bouts:
        exert(bout, person, steps, mets, extra, stream.child("bout", bout.start + first * MINUTES))
    rate = beat(person, mets, extra, conditions, plan, stream.child("heart"))
    _count(steps, devices, stream.child("gain"))
    worn = worn_minutes(habits.wear, devices, plan, length, stream.child("wear"))
    steps, mets, rate = steps * worn, np.where(worn, mets, _REST), rate * worn
    shown = _days(days, devices[1:], steps, mets, rate, person.weight_kg)
    return Signals(
        days=shown,
        nights=tuple(_nights(plan, days, worn)),
        workouts=tuple(
            _workout(bout, first, steps, mets, _energies(person.weight_kg), stream)
            for bout in plan.bouts
            if bout.start >= MINUTES and bout.end <= length and worn[bout.start : bout.end].all()
        ),
    )


def _count(steps: Ints, devices: Sequence[int | None], stream: Stream) -> None:
    """Let each device count a little more or less than there was."""
    low, high = body().wear.gain
    gains = [stream.between(low, high) for _ in range(2)]
    for day, device in enumerate(devices):
        span = slice(day * MINUTES, (day + 1) * MINUTES)
        steps[span] = np.minimum(steps[span] * gains[device or 0] // 100, STEPS_MOST)


def _days(
    days: Sequence[dt.date], devices: Sequence[int | None], steps: Ints, mets: Ints, rate: Ints, weight_kg: int
) -> tuple[Day, ...]:
    intensity, energy = _intensities()[mets], _energies(weight_kg)[mets]
    found: list[Day] = []
    for number, (day, device) in enumerate(zip(days, devices, strict=True), 1):
        span = slice(number * MINUTES, (number + 1) * MINUTES)
        found.append(
            Day(
                date=day.isoformat(),
                device=device,
                steps=_bytes(steps[span]),
                mets=_bytes(mets[span]),
                intensity=_bytes(intensity[span]),
                heart_rate=_bytes(rate[span]),
                calories=energy[span].astype("<u2").tobytes(),
            )
        )
    return tuple(found)


def _bytes(series: Ints) -> bytes:
    return series.astype(np.uint8).tobytes()


def _workout(bout: Bout, first: int, steps: Ints, mets: Ints, energies: Ints, stream: Stream) -> Workout:
    done = mets[bout.start : bout.end]
    intensity = workout_intensity(int(done.sum()), len(done))
    return Workout(
        sport=bout.sport,
        start=_time(bout.start, first),
        end=_time(bout.end, first),
        intensity=intensity,
        calories=int(energies[done].sum()),
        azm=int((_intensities()[done] >= 2).sum()),
        steps=int(steps[bout.start : bout.end].sum()),
        note=draw_remark(intensity, stream.child("remark", bout.start + first * MINUTES)),
    )


def _nights(plan: Plan, days: Sequence[dt.date], worn: npt.NDArray[np.bool_]) -> list[Night]:
    """Return the nights of which every minute is over and was recorded, with at least one main sleep."""
    first = days[0].toordinal() - 1
    by_night: dict[int, list[Sleep]] = {}
    for sleep in plan.sleeps:
        by_night.setdefault((sleep.start - _NIGHT_FROM) // MINUTES, []).append(sleep)
    return [
        _night(days[night - 1], sleeps, first)
        for night, sleeps in sorted(by_night.items())
        if night >= 1 and any(sleep.main for sleep in sleeps) and all(_recorded(sleep, worn) for sleep in sleeps)
    ]


def _recorded(sleep: Sleep, worn: npt.NDArray[np.bool_]) -> bool:
    return sleep.end <= len(worn) and bool(worn[sleep.start : sleep.end].all())


def _night(day: dt.date, sleeps: Sequence[Sleep], first: int) -> Night:
    segments: list[Segment] = []
    minutes = dict.fromkeys(("light", "deep", "rem", "wake"), 0)
    for sleep in sleeps:
        at = sleep.start
        for stage, length in sleep.stages:
            segments.append(Segment(_time(at, first), length, stage))
            minutes[stage] += length
            at += length
    return Night(day.isoformat(), tuple(segments), **minutes)


def _time(minute: int, first: int) -> str:
    day, rest = divmod(minute, MINUTES)
    return f"{iso_day(first + day)}T{rest // 60:02d}:{rest % 60:02d}:00"
