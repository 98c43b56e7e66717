"""Weekly goals that the user keeps at a source."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from schemas.base import Json
from services.runtime.tools import Context, tool
from services.sources.platforms import FAMILY
from services.sources.records import GOAL_FIELDS, ActivityPlan, GoalType

MOST = 10_000_000
"""Largest goal of a week, whatever its unit."""
_GATES = ("RAW", "CONNECTED")


def _plan(c: Context, source: str) -> ActivityPlan:
    return c.get(ActivityPlan, source) or ActivityPlan(id=source)


@tool(
    side="assistant",
    write=True,
    family=FAMILY,
    gates=_GATES,
    example={"goal_type": "steps", "value": 60_000},
)
def create_activity_plan(
    c: Context,
    source_name: str,
    goal_type: Annotated[GoalType, Meta(description="What the goal of the week is about.")],
    value: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST,
            description="The goal: steps, active zone minutes (AZM), tenths of a MET summed over minutes (mets), or "
            "kcal (calories_burn) a week.",
        ),
    ],
) -> dict[str, Json]:
    """Set a weekly goal at the source, in place of the one that it has of this type.

    `source`, `goal_type` and the new `value`.
    """
    c.put(replace(_plan(c, source_name), **{GOAL_FIELDS[goal_type]: value}))
    return {"source": source_name, "goal_type": goal_type, "value": value}


@tool(side="assistant", family=FAMILY, gates=_GATES)
def get_activity_plan(c: Context, source_name: str) -> dict[str, Json]:
    """Return the weekly goals that the user keeps at the source.

    `source` and `weekly_goal` {steps, AZM in minutes, mets in tenths of a MET summed over minutes, calories_burn in
    kcal}; null where no goal is set.
    """
    plan = _plan(c, source_name)
    goals: dict[str, Json] = {goal: getattr(plan, field) for goal, field in GOAL_FIELDS.items()}
    return {"source": source_name, "weekly_goal": goals}
