"""How numbers of wearables stand in results, and the arguments that their tools share."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

from msgspec import Meta

from services.moments import day_of, days_between
from services.numbers import tenths

if TYPE_CHECKING:
    from schemas.base import Json
    from services.runtime.tools import Context

Day: TypeAlias = Annotated[str, Meta(description="Day, YYYY-MM-DD.")]
FirstDay: TypeAlias = Annotated[str, Meta(description="First day of the range, YYYY-MM-DD.")]
LastDay: TypeAlias = Annotated[str, Meta(description="Last day of the range, YYYY-MM-DD; it is included.")]
HOURS, MINUTES = 24, 1_440


class Zone(NamedTuple):
    """A heart-rate zone, in beats a minute."""

    name: str
    low: int
    high: int
    """The first rate that is above it."""


ZONES = (Zone("Below", 30, 90), Zone("Fat Burn", 90, 110), Zone("Cardio", 110, 140), Zone("Peak", 140, 221))
"""Every rate that a device gives, 30 to 220, is in one of them."""
DAYTIME = (8, 20)
"""Hours of the day, the second excluded, over which daytime totals go."""


def check_day(c: Context, date: str, **_: object) -> None:
    """Refuse a day that is none."""
    day_of(c, date)


def check_range(c: Context, start_date: str, end_date: str, **_: object) -> None:
    """Refuse a range that is none."""
    days_between(c, start_date, end_date)


def kcal(hundredths: int) -> Json:
    """Return hundredths of a kcal as kcal."""
    return hundredths // 100 if hundredths % 100 == 0 else hundredths / 100


def half_up(numerator: int, denominator: int) -> int:
    """Return a quotient rounded half up."""
    return (2 * numerator + denominator) // (2 * denominator)


def percent(part: int, whole: int) -> Json:
    """Return a share as a percentage with one decimal, rounded half up."""
    return tenths(half_up(1000 * part, whole)) if whole else 0


def hour(number: int) -> str:
    """Return the start of an hour as `HH:00`."""
    return f"{number:02d}:00"


def later(time: str, minutes: int) -> str:
    """Return a time moved by minutes."""
    return (dt.datetime.fromisoformat(time) + dt.timedelta(minutes=minutes)).isoformat()


def minutes_between(start: str, end: str) -> int:
    """Return the whole minutes from one time to another."""
    return int((dt.datetime.fromisoformat(end) - dt.datetime.fromisoformat(start)).total_seconds()) // 60
