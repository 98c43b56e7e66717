"""Records of sources beside those of the account, which holds the sources and devices that the user knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from services.runtime.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

GoalType: TypeAlias = Literal["steps", "AZM", "mets", "calories_burn"]
GOAL_FIELDS: Mapping[GoalType, Literal["steps", "azm", "mets", "calories_burn"]] = {
    "steps": "steps",
    "AZM": "azm",
    "mets": "mets",
    "calories_burn": "calories_burn",
}


class ActivityPlan(Record, frozen=True):
    """Weekly goals kept at a source, the id; null where none is set."""

    steps: int | None = None
    azm: int | None = None
    """Active zone minutes."""
    mets: int | None = None
    """Tenths of a MET, summed over minutes."""
    calories_burn: int | None = None
    """kcal, resting energy included."""
