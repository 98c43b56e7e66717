"""What is measured of each user: numbers, of which a run has a distribution, and kinds, of which it has shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias, cast

from publishing.people.person import MINUTES, weekday

if TYPE_CHECKING:
    from publishing.people.person import Person, Rows
    from schemas.base import Json

Value: TypeAlias = "float | None"
_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Number:
    """One number of each user; None of users who have none."""

    part: str
    words: str
    of: Callable[[Person], Value]
    digits: int = 0


@dataclass(frozen=True, slots=True)
class Kind:
    """Kinds of which each user has some, each counted once for a user unless it says otherwise."""

    part: str
    words: str
    of: Callable[[Person], Iterable[str]]
    each: str = "users"
    """What is counted."""


def _rows(table: str, **wanted: Json) -> Callable[[Person], Value]:
    """Return how many records of a table have these values."""
    return lambda p: sum(all(row[name] == value for name, value in wanted.items()) for row in p.rows(table))


def _daily(column: str, parts: int = 1) -> Callable[[Person], Value]:
    """Return the mean of a column over whole recorded days."""

    def mean(p: Person) -> Value:
        values = [cast("int", row[column]) for row in p.whole.values() if row[column] is not None]
        return fmean(values) / parts if values else None

    return mean


def _nightly(column: str) -> Callable[[Person], Value]:
    return lambda p: fmean(values) if (values := p.amounts("nights", column)) else None


def _month(p: Person, count: float) -> Value:
    """Return a count over the recorded days as one a month of thirty days."""
    return 30 * count / len(p.recorded) if p.recorded else None


def _weekend(p: Person) -> Value:
    """Return how many more steps there are on a weekend day than on another, in percent."""
    days: tuple[list[int], list[int]] = [], []
    for date, row in p.whole.items():
        days[weekday(date) >= _SATURDAY].append(cast("int", row["total_steps"]))
    if not all(days) or not sum(days[0]):
        return None
    return 100 * (fmean(days[1]) / fmean(days[0]) - 1)


def _worn(p: Person) -> Value:
    """Return the minutes with a heart rate, in percent of those of recorded days that are over, from the arrays."""
    rates, at = p.series("heart_rate"), {date: number * MINUTES for number, date in enumerate(p.dates)}
    parts = [rates[at[date] : at[date] + MINUTES] for date in p.recorded]
    minutes = sum(len(part) for part in parts)
    return 100 * sum(len(part) - bytes(part).count(0) for part in parts) / minutes if minutes else None


def _spread(column: str) -> Callable[[Person], Value]:
    """Return the distance from the lowest to the highest tenth of whole recorded days, relative to the middle one."""

    def spread(p: Person) -> Value:
        values = sorted(cast("int", row[column]) for row in p.whole.values())
        if len(values) < 10 or not values[len(values) // 2]:
            return None
        return 100 * (values[-1 - len(values) // 10] - values[len(values) // 10]) / values[len(values) // 2]

    return spread


def _texts(rows: Rows, column: str) -> list[str]:
    return [str(row[column]) for row in rows]


def _meals_a_day(p: Person) -> Value:
    days = {str(row["time"])[:10] for row in p.rows("meals")}
    return len(p.rows("meals")) / len(days) if days else None


def _swaps(p: Person) -> Value:
    worn = [row["device"] for row in p.rows("source_days") if row["device"] is not None]
    return sum(one != other for one, other in pairwise(worn))


NUMBERS: tuple[Number, ...] = (
    Number("person", "age, years", lambda p: p.profile.age),
    Number("person", "height, cm", lambda p: p.profile.body.height_cm),
    Number("person", "weight, kg", lambda p: p.profile.body.weight_kg),
    Number("person", "persons of the household", lambda p: p.profile.household.adults + p.profile.household.children),
    Number("activity", "steps a day", _daily("total_steps")),
    Number("activity", "spread of the steps of days, %", _spread("total_steps")),
    Number("activity", "weekend days against others, % of steps", _weekend),
    Number("activity", "active zone minutes a day", _daily("azm")),
    Number("activity", "energy a day, kcal", _daily("total_calories", 100)),
    Number("activity", "workouts a month", lambda p: _month(p, len(p.rows("workouts"))), 1),
    Number("activity", "sports of the month", lambda p: len(set(_texts(p.rows("workouts"), "sport")))),
    Number("heart", "mean heart rate, bpm", _daily("average_rate", 10), 1),
    Number("heart", "resting heart rate, bpm", _daily("resting_rate"), 1),
    Number("heart", "highest heart rate of a day, bpm", _daily("highest_rate")),
    Number("sleep", "sleep a night, minutes", _nightly("asleep")),
    Number("sleep", "deep sleep a night, minutes", _nightly("deep")),
    Number("sleep", "REM sleep a night, minutes", _nightly("rem")),
    Number("sleep", "awake a night, minutes", _nightly("wake")),
    Number("devices", "sources", lambda p: len(p.rows("sources"))),
    Number("devices", "connected sources", _rows("sources", connected=True)),
    Number("devices", "devices", lambda p: len(p.rows("devices"))),
    Number("devices", "changes of the device", _swaps),
    Number("devices", "days without a record, of 30", _rows("source_days", source=None)),
    Number("devices", "worn, % of recorded days", _worn, 1),
    Number("log", "meals a day that has any", _meals_a_day, 1),
    Number("log", "days with a meal", lambda p: len({str(row["time"])[:10] for row in p.rows("meals")})),
    Number("log", "logged sessions", lambda p: len(p.rows("sessions"))),
    Number("log", "notes", lambda p: len(p.rows("notes"))),
    Number("log", "reminders", lambda p: len(p.rows("reminders"))),
    Number("care", "care plans", lambda p: len(p.rows("care_plans"))),
    Number("care", "appointments", lambda p: len(p.rows("appointments"))),
    Number("shop", "orders", _rows("transactions", kind="order")),
    Number("shop", "balance, dollars", lambda p: cast("int", p.one("wallet")["balance_cents"]) / 100),
)


def _given(p: Person) -> Iterable[str]:
    return [str(row["id"]) for row in p.rows("permissions") if row["allowed"] is True]


def _goals(p: Person) -> Iterable[str]:
    """Return on which share of whole recorded days the goal of steps was reached."""
    goal = cast("int", p.one("profile")["goal_steps"])
    reached = [cast("int", row["total_steps"]) >= goal for row in p.whole.values()]
    if not reached:
        return ["no recorded day"]
    fifth = min(4, 5 * sum(reached) // len(reached))
    return [f"{20 * fifth}-{20 * fifth + 20} % of days"]


def _rules(p: Person) -> Iterable[str]:
    return [str(row["rule_metric"] or "no rule") for row in p.rows("care_plans")]


def _orders(p: Person) -> Iterable[str]:
    return [str(row["status"]) for row in p.rows("transactions") if row["kind"] == "order"]


def _member(p: Person) -> bool:
    ends = p.one("membership")["expires_on"]
    return ends is not None and str(ends) >= p.now[:10]


KINDS: tuple[Kind, ...] = (
    Kind("person", "gender", lambda p: [p.profile.gender]),
    Kind("person", "locale", lambda p: [p.profile.locale]),
    Kind("person", "way of life of the signals", lambda p: [p.family or "from exports"]),
    Kind("person", "activity", lambda p: [p.profile.activity]),
    Kind("person", "health risks", lambda p: p.profile.health_risks or ["none"]),
    Kind("person", "dietary restrictions", lambda p: p.profile.dietary_restrictions or ["none"]),
    Kind("activity", "goal of steps reached", _goals),
    Kind("activity", "workouts by sport", lambda p: _texts(p.rows("workouts"), "sport"), "workouts"),
    Kind("activity", "workouts by intensity", lambda p: _texts(p.rows("workouts"), "intensity"), "workouts"),
    Kind("devices", "sources", lambda p: _texts(p.rows("sources"), "id")),
    Kind("devices", "devices", lambda p: sorted(set(_texts(p.rows("devices"), "type")))),
    Kind("devices", "permissions that are given", _given),
    Kind("log", "meals by type", lambda p: _texts(p.rows("meals"), "meal_type"), "meals"),
    Kind("log", "sessions by type", lambda p: _texts(p.rows("sessions"), "session_type"), "sessions"),
    Kind("care", "appointments by state", lambda p: _texts(p.rows("appointments"), "status"), "appointments"),
    Kind("care", "care plans by measure of their rule", _rules, "plans"),
    Kind("shop", "orders by state", _orders, "orders"),
    Kind("shop", "membership", lambda p: ["member" if _member(p) else "none"]),
)
