"""Daily goals of a user: those that follow from what the user's own devices recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.environments.wearables.physiology.goals import DayTotals, own_goals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.environments.seeder import SeedContext
    from schemas.profile import DailyGoal
    from services.wearables.records import WearableDay


def goals_of(c: SeedContext) -> DailyGoal:
    """Return the goals that follow from the recorded days; with too few of them, those that follow from the person."""
    days = cast("Sequence[WearableDay]", c.tables["wearable_days"])
    own = own_goals(
        (DayTotals(d.id, d.worn, d.total_steps, d.total_calories, d.azm, d.total_mets) for d in days), c.now[:10]
    )
    goal = c.profile.daily_goal
    if own is None:
        return goal
    changed = {"steps": own.steps, "calories_burn": own.calories_burn, "AZM": own.azm, "mets": own.mets}
    return goal.model_copy(update=changed)
