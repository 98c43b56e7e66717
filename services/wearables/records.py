"""Records of wearables. Everything is a whole number.

Units: METs are in tenths, so that a minute of rest is 10 and a day of rest 14,400; calories are hundredths of a kcal;
heart rates are beats a minute, and means of them tenths of one. An hour is named by its start, 0 to 23.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from services.runtime.blobs import Blob
from services.runtime.records import Date, Record, Time

Hours: TypeAlias = tuple[int, ...]
"""One number for each hour of the day, 24 in all."""
Stage: TypeAlias = Literal["light", "deep", "rem", "wake", "asleep"]
"""Stage of sleep; `asleep` where a device tells that the user slept and not how."""
Intensity: TypeAlias = Literal["light", "moderate", "vigorous"]


class Signal(Blob, frozen=True):
    """Describes a series with one value for each minute since 00:00 of the first day; the id names it.

    `steps`; `mets` in tenths; `intensity` 0 sedentary, 1 light, 2 fairly active, 3 very active; `heart_rate`, 0 while
    no device was worn; `calories` in hundredths of a kcal. It ends with the last minute that was over at `now`.
    """

    first_day: Date
    derived: bool
    """Whether it follows from the METs by the documented formulas: intensities and calories of files are their own."""


class SourceDay(Record, frozen=True):
    """Which source and device recorded a day, the id; null where none did. No tool returns it."""

    source: str | None
    device: str | None


class WearableDay(Record, frozen=True):
    """What the minutes of one day add up to; the id is the date. A day that no device recorded has none."""

    minutes: int
    """Minutes of the day that are over: 1,440 for all days but today."""
    steps: Hours
    mets: Hours
    calories: Hours
    sedentary: Hours
    """Minutes by intensity."""
    light: Hours
    fairly: Hours
    very: Hours
    total_steps: int
    total_mets: int
    total_calories: int
    azm: int
    """Active zone minutes: those of intensity 2 or 3."""
    worn: int
    """Minutes with a heart rate."""
    resting_rate: int | None
    """Least mean over thirty worn minutes in a row; null without such a half-hour."""
    average_rate: int | None
    """Mean over the worn minutes, in tenths."""
    highest_rate: int | None
    lowest_rate: int | None
    zone_below: int
    """Worn minutes by heart rate: below 90, 90-109, 110-139, from 140."""
    zone_fat_burn: int
    zone_cardio: int
    zone_peak: int
    by_minute: bool = True
    """Whether heart rates were recorded by the minute; else the source told no more than these figures."""


class Segment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stretch of one stage of sleep."""

    start: Time
    minutes: int
    stage: Stage


class Night(Record, frozen=True):
    """The sleep that began between 08:00 of a date, the id, and 08:00 of the next."""

    segments: tuple[Segment, ...]
    """By start; between two episodes of sleep is nothing."""
    light: int
    """Minutes of each stage; `wake` counts from falling asleep to rising."""
    deep: int
    rem: int
    wake: int
    asleep: int
    """Minutes of sleep of any stage."""


class Workout(Record, frozen=True):
    """A recorded workout: its minutes are [start, end), and its figures are what they add up to."""

    sport: str
    start: Time
    end: Time
    intensity: Intensity
    """By the mean METs of its minutes: moderate from 3, vigorous from 6."""
    calories: int
    azm: int
    steps: int
    note: str
