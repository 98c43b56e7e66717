"""Known defects of how a published environment of this kind kept its state and its gates, not repeated here."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import msgspec
import pytest

from schemas.base import Json, canonical
from schemas.environment import EnvironmentRecord
from schemas.task import Patch
from services import open_environment
from services.runtime.catalogue import build_catalogue, installed_catalogue
from services.runtime.declare import Service, Table
from services.runtime.door import at_start, base_of, load_world
from services.runtime.environment import Environment
from services.runtime.records import Record
from services.runtime.state import dump_tables
from tests.environments import SEED, environment, person, world
from tests.services import sample, toy
from tests.services.refusals.lifestyle import eaten, plot
from tests.services.sample import done, permissions, voucher

CATALOGUE = installed_catalogue()


def start_row(record: EnvironmentRecord, *patches: Patch) -> dict[str, Json]:
    """Return a task's start as a published row has it."""
    row: dict[str, Json] = {"setup_json": json.dumps([patch.model_dump() for patch in patches]), "start_hash": ""}
    start = base_of(at_start(record, row), load_world(sample.WORLD))
    return {**row, "start_hash": f"{start.hash:032x}"}


# D1: what a task was made from was drawn anew when it was loaded.


@pytest.mark.parametrize("index", range(4))
def test_defect_D1_what_was_made_is_what_opens_again_and_again(index: int) -> None:
    made = environment(index)
    published = EnvironmentRecord.model_validate(json.loads(made.model_dump_json()))
    for record in (made, published, published):
        env = open_environment(record, world())
        assert dump_tables(env.state_) == made.tables
        assert (env.state_hash(), env.now) == (made.state_hash, made.now)
    days: dict[str, Json] = {"start_date": made.now[:8] + "01", "end_date": made.now[:10]}
    first, second = open_environment(made, world()), open_environment(published, world())
    for tool in ("get_sport_records", "get_meal_records", "get_session_records", "get_transactions"):
        arguments = days if CATALOGUE.tools[tool].schema["properties"] else {}
        assert first.call(tool, arguments) == second.call(tool, arguments)


def test_defect_D1_a_record_that_was_changed_does_not_open() -> None:
    tables = copy.deepcopy(environment(0).tables)
    tables["profile"][0]["age"] = 17
    with pytest.raises(ValueError, match="state_hash"):
        open_environment(environment(0).model_copy(update={"tables": tables}), world())


# D3: one mutable store for all tasks of a user. D4: making tasks again changed the world of earlier ones.


def test_defect_D3_what_one_task_does_or_needs_reaches_no_other() -> None:
    record = sample.record(sources=[{"id": "fitbit", "connected": False}, {"id": "oura", "connected": False}])
    whole = canonical(record)
    one = Patch(table="sources", id="fitbit", record={"id": "fitbit", "connected": True})
    other = Patch(table="permissions", id="user_notes", record={"id": "user_notes", "allowed": True})
    first = open_environment(record, sample.WORLD, start_row(record, one))
    second = open_environment(record, sample.WORLD, start_row(record, other))
    done(first, "set_purchase_permission", "user", allow=False)
    done(first, "create_meal_record", **eaten())
    settings: Any = done(second, "get_system_settings")
    assert {s["source"]: s["connected"] for s in settings["marketplaces"]} == {"fitbit": False, "oura": False}
    assert settings["permissions"]["allow_purchase"] and settings["permissions"]["allow_user_notes_access"]
    assert done(second, "get_meal_records", start_date="2025-06-10", end_date="2025-06-10") == {"meals": []}
    assert canonical(record) == whole
    again = open_environment(record, sample.WORLD, start_row(record, one))
    assert again.state_hash() != first.state_hash()
    assert again.delta() == {}


def test_defect_D4_a_start_is_the_same_however_often_it_is_made() -> None:
    record = sample.record(vouchers=[voucher("v1"), voucher("v2")])
    patches = [
        Patch(table="vouchers", id="v3", record=dict(voucher("v3"))),
        Patch(table="membership", id="membership", record={"id": "membership", "expires_on": "2025-07-01"}),
    ]
    starts = [open_environment(record, sample.WORLD, start_row(record, *patches)) for _ in range(5)]
    assert len({env.state_hash() for env in starts}) == 1
    wallet: Any = done(starts[-1], "get_wallet")
    assert [v["voucher_id"] for v in wallet["vouchers"]] == ["v1", "v2", "v3"]
    assert (wallet["vip"], wallet["vip_expiry"]) == (True, "2025-07-01")
    assert [row["id"] for row in record.tables["vouchers"]] == ["v1", "v2"]


