"""Seeds sources: weekly goals kept at them; which source recorded which day is seeded with what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.environments import odds
from generators.environments.goals import goals_of
from generators.environments.seeder import Seeder
from services.sources.records import ActivityPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from services.account.records import Profile
    from services.runtime.records import Record
    from services.runtime.streams import Stream


def _close(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    """Return a plan for each of the user's sources; it runs last, when the daily goals are known."""
    (profile,) = cast("Sequence[Profile]", c.tables["profile"])
    return {
        "activity_plans": [
            draw_plan(source.id, profile, goals_of(c).mets, c.stream.child("plan", source.id))
            for source in c.tables["sources"]
        ]
    }


def draw_plan(source: str, profile: Profile, mets: int, stream: Stream) -> ActivityPlan:
    """Return weekly goals: seven times the daily goal, some percent more or less, in whole steps; some are not set."""

    def weekly(field: str, daily: int) -> int | None:
        own, step = stream.child(field), odds.WEEKLY_STEPS[field]
        percent = own.choice(odds.WEEKLY_PERCENT)
        return (
            max(step, round_half_up(7 * daily * percent, 100 * step) * step) if own.chance(odds.WEEKLY, 100) else None
        )

    return ActivityPlan(
        id=source,
        steps=weekly("steps", profile.goal_steps),
        azm=weekly("azm", profile.goal_azm),
        mets=weekly("mets", mets),
        calories_burn=weekly("calories_burn", profile.goal_calories_burn),
    )


def round_half_up(numerator: int, denominator: int) -> int:
    """Return a quotient rounded half up."""
    return (2 * numerator + denominator) // (2 * denominator)


SEEDER = Seeder("sources", lambda c: {}, after=("account", "wearables"), close=_close)
