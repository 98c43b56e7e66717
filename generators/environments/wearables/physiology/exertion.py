"""Workouts by the minute: warming up, work and rest by turns, cooling down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from generators.environments.wearables.physiology.signals import STEPS_MOST
from generators.environments.wearables.physiology.sports import sport_forms

if TYPE_CHECKING:
    from generators.environments.wearables.physiology.movement import Ints
    from generators.environments.wearables.physiology.person import Person
    from generators.environments.wearables.physiology.plan import Bout
    from generators.environments.wearables.physiology.sports import SportForm
    from services.runtime.streams import Stream

_SHARE = (55, 70, 85)
"""Percent of one's capacity that a workout of light, moderate and vigorous effort asks for at most, over its length:
the upper parts of ACSM's bands of oxygen uptake reserve (light 37-45, moderate 46-63, vigorous 64-90)."""
_STANDING = 18
"""Tenths of a MET in a pause (Compendium 07041)."""
_WARM = (70, 80, 88, 95)
"""Percent of the pace in the first minutes."""
_COOL = (90, 75)
"""Percent of the pace in the last minutes."""
_HIGHEST = 230
"""Tenths of a MET that a minute can hold."""


def exert(bout: Bout, person: Person, steps: Ints, mets: Ints, heart: Ints, stream: Stream) -> None:
    """Write the minutes of a workout; `heart` gets the beats that the sport adds to what its METs ask for."""
    form = sport_forms()[bout.sport]
    length = min(bout.end, len(steps)) - bout.start
    whole = bout.end - bout.start
    mean = min(form.mets[bout.effort], max(form.mets[0] // 2, person.capacity * _SHARE[bout.effort] // 100))
    noise = np.frombuffer(stream.take(2 * whole), np.uint8).astype(np.int32)
    working = _turns(form, whole, stream)
    ramp = np.full(whole, 100, np.int32)
    ramp[: len(_WARM)] = _WARM[:whole]
    ramp[whole - len(_COOL) :] = _COOL
    # Rest is as far below the mean as balances the work, unless that is less than standing.
    balance = form.swing * sum(form.work) // max(1, sum(form.rest))
    pace = np.where(working, mean * (100 + form.swing) // 100, max(_STANDING, mean * (100 - balance) // 100))
    effort = pace * ramp // 100
    effort = effort + effort * ((noise[::2] >> 4) - 8) // 130
    rate = form.steps[bout.effort]
    pace_steps = np.where(working, rate, rate // 4)
    counted = pace_steps + (pace_steps + 6) * ((noise[1::2] >> 4) - 8) // 90
    span = slice(bout.start, bout.start + length)
    mets[span] = np.clip(effort, 15, min(_HIGHEST, max(person.capacity, 20)))[:length]
    steps[span] = np.clip(counted, 0, STEPS_MOST)[:length]
    heart[span] = form.heart


def _turns(form: SportForm, whole: int, stream: Stream) -> Ints:
    """Return 1 in minutes of work and 0 in minutes of rest."""
    found = np.ones(whole, np.int32)
    at = stream.between(*form.work)
    while form.rest[1] and at < whole:
        pause = stream.between(*form.rest)
        found[at : at + pause] = 0
        at += pause + stream.between(*form.work)
    return found
