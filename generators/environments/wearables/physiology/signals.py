"""What a body and its devices leave behind over a window of days: minute arrays, workouts, nights. Integers only.

The format, shared by the model and by the reader of export files:

- A day has as many minutes as are over: 1,440, or on the day of `now` the minutes before it. Minute m is [m, m + 1)
  after 00:00. Each series is raw bytes, one unsigned byte a minute, calories two in little-endian order, so that the
  series of all days joined are what is published.
- `steps` 0..250. `mets` in tenths, 10 at rest and when nothing was worn. `intensity` 0..3 by `intensity_of` of the
  METs. `heart_rate` in beats a minute, 0 when not worn. `calories` in hundredths of a kcal by `calories_of`.
  Files read bring intensities and calories of their own, and no heart rate by the minute.
- A day without a device (`device` None) has rest in every minute and no heart rate. Devices are numbered from 0 in
  the order in which they were used: another number is another device.
- A workout's minutes are [start, end), its figures what these minutes say. A night is the sleep that began between
  08:00 of its date and 08:00 of the next; one with a minute that no device recorded is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

MINUTES = 1_440
"""Minutes of a day."""
STEPS_MOST = 250
Metric: TypeAlias = Literal["steps", "mets", "intensity", "heart_rate", "calories"]
METRICS: dict[Metric, int] = {"steps": 1, "mets": 1, "intensity": 1, "heart_rate": 1, "calories": 2}
"""Series of a day, and the bytes that each spends on a minute."""
Stage: TypeAlias = Literal["light", "deep", "rem", "wake", "asleep"]
"""Stage of sleep; `asleep` only where a file told how much of each stage there was and not when."""
Intensity: TypeAlias = Literal["light", "moderate", "vigorous"]
INTENSITY_FROM = (16, 30, 60)
"""Tenths of a MET from which a minute is light (1), moderate (2) and vigorous (3): ACSM's Guidelines for Exercise
Testing and Prescription, 11th ed. 2021, with up to 1.5 METs sedentary (Tremblay et al., IJBNPA 2017;14:75)."""


def intensity_of(mets: int) -> int:
    """Return the intensity 0..3 of a minute with `mets` tenths of a MET."""
    return sum(mets >= least for least in INTENSITY_FROM)


def calories_of(mets: int, weight_kg: int) -> int:
    """Return the hundredths of a kcal of a minute, halves rounded up: METs x 3.5 x kg / 200 kcal (ACSM)."""
    return (14 * mets * weight_kg + 40) // 80


def workout_intensity(mets: int, minutes: int) -> Intensity:
    """Return how hard a workout was whose minutes have `mets` tenths of a MET in sum: by its mean, ACSM's bounds."""
    return (
        "light"
        if mets < INTENSITY_FROM[1] * minutes
        else "moderate"
        if mets < INTENSITY_FROM[2] * minutes
        else "vigorous"
    )


@dataclass(frozen=True, slots=True)
class HeartSummary:
    """The heart rate of a day where a file gives a summary and no minutes."""

    resting: int
    average_tenths: int
    """Tenths of a beat a minute."""
    highest: int
    lowest: int
    zone_minutes: tuple[int, int, int, int]
    """Minutes in 30-89, 90-109, 110-139, 140-220 beats a minute."""


@dataclass(frozen=True, slots=True)
class Day:
    """The minutes of one day."""

    date: str
    """`YYYY-MM-DD`."""
    device: int | None
    """Ordinal of the device that recorded it."""
    steps: bytes
    mets: bytes
    intensity: bytes
    heart_rate: bytes
    calories: bytes
    """Two bytes a minute, little-endian."""
    heart: HeartSummary | None = None
    """Only where a file brought it; then no minute has a heart rate."""

    @property
    def minutes(self) -> int:
        """Return how many minutes of the day are there."""
        return len(self.steps)

    def series(self, metric: Metric) -> bytes:
        """Return one series as raw bytes."""
        return {
            "steps": self.steps,
            "mets": self.mets,
            "intensity": self.intensity,
            "heart_rate": self.heart_rate,
            "calories": self.calories,
        }[metric]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one stage."""

    start: str
    """`YYYY-MM-DDTHH:MM:00`."""
    minutes: int
    stage: Stage


@dataclass(frozen=True, slots=True)
class Night:
    """The sleep of one night, naps of the day before it included. Stages sum to sleep."""

    date: str
    segments: tuple[Segment, ...]
    """By start; between two episodes of sleep is nothing."""
    light: int
    deep: int
    rem: int
    wake: int
    """Minutes awake between falling asleep and rising, over all episodes."""

    @property
    def asleep(self) -> int:
        """Return the minutes of sleep."""
        return self.light + self.deep + self.rem


@dataclass(frozen=True, slots=True)
class Workout:
    """A recorded workout, equal to what its minutes say."""

    sport: str
    start: str
    end: str
    """The first minute after it, `YYYY-MM-DDTHH:MM:00`."""
    intensity: Intensity
    calories: int
    """Hundredths of a kcal over its minutes."""
    azm: int
    """Its minutes with intensity 2 or 3."""
    steps: int
    note: str = ""
    """What the user wrote about it; mostly nothing."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Everything recorded in a window of days that follow each other."""

    days: tuple[Day, ...]
    nights: tuple[Night, ...]
    """By date; dates without a record are left out."""
    workouts: tuple[Workout, ...]
    """By start; they do not overlap."""

    def joined(self, metric: Metric) -> bytes:
        """Return one series of all days, one day after the other."""
        return b"".join(day.series(metric) for day in self.days)
