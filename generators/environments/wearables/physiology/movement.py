"""Steps and METs of the day outside workouts: sitting, standing work, bouts of walking, regular walks.

Bouts begin at chance, minute by minute, more often in the hours in which the routine moves; each has a length and a
pace. Everything is arithmetic on whole arrays of integers, with the stream's bytes as the only chance.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from generators.environments.wearables.physiology.body import body
from generators.environments.wearables.physiology.families import families
from generators.environments.wearables.physiology.signals import MINUTES, STEPS_MOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.environments.wearables.physiology.conditions import Condition
    from generators.environments.wearables.physiology.habits import Habits
    from generators.environments.wearables.physiology.person import Person
    from generators.environments.wearables.physiology.plan import Plan, Stroll
    from services.runtime.streams import Stream

Ints: TypeAlias = npt.NDArray[np.int32]
_WAKING = 960
"""Minutes of a waking day, to which bouts a day refer."""
_DRAWS = 1 << 16


@cache
def _tables() -> tuple[Ints, Ints, Ints]:
    """Return the minutes and the pace of a bout by a random byte, and the METs of a minute by its steps."""
    bouts = body().bouts
    minutes = [bout for bout, _, weight in bouts for _ in range(weight)]
    pace = [percent for _, percent, weight in bouts for _ in range(weight)]
    return np.array(minutes, np.int32), np.array(pace, np.int32), _cadence_mets()


def _cadence_mets() -> Ints:
    found = [0] * (STEPS_MOST + 1)
    knots = body().cadence
    for (low, less), (high, more) in pairwise(knots):
        for steps in range(low, high + 1):
            found[steps] = less + (more - less) * (steps - low) // (high - low)
    return np.array(found, np.int32)


def move(
    person: Person, habits: Habits, conditions: Sequence[Condition], plan: Plan, length: int, stream: Stream
) -> tuple[Ints, Ints]:
    """Return the steps and METs of the first `length` minutes, as if nobody slept or trained."""
    hours = _hours(habits, conditions, plan)
    noise = np.frombuffer(stream.child("noise").take(length), np.uint8).astype(np.int32)
    steps = np.zeros(length, np.int32)
    mets = 11 + (noise & 3)
    _stand(steps, mets, hours * habits.chores, noise, stream.child("chores"))
    _walk(steps, hours * habits.strolls, person.cadence, noise, stream.child("strolls"))
    _hurry(steps, mets, hours * habits.hurries, person.capacity, stream.child("hurries"))
    for walk in plan.strolls:
        _regular(steps, walk, noise)
    np.maximum(mets, np.where(steps > 0, _tables()[2][steps], 0), out=mets)
    return steps, mets


def _hours(habits: Habits, conditions: Sequence[Condition], plan: Plan) -> Ints:
    """Return hour by hour how likely a bout begins in a minute, as a factor on bouts a day: 1 in `_WAKING` is usual."""
    routine = families().routines[habits.routine]
    rows = [
        np.array(routine.work if working else routine.free, np.int32) * condition.movement
        for working, condition in zip(plan.working, conditions, strict=True)
    ]
    return np.concatenate(rows)


def _starts(chance: Ints, length: int, stream: Stream) -> npt.NDArray[np.intp]:
    """Return the minutes in which a bout begins, by bouts a day times percent times percent in every hour."""
    drawn = np.frombuffer(stream.take(2 * length), np.dtype("<u2"))
    below = np.minimum(chance.astype(np.int64) * _DRAWS // (_WAKING * 10_000), _DRAWS).astype(np.int32)
    return np.nonzero(drawn < np.repeat(below, MINUTES // 24)[:length])[0]


def _spread(
    starts: npt.NDArray[np.intp], minutes: Ints, length: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return every minute of every bout, and the number of its bout; what lies beyond `length` is cut off."""
    bout = np.repeat(np.arange(len(starts)), minutes)
    first = np.repeat(np.cumsum(minutes) - minutes, minutes)
    at = starts[bout] + np.arange(len(bout)) - first
    inside = at < length
    return at[inside], bout[inside]


def _stand(steps: Ints, mets: Ints, chance: Ints, noise: Ints, stream: Stream) -> None:
    starts = _starts(chance, len(steps), stream.child("starts"))
    drawn = np.frombuffer(stream.take(2 * len(starts)), np.uint8).astype(np.int32)
    minutes, effort = 3 + drawn[::2] % 16, 17 + drawn[1::2] % 11
    at, bout = _spread(starts, minutes, len(steps))
    mets[at] = effort[bout] + (noise[at] & 1)
    steps[at] = np.where(noise[at] % 3 == 0, noise[at] & 15, 0)


def _walk(steps: Ints, chance: Ints, cadence: int, noise: Ints, stream: Stream) -> None:
    table, paces, _ = _tables()
    starts = _starts(chance, len(steps), stream.child("starts"))
    drawn = np.frombuffer(stream.take(2 * len(starts)), np.uint8).astype(np.int32)
    pace = paces[drawn[::2]] + (drawn[1::2] & 15) - 8
    at, bout = _spread(starts, table[drawn[::2]], len(steps))
    steps[at] = np.maximum(3, cadence * pace[bout] // 100 + (noise[at] >> 4) - 8)


def _hurry(steps: Ints, mets: Ints, chance: Ints, capacity: int, stream: Stream) -> None:
    form = body().hurry
    starts = _starts(chance, len(steps), stream.child("starts"))
    drawn = np.frombuffer(stream.take(3 * len(starts)), np.uint8).astype(np.int32).reshape(-1, 3)
    minutes, effort, rate = (
        low + drawn[:, column] * (high - low + 1) // 256
        for column, (low, high) in enumerate((form.minutes, form.mets, form.steps))
    )
    at, bout = _spread(starts, minutes, len(steps))
    mets[at] = np.minimum(effort, capacity * form.most_percent // 100)[bout]
    steps[at] = rate[bout]


def _regular(steps: Ints, walk: Stroll, noise: Ints) -> None:
    span = slice(walk.start, walk.end)
    steps[span] = walk.cadence + (noise[span] >> 4) - 8
