"""Heart rate by the minute, from what the body does and how it sleeps.

Awake, the rate is resting rate plus what being up takes, plus the share of the heart-rate reserve that the METs are
of the capacity (percent of rate reserve equals percent of oxygen uptake reserve: Swain & Leutholtz, Med Sci Sports
Exerc 1997;29:410-414). It follows effort within minutes and comes down more slowly (Pierpont & Voth, Am J Cardiol
2004;94:64-68). Asleep, it follows the stages and falls over the night.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from generators.environments.wearables.physiology.body import body
from generators.environments.wearables.physiology.signals import MINUTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.environments.wearables.physiology.conditions import Condition
    from generators.environments.wearables.physiology.movement import Ints
    from generators.environments.wearables.physiology.person import Person
    from generators.environments.wearables.physiology.plan import Plan
    from services.runtime.streams import Stream

_UP = (2, 2, 2, 2, 2, 3, 5, 7, 8, 8, 9, 9, 10, 10, 9, 9, 9, 10, 10, 9, 8, 7, 5, 3)
"""Beats a minute that being awake takes by the hour of the day, a few more in the afternoon (Vandewalle et al., J Sleep
Res 2007;16:148-155)."""
_RISING = (6, 5, 3, 2)
"""Sixteenths of the rate that the present and the three minutes before ask for."""
_FALLING = 11
"""Minutes over which the rate comes down."""
_MOOD = 20
"""Minutes between two knots of the drift that talk, coffee and stress bring."""
_FALL = 7
"""Beats a minute by which the rate falls over a night."""
LOWEST = 36


def beat(person: Person, mets: Ints, extra: Ints, conditions: Sequence[Condition], plan: Plan, stream: Stream) -> Ints:
    """Return the heart rate of every minute."""
    length = len(mets)
    base = _awake(length, conditions, stream) + person.resting_rate
    for sleep in plan.sleeps:
        _asleep(base, sleep.start, sleep.stages, person.resting_rate + sleep.rate)
    demand = (np.arange(256, dtype=np.int32) - 10) * (person.max_rate - person.resting_rate) // (person.capacity - 10)
    asked = base + demand[mets] + extra
    padded = np.concatenate([np.full(len(_RISING) - 1, asked[0], np.int32), asked])
    rising = sum(w * padded[3 - back : 3 - back + length] for back, w in enumerate(_RISING)) >> 4
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(asked, dtype=np.int64)])
    # In the first minutes there are fewer to come down from.
    first = sums[1:_FALLING] // np.arange(1, _FALLING)
    falling = np.concatenate([first, (sums[_FALLING:] - sums[:-_FALLING]) // _FALLING])
    jitter = np.frombuffer(stream.child("jitter").take(length), np.uint8).astype(np.int32)
    rate = np.maximum(rising, falling - 4) + (jitter & 3) - (jitter >> 7)
    return np.clip(rate, LOWEST, person.max_rate).astype(np.int32)


def _awake(length: int, conditions: Sequence[Condition], stream: Stream) -> Ints:
    days = len(conditions)
    by_hour = np.tile(np.repeat(np.array(_UP, np.int32), MINUTES // 24), days)
    ill = np.repeat(np.array([condition.rate for condition in conditions], np.int32), MINUTES)
    knots = np.frombuffer(stream.child("mood").take(days * MINUTES // _MOOD + 1), np.uint8).astype(np.int32) % 15 - 6
    step = np.arange(_MOOD, dtype=np.int32)
    drift = (knots[:-1, None] * (_MOOD - step) + knots[1:, None] * step) // _MOOD
    return (by_hour + ill + drift.ravel())[:length]


@cache
def _stage_rates() -> dict[str, int]:
    return body().stage_rate.model_dump()


def _asleep(base: Ints, start: int, stages: Sequence[tuple[str, int]], resting: int) -> None:
    levels, minutes = zip(*stages, strict=True)
    rates = _stage_rates()
    line = np.repeat(np.array([rates[level] for level in levels], np.int32), np.array(minutes))
    whole = len(line)
    line = line + resting + 3 - _FALL * np.arange(whole, dtype=np.int32) // whole
    end = min(len(base), start + whole)
    if start < end:
        base[start:end] = line[: end - start]
