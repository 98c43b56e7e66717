"""Seeds the wearables of one user: a month of signals, what they add up to, and which source recorded which day."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, cast

from generators.environments import odds
from generators.environments.seeder import Seeder, stream_of
from generators.environments.wearables.assignment import assign
from generators.environments.wearables.brought import FOLDER, Worn
from generators.environments.wearables.physiology import draw_family, draw_life, simulate
from generators.environments.wearables.records import night_of, signals_of, wearable_day, workout_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from generators.environments.wearables.physiology import Signals
    from schemas.profile import Profile
    from services.account.records import Device, Source
    from services.runtime.records import Record


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    now = dt.datetime.fromisoformat(c.now)
    days = [now.date() + dt.timedelta(days=n) for n in range(1 - odds.WINDOW_DAYS, 1)]
    if c.given is not None:
        return records_of(c, cast("Worn", c.given)(days, now), modelled=False)
    person, habits = draw_life(c.profile, c.stream.child("life"))
    return records_of(c, simulate(person, habits, days, now, c.stream.child("signals")))


def records_of(c: SeedContext, signals: Signals, *, modelled: bool = True) -> Mapping[str, Sequence[Record]]:
    """Return the records of signals, whose series go to the blobs. What began on a day without a record is left out."""
    assigned, added = assign(
        [(day.date, day.device) for day in signals.days],
        cast("Sequence[Source]", c.tables["sources"]),
        cast("Sequence[Device]", c.tables["devices"]),
        c.stream.child("assignment"),
        lambda: c.new_id("devices"),
    )
    recorded = {day.id for day in assigned if day.source is not None}
    described, series = signals_of(signals, modelled=modelled)
    c.blobs.update(series)
    return {
        "devices": added,
        "signals": described,
        "source_days": assigned,
        "wearable_days": [wearable_day(day) for day in signals.days if day.date in recorded],
        "nights": [night_of(night) for night in signals.nights if night.date in recorded],
        "workouts": [
            workout_of(c.new_id("workouts"), workout) for workout in signals.workouts if workout.start[:10] in recorded
        ],
    }


def family_of(seed: int, profile: Profile) -> str:
    """Return the way of life that the signals of a user are modelled on."""
    return draw_family(profile, stream_of(seed, profile).child(SEEDER.name, "seed").child("life").child("family"))


SEEDER = Seeder("wearables", _seed, after=("account",), folder=FOLDER)
