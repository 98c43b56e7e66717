"""Random conversations about meals, sessions, reminders, plots and appointments: what holds after every single call."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.base import Json
from services.runtime.environment import Environment
from services.runtime.tools import Tool
from tests.effort import amount
from tests.services import sample
from tests.services.refusals.lifestyle import REMINDER, RULE, SESSION
from tests.services.refusals.medical import both, taken
from tests.services.test_sessions import CATALOGUE, check_everything, one_call

SERVICES = ("records", "reminders", "insights", "medical")
TOOLS = {tool.name: tool for name in SERVICES for tool in CATALOGUE.services[name].tools}


def start() -> Environment:
    """An environment in which appointments, fees, refunds and records of every kind can meet soon."""
    logged = both(
        sample.meal("meal_1", "08:00", ("oatmeal", 2500), ("milk", 2000)),
        sample.meal("meal_2", "2025-06-09T19:00:00", ("almonds", 300)),
    )
    booked = both(
        sample.appointment("appt", "2025-06-12", "09:00", "09:30", fee_cents=4000, duration=30),
        sample.appointment("soon", "2025-06-11", "11:00", "11:15"),
        sample.appointment("past", "2025-06-03", "10:00", "10:15"),
    )
    unpaid = sample.appointment(
        "unpaid", "2025-06-13", "08:00", "08:15", status="pending", created_at="2025-06-10T11:00:00"
    )
    payments: list[sample.Row] = [
        {
            "id": f"le_{row['id']}",
            "kind": "payment",
            "amount_cents": -cast("int", row["total_cents"]),
            "transaction_id": row["id"],
            "at": row["settled_at"],
        }
        for row in booked["transactions"]
    ]
    spent = -sum(cast("int", row["amount_cents"]) for row in payments)
    env = sample.medical(
        sample.NOW,
        **logged,
        **both(booked, unpaid),
        ledger=payments,
        wallet=[{"id": "wallet", "balance_cents": 5000, "opening_cents": 5000 + spent}],
        taken_slots=taken("2025-06-12", "10:00", "10:30"),
        sessions=[SESSION],
        reminders=[{"id": "rem_1", **REMINDER, **dict.fromkeys(RULE)}],
    )
    check_everything(env)
    return env


ODD = st.sampled_from(["", " ", "x", "2025-02-30", "99:99", "null", "größe"])
DAYS = st.sampled_from([f"2025-06-{day:02d}" for day in range(8, 17)])
CLOCKS = st.sampled_from([f"{hour:02d}:{minute:02d}" for hour in range(7, 18) for minute in (0, 15, 20, 30)])
AMOUNTS = st.sampled_from([0, -1, 0.04, 1, 2.5, 30, 250, 1e15])
POOLS: dict[str, st.SearchStrategy[Any]] = {
    "date": DAYS,
    "start_date": DAYS,
    "end_date": DAYS,
    "time": CLOCKS,
    "time_of_day": CLOCKS,
    "timestamp": st.builds("{}T{}:00".format, DAYS, CLOCKS),
    "start_time": st.builds("{}T{}:00".format, DAYS, CLOCKS),
    "end_time": st.builds("{}T{}:00".format, DAYS, CLOCKS),
    "duration": st.sampled_from([15, 15, 30, 60, 0, -15, 20, 100_000]),
    "provider_id": st.sampled_from(["prov_01", "prov_01", "prov_02", "prov_99"]),
    "appointment_id": st.sampled_from(["appt", "soon", "past", "unpaid", "none"]),
    "record_id": st.sampled_from(["meal_1", "meal_2", "session_1", "meal_1_0", "none"]),
    "reminder_id": st.sampled_from(["rem_1", "none"]),
    "name": st.sampled_from(["Oatmeal", "milk", "almonds", "Unicorn"]),
    "unit": st.sampled_from(["g", "ml", "kg", "piece", "cups"]),
    "exclude": st.lists(st.sampled_from(["nuts", "dairy", "oatmeal", "grains", "plutonium"]), max_size=2),
}


def fitting(schema: dict[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Values that fit a schema, those of known names mostly such that a call can succeed."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([fitting(part, name) for part in schema["anyOf"]])
    match schema.get("type"):
        case "object":
            properties = {key: fitting(part, key) for key, part in schema["properties"].items()}
            needed = {key: value for key, value in properties.items() if key in schema["required"]}
            optional = {key: value for key, value in properties.items() if key not in needed}
            return st.fixed_dictionaries(needed, optional=optional)
        case "array" if name not in POOLS:
            return st.lists(fitting(schema["items"], name), max_size=3)
        case "number" | "integer" if name not in POOLS:
            low = schema.get("minimum", -1)
            return AMOUNTS.filter(lambda value: value >= low and (schema["type"] == "number" or value == int(value)))
        case "null":
            return st.none()
        case _:
            known = POOLS.get(name, ODD)
            return st.one_of(known, known, known, ODD) if schema.get("type") == "string" else known


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
@settings(max_examples=10)
@given(data=st.data())
def test_any_arguments_are_answered_and_keep_the_rules(tool: Tool, data: st.DataObject) -> None:
    env = start()
    for _ in range(3):
        arguments = data.draw(fitting(cast("dict[str, Any]", tool.schema)))
        if tool.confirm:
            env.confirm(tool.name, arguments)
        assert one_call(env, tool.name, arguments, tool.side) != "INVALID_ARGUMENTS"
    wrong = st.dictionaries(st.sampled_from(["date", "items", "x"]), st.sampled_from([None, 3, "", [1]]))
    one_call(env, tool.name, cast("dict[str, Json]", data.draw(wrong)), tool.side)


CARE = st.lists(
    st.one_of(
        st.tuples(st.just("book"), DAYS, CLOCKS, st.sampled_from([15, 30, 60])),
        st.tuples(st.just("book"), DAYS, st.sampled_from(["08:00", "09:00", "10:00"]), st.just(15)),
        st.tuples(st.just("pay"), st.integers(0, 6)),
        st.tuples(st.just("pay"), st.integers(0, 6)),
        st.tuples(st.just("cancel"), st.integers(0, 6)),
        st.tuples(st.just("top_up"), st.sampled_from([5, 40])),
    ),
    min_size=3,
    max_size=10,
)


def _call(env: Environment, op: tuple[Any, ...]) -> tuple[str, dict[str, Json]]:
    def nth(table: str) -> str:
        keys = [record.id for record in env.state_.all(table)]
        return keys[op[1] % len(keys)]

    match op:
        case ("book", date, time, duration):
            place: dict[str, Json] = {"provider_id": "prov_01", "date": date, "time": time}
            return "med-create_appointment", {**place, "duration": duration, "reason": "Check-up"}
        case ("pay", _):
            return "authorize_checkout", {"transaction_id": nth("transactions")}
        case ("cancel", _):
            return "med-cancel_appointment", {"appointment_id": nth("appointments")}
        case _:
            return "top_up_wallet", {"amount": op[1]}


@settings(max_examples=amount(8, 25))
@given(CARE)
def test_booking_paying_and_cancelling_in_any_order_keeps_the_rules(ops: list[tuple[Any, ...]]) -> None:
    env = start()
    for op in ops:
        name, arguments = _call(env, op)
        if CATALOGUE.tools[name].confirm:
            env.confirm(name, arguments)
        one_call(env, name, arguments, CATALOGUE.tools[name].side)
