"""Other ways in which the user's log could stand at the start of a task."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from msgspec.structs import replace

from services.records.amounts import MOST_TENTHS
from services.runtime.declare import Flip

if TYPE_CHECKING:
    from services.records.records import LoggedSession, Meal, MealItem

EARLIER_DAYS = 60
MORE = 2
"""Times what was eaten."""


def _moved(time: str) -> str:
    return (dt.datetime.fromisoformat(time) - dt.timedelta(days=EARLIER_DAYS)).isoformat()


def _meal_earlier(meal: Meal, _: str) -> Meal | None:
    return replace(meal, time=_moved(meal.time))


def _session_earlier(session: LoggedSession, _: str) -> LoggedSession | None:
    return replace(session, start=_moved(session.start), end=_moved(session.end))


def _ate_more(item: MealItem, _: str) -> MealItem | None:
    more = MORE * item.amount_tenths
    return replace(item, amount_tenths=more) if more <= MOST_TENTHS else None


FLIPS = (
    Flip("meal_earlier", "meals", _meal_earlier),
    Flip("ate_more", "meal_items", _ate_more),
    Flip("session_earlier", "sessions", _session_earlier),
)
