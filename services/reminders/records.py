"""Records of reminders."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from services.rules import Ruled

Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
Clock = Annotated[str, msgspec.Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", max_length=5)]
"""A time of day, `HH:MM`."""


class Reminder(Ruled, frozen=True, kw_only=True):
    """Something that the user is reminded of; where its title states a rule, the rule stands beside it."""

    title: str
    time_of_day: Clock
    repeat_days: tuple[Weekday, ...]
    """In the order of the week, each once, at least one: all seven for every day."""
