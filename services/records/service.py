"""The service: tables, tools and rules of the user's log."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from services.moments import clock_at
from services.records.asking import DELETE
from services.records.flips import FLIPS
from services.records.invariants import INVARIANTS, WORLD_RULES
from services.records.meals import (
    MEAL_HOURS,
    analysis_meal,
    create_meal_record,
    delete_meal,
    get_meal_records,
)
from services.records.records import Food, LoggedSession, Meal, MealItem
from services.records.sessions import MOST_HOURS, create_session_record, get_session_records
from services.runtime.declare import Service, Table, View
from services.runtime.tools import Context, tool


@tool(
    side="assistant",
    write=True,
    confirm=True,
    asking=DELETE,
    errors={"RECORD_NOT_FOUND": "The user has logged no such meal or session."},
    example={"record_id": "meal_0123456789"},
)
def delete_record(
    c: Context,
    record_id: Annotated[
        str, Meta(description="Id of a meal or session, as shown by get_meal_records or get_session_records.")
    ],
) -> dict[str, Json]:
    """Delete a meal or a session from the user's log for good. Workouts come from devices and cannot be deleted.

    `deleted`, the id, and `kind`: meal or session.
    """
    meal = c.get(Meal, record_id)
    if meal is not None:
        delete_meal(c, meal)
        return {"deleted": record_id, "kind": "meal"}
    session = c.get(LoggedSession, record_id)
    if session is None:
        c.refuse("RECORD_NOT_FOUND", f"There is no meal or session {record_id!r}.")
    c.delete(session)
    return {"deleted": record_id, "kind": "session"}


_HOURS = ", ".join(f"{kind} from {clock_at(first)} until {clock_at(last)}" for first, last, kind in MEAL_HOURS)

SERVICE = Service(
    name="records",
    summary="The user's own log of meals and sessions.",
    family="lifestyle",
    tables=(
        Table("meals", Meal, "meal", observed=("time",)),
        Table(
            "meal_items",
            MealItem,
            "eaten",
            references={"meal_id": "meals", "food_id": "foods"},
            view=View(keys=("meal_id", "food_id"), sums=("amount_tenths",)),
            indexes=("meal_id",),
        ),
        Table("sessions", LoggedSession, "session", observed=("start", "end")),
    ),
    world_tables=(Table("foods", Food, "food"),),
    flips=FLIPS,
    tools=(
        get_session_records,
        get_meal_records,
        analysis_meal,
        create_session_record,
        create_meal_record,
        delete_record,
    ),
    terms=(
        "What the user logged may be read and added to without a permission of its own.",
        "A meal or a session is logged after it took place, never ahead.",
        f"A meal logged by the assistant counts by its time: {_HOURS}, else as a snack.",
        f"A session lasts at most {MOST_HOURS} hours.",
        "A day without meals on record is a day that was not logged; it says nothing about what was eaten.",
    ),
    invariants=INVARIANTS,
    world_rules=WORLD_RULES,
)
