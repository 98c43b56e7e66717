"""Daily reminders: a title, a time of day and the days of the week on which they come."""

from __future__ import annotations

from services.reminders.service import SERVICE

__all__ = ["SERVICE"]
