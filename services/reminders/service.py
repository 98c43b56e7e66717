"""Tools and table of reminders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta
from msgspec.structs import replace

from schemas.base import Json
from schemas.goal import Any, Case, Col, Column, Const, Group, Has, Measure, Select, Test, Unnest, When
from schemas.goal import Table as Rows
from services.moments import TIME_ERROR, clock_of
from services.predicates import below, is_, none, where
from services.reminders.asking import DELETE
from services.reminders.records import WEEKDAYS, Reminder, Weekday
from services.rules import faulty, show_rule
from services.runtime.declare import Flip, Invariant, Service, Table
from services.runtime.tools import Context, tool

if TYPE_CHECKING:
    from collections.abc import Iterable


def in_week_order(days: Iterable[Weekday]) -> tuple[Weekday, ...]:
    """Return days of the week in their order, each once; every day where none is given."""
    given = set(days) or set(WEEKDAYS)
    return tuple(day for day in WEEKDAYS if day in given)


def _show(reminder: Reminder) -> dict[str, Json]:
    rule = show_rule(reminder)
    return {
        "reminder_id": reminder.id,
        "title": reminder.title,
        "time_of_day": reminder.time_of_day,
        "repeat_days": list(reminder.repeat_days),
        **({} if rule is None else {"rule": rule}),
    }


@tool(side="assistant")
def list_daily_reminders(c: Context) -> dict[str, Json]:
    """List all reminders of the user, by time of day.

    `reminders` [{reminder_id, title, time_of_day HH:MM, repeat_days: those of Mon to Sun on which it comes, and `rule`
    {metric, comparison, value, unit, period} where the title states one}].
    """
    found = sorted(c.all(Reminder), key=lambda one: (one.time_of_day, one.title, one.id))
    return {"reminders": [_show(reminder) for reminder in found]}


@tool(
    side="assistant",
    write=True,
    errors={
        **TIME_ERROR,
        "TITLE_EMPTY": "The reminder has no title.",
        "REMINDER_EXISTS": "There is a reminder with this title, time and these days already.",
    },
    example={"title": "Stretch the calves", "time_of_day": "20:30", "repeat_days": ["Mon", "Wed", "Fri"]},
)
def create_daily_reminder(
    c: Context,
    title: Annotated[str, Meta(description="What to be reminded of.")],
    time_of_day: Annotated[str, Meta(description="Time of day, HH:MM, 00:00 to 23:59.")],
    repeat_days: Annotated[list[Weekday], Meta(description="Days of the week; an empty list stands for every day.")],
) -> dict[str, Json]:
    """Create a reminder that comes at one time of day, every day or on some days of the week.

    The new reminder: `reminder_id`, `title`, `time_of_day` and `repeat_days` in the order of the week.
    """
    if not title.strip():
        c.refuse("TITLE_EMPTY", "Say what the user is to be reminded of.")
    at, days = clock_of(c, time_of_day), in_week_order(repeat_days)
    for other in c.all(Reminder):
        if (other.title, other.time_of_day, other.repeat_days) == (title, at, days):
            c.refuse("REMINDER_EXISTS", "There is such a reminder already.", reminder_id=other.id)
    return _show(c.create(Reminder, title=title, time_of_day=at, repeat_days=days))


@tool(
    side="assistant",
    write=True,
    confirm=True,
    asking=DELETE,
    errors={"REMINDER_NOT_FOUND": "The user has no such reminder."},
    example={"reminder_id": "rem_0123456789"},
)
def delete_daily_reminder(
    c: Context, reminder_id: Annotated[str, Meta(description="Id of a reminder, as shown by list_daily_reminders.")]
) -> dict[str, Json]:
    """Delete one of the user's reminders for good.

    `deleted`, the id of the reminder.
    """
    reminder = c.get(Reminder, reminder_id)
    if reminder is None:
        c.refuse("REMINDER_NOT_FOUND", f"There is no reminder {reminder_id!r}.")
    c.delete(reminder)
    return {"deleted": reminder_id}


_DAYS = Unnest(source=Rows(table="reminders", prefix="r"), column="r.repeat_days", name="day")
_REPEATED = Select(
    source=Group(source=_DAYS, keys=["r.id", "day"], measures=[Measure(name="times", fn="count")]),
    where=Test(fn="gt", left=Col(name="times"), right=Const(value=1)),
)
_ANY_DAY = Any(of=[Has(column="r.repeat_days", value=Const(value=day)) for day in WEEKDAYS])
_ON_SOME_DAY = Select(
    source=Rows(table="reminders", prefix="r"),
    columns=[
        Column(
            name="days",
            value=Case(branches=[When(test=_ANY_DAY, then=Const(value=1))], otherwise=Const(value=0)),
        )
    ],
    where=below("days", 1),
)

INVARIANTS = (
    Invariant(
        name="reminders_have_days",
        text="Every reminder comes on at least one day of the week.",
        holds=none(_ON_SOME_DAY),
    ),
    Invariant(name="reminder_days_once", text="No reminder names a day of the week twice.", holds=none(_REPEATED)),
    Invariant(
        name="reminder_rules",
        text="A reminder has a whole rule or none, on a known metric over a period that fits it.",
        holds=none(where("reminders", "r", faulty("r"))),
    ),
    Invariant(
        name="reminders_titled",
        text="Every reminder has a title.",
        holds=none(where("reminders", "r", is_("r.title", ""))),
    ),
)


def _every_day(reminder: Reminder, _: str) -> Reminder | None:
    return replace(reminder, repeat_days=WEEKDAYS) if reminder.repeat_days != WEEKDAYS else None


def _an_hour_later(reminder: Reminder, _: str) -> Reminder | None:
    hour = int(reminder.time_of_day[:2]) + 1
    return replace(reminder, time_of_day=f"{hour:02d}{reminder.time_of_day[2:]}") if hour < 24 else None


SERVICE = Service(
    name="reminders",
    summary="Daily reminders of the user.",
    family="lifestyle",
    tables=(Table("reminders", Reminder, "rem"),),
    flips=(Flip("reminder_every_day", "reminders", _every_day), Flip("reminder_later", "reminders", _an_hour_later)),
    tools=(list_daily_reminders, create_daily_reminder, delete_daily_reminder),
    invariants=INVARIANTS,
    terms=("Reminders may be listed and created without a permission of their own.",),
)