def test_defect_D4_making_an_environment_again_adds_nothing_to_it() -> None:
    from generators.environments import build_environment

    again = build_environment(SEED, person(2), world())
    assert canonical(again) == canonical(environment(2))
    ids = [str(row["id"]) for row in again.tables["vouchers"]]
    assert len(ids) == len(set(ids)) <= 7


# D23: some ways to the same data were gated and others were not.

OPEN = sample.permissions(med_assistant=True, purchase=True, raw_data=True, user_notes=True)
GUARDED: Mapping[str, frozenset[str]] = {
    "notes": frozenset({"NOTES"}),
    "med_profile": frozenset({"VIP", "MED"}),
    "care_plans": frozenset({"VIP", "MED"}),
    "taken_slots": frozenset({"VIP", "MED"}),
    "providers": frozenset({"VIP", "MED"}),
    "appointments": frozenset({"VIP", "MED"}),
    "wearable_days": frozenset({"DATA"}),
    "nights": frozenset({"DATA"}),
    "signals": frozenset({"RAW", "CONNECTED", "SOURCE_DATA"}),
}
"""Table -> gates of every tool of the assistant that shows what stands in it."""
TELLS_NO_MORE_THAN_AN_ID = {("get_transactions", "appointments")}
SUMS_UP_OPEN_DAYS = {"get_range_summary"}


def everything_open() -> Environment:
    env = sample.medical(sample.NOW, permissions=OPEN, **sample.appointment("appt", "2025-06-12", "09:00", "09:30"))
    for tool in CATALOGUE.tools.values():
        callable_tool = CATALOGUE.sample(tool)
        if callable_tool.behind:
            sample.unlock(env, callable_tool.behind)
    return env


def test_defect_D23_every_way_to_the_same_data_has_the_same_gates() -> None:
    touched: dict[str, set[str]] = {table: set() for table in GUARDED}
    for declared in CATALOGUE.tools.values():
        tool = CATALOGUE.sample(declared)
        env = everything_open()
        if tool.confirm:
            env.confirm(tool.name, tool.example)
        before = frozenset(gate for name in tool.gates for gate in [name])
        env.call(tool.name, tool.example, tool.side)
        tables = {table for table, _ in (*env.footprint.reads, *env.footprint.writes)}
        for table in tables & GUARDED.keys():
            touched[table].add(tool.name)
            if tool.side == "assistant" and (tool.name, table) not in TELLS_NO_MORE_THAN_AN_ID:
                gates = {"DATA"} if tool.name in SUMS_UP_OPEN_DAYS and "DATA_RANGE" in before else set[str]()
                assert GUARDED[table] <= before | gates, (tool.name, table)
    for table in ("notes", "med_profile", "care_plans", "appointments", "providers"):
        assert touched[table], f"no example reaches {table}"


def test_defect_D23_what_the_user_logs_is_free_of_gates_alike() -> None:
    own = {tool.name for name in ("records", "reminders") for tool in CATALOGUE.services[name].tools}
    assert {name for name in own if CATALOGUE.tools[name].gates} == set()
    env = sample.environment(permissions=permissions(), membership=[])
    done(env, "create_meal_record", **eaten())
    done(env, "get_user_profile")


# D64: numbers with a fraction crashed, and the same quantity had several forms.


class Weighed(Record, frozen=True):
    kilograms: float


class Nested(msgspec.Struct, frozen=True):
    met: float


class Minutes(Record, frozen=True):
    values: tuple[Nested, ...]


def test_defect_D64_records_hold_whole_numbers_and_results_have_one_form() -> None:
    for record in (Weighed, Minutes):
        with pytest.raises(ValueError, match="is no integer"):
            build_catalogue([replace(toy.SERVICE, tables=(*toy.TABLES, Table("x", cast("type[Record]", record), "x")))])
    service = Service("empty", "")
    assert build_catalogue([service]).services == {"empty": service}


@pytest.mark.parametrize("value", [2.5, 1e-3, 0.1 + 0.2, 1234567.891, 12.0, 3])
def test_defect_D64_fractions_are_taken_where_a_number_is_asked_for(value: float) -> None:
    env = sample.environment()
    done(env, "plot_time_series", **plot([cast("Json", value)]))
    ((_, after),) = env.delta()["plots"].values()
    assert after is not None
    assert after["values_thousandths"] == [int(value * 1000 + 0.5)]
    amount = env.call("create_meal_record", eaten(value=value))
    assert "error" not in amount or value > 5000 or value < 0.05
