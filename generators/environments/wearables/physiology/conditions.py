"""What makes a day unlike the others: illness, a journey, and which device is worn on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.environments.wearables.physiology.body import body

if TYPE_CHECKING:
    from services.runtime.streams import Stream

_MONTH = 30
"""Days for which the shares in the data file hold; a longer window has more of everything."""


@dataclass(slots=True)
class Condition:
    """One day's departure from habit."""

    movement: int = 100
    """Percent of usual movement."""
    rate: int = 0
    """Beats a minute above the usual resting rate."""
    bed: int = 0
    """Minutes by which sleep is shifted; later is positive."""
    sleep: int = 0
    """Minutes of sleep more than usual."""
    sick: bool = False
    """No workouts."""
    away: bool = False
    """No work, no alarm."""


def draw_conditions(count: int, stream: Stream) -> list[Condition]:
    """Return the conditions of `count` days in a row."""
    days = [Condition() for _ in range(count)]
    _fall_ill(days, stream.child("illness"))
    _travel(days, stream.child("travel"))
    return days


def _fall_ill(days: list[Condition], stream: Stream) -> None:
    form = body().illness
    if not stream.chance(min(form.percent * len(days), 100 * _MONTH), 100 * _MONTH):
        return
    first, length = stream.below(len(days)), stream.between(*form.days)
    rate, movement, sleep = (stream.between(*bounds) for bounds in (form.rate, form.movement, form.sleep))
    for number, day in enumerate(days[first : first + length]):
        # Worst on the first two days, then half way back.
        worst = number < 2
        day.sick = True
        day.rate += rate if worst else rate // 2
        day.movement = movement if worst else (movement + 100) // 2
        day.sleep += sleep if worst else sleep // 2


def _travel(days: list[Condition], stream: Stream) -> None:
    form = body().travel
    if not stream.chance(min(form.percent * len(days), 100 * _MONTH), 100 * _MONTH):
        return
    first, length = stream.below(len(days)), stream.between(*form.days)
    shift = stream.between(*form.shift) * stream.choice((-1, 1))
    movement = stream.between(*form.movement)
    for number, day in enumerate(days[first : first + length]):
        day.away = True
        day.bed += _left(shift, number * form.back)
        day.movement = day.movement * (55 if number == 0 else movement) // 100
    for number, day in enumerate(days[first + length :]):
        day.bed -= _left(shift, number * form.back)


def _left(shift: int, back: int) -> int:
    """Return what is left of a shift when the body has come back by so much."""
    return max(0, shift - back) if shift > 0 else min(0, shift + back)


def draw_devices(count: int, stream: Stream) -> list[int | None]:
    """Return the ordinal of the device worn on each of `count` days, None where there is none."""
    odds = body().wear
    swap = stream.below(count) if stream.chance(odds.swap_percent, 100) else 0
    devices: list[int | None] = [int(0 < swap <= day) for day in range(count)]
    blocks = stream.weighted(odds.absences)
    for _ in range(blocks if count > odds.absence_days[1] * blocks else 0):
        first = stream.below(count)
        for day in range(first, min(count, first + stream.between(*odds.absence_days))):
            devices[day] = None
    return devices
