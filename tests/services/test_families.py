"""Tools declared once and offered for each of several members, and gates that answer instead of refusing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import pytest
from msgspec import Meta

from schemas import goal as g
from schemas.base import Json
from services.runtime.catalogue import Catalogue, build_catalogue
from services.runtime.declare import Gate, Service, Table
from services.runtime.environment import Environment
from services.runtime.families import Family, for_member
from services.runtime.records import Record
from services.runtime.state import Base
from services.runtime.tables import Tables
from services.runtime.tools import Context, tool
from tests.services.sample import code_of

STATIONS = Family("station", "station", ("north", "south_2"))


class Station(Record, frozen=True):
    """A weather station."""

    staffed: bool


class Reading(Record, frozen=True):
    """What a station read on the day that is the id."""

    station: str | None
    degrees: int


def _of_station(field: str) -> g.Lookup:
    where = g.Test(fn="eq", left=g.Col(name="s.id"), right=g.Slot(name="station"))
    return g.Lookup(source=g.Table(table="stations", prefix="s"), where=where, field=f"s.{field}")


STAFFED = Gate(
    name="STAFFED",
    code="NOBODY_THERE",
    message="Nobody is at the station.",
    closed=g.Test(fn="ne", left=_of_station("staffed"), right=g.Const(value=True)),
    standing=False,
    details={"station": g.Slot(name="station")},
)
READ = Gate(
    name="READ",
    code="",
    message="There is no reading that can be seen.",
    closed=g.Not(
        of=g.Test(
            fn="eq",
            left=g.Lookup(
                source=g.Table(table="readings", prefix="r"),
                where=g.Test(fn="eq", left=g.Col(name="r.id"), right=g.Slot(name="day")),
                field="r.station",
            ),
            right=g.Slot(name="station"),
        )
    ),
    quiet=True,
    standing=False,
    details={"day": g.Slot(name="day")},
)


@tool(side="assistant", unlocks=STATIONS.behind, errors={"UNKNOWN_STATION": "There is none of this name."})
def find_station(c: Context, station: str = "north") -> dict[str, Json]:
    """Find a station.

    `tools`, those that it offers.
    """
    if c.get(Station, station) is None:
        c.refuse("UNKNOWN_STATION", f"There is no station {station!r}.")
    c.unlock(STATIONS.feature(station))
    return {"tools": [*c.tools_behind(STATIONS.feature(station))]}


@tool(side="assistant", family=STATIONS, gates=("STAFFED", "READ"), example={"day": "mon"})
def degrees(c: Context, station: str, day: Annotated[str, Meta(description="The day.")]) -> dict[str, Json]:
    """Return what the station read on a day.

    `available`, `station` and `degrees`.
    """
    reading = c.get(Reading, day)
    return {"available": True, "station": station, "degrees": reading.degrees if reading else None}


@tool(side="assistant", family=STATIONS, write=True, gates=("STAFFED",), example={"degrees": 5})
def correct(c: Context, station: str, degrees: int) -> dict[str, Json]:
    """Correct what the station read on Monday.

    `station`.
    """
    c.put(Reading(id="mon", station=station, degrees=degrees))
    return {"station": station}


@tool(side="user", family=STATIONS, write=True, example={"staffed": True})
def staff(c: Context, station: str, staffed: bool) -> dict[str, Json]:
    """Say whether somebody is at the station.

    Nothing.
    """
    c.put(Station(id=station, staffed=staffed))
    return {}


SERVICE = Service(
    name="weather",
    summary="Weather.",
    tables=(Table("stations", Station, "station"), Table("readings", Reading, "reading")),
    tools=(find_station, degrees, correct, staff),
    gates=(STAFFED, READ),
)


def catalogue() -> Catalogue:
    return build_catalogue([SERVICE])


def environment(north: bool = True) -> Environment:
    records: dict[str, dict[str, Record]] = {
        "stations": {"north": Station(id="north", staffed=north)},
        "readings": {
            "mon": Reading(id="mon", station="north", degrees=4),
            "tue": Reading(id="tue", station="south_2", degrees=7),
            "wed": Reading(id="wed", station=None, degrees=0),
        },
    }
    tables = Tables(records, {"stations": Station, "readings": Reading})
    return Environment(Base(tables, {}), catalogue(), now="2025-03-01T08:00:00", seed="w")


def names(env: Environment) -> list[str]:
    found: Any = env.tools()
    return [entry["function"]["name"] for entry in found]


def test_a_tool_of_a_family_is_declared_once() -> None:
    tools = catalogue().tools
    assert list(tools) == ["find_station", "<station>-degrees", "<station>-correct", "<station>-staff"]
    assert len(tools) == 4 and tools.keys() == set(tools)
    assert tools["<station>-degrees"].summary == tools["north-degrees"].summary
    assert [t.name for t in catalogue().tools_of("assistant")] == sorted(set(tools) - {"<station>-staff"})


def test_members_are_found_by_name_and_are_not_listed() -> None:
    tools = catalogue().tools
    for name in ("north-degrees", "south_2-degrees", "south_2-correct"):
        assert name in tools and tools.get(name) is tools[name] and name not in list(tools)
        assert tools[name].name == name and tools[name].callable
    assert not tools["<station>-degrees"].callable
    assert tools.get("west-degrees") is None and "west-degrees" not in tools
    assert tools.get("west-degrees", 5) == 5
    with pytest.raises(KeyError):
        tools["west-degrees"]
    assert catalogue().sample(tools["<station>-degrees"]) == tools["north-degrees"]
    assert catalogue().sample(tools["find_station"]) is tools["find_station"]


def test_the_member_is_no_argument_of_the_schema() -> None:
    schema: Any = catalogue().tools["north-degrees"].schema
    assert list(schema["properties"]) == schema["required"] == ["day"]
    assert code_of(unlocked().call("north-degrees", {"day": "mon", "station": "south_2"})) == "INVALID_ARGUMENTS"


def unlocked(north: bool = True) -> Environment:
    env = environment(north)
    assert "error" not in env.call("find_station")
    return env


def test_a_member_is_offered_after_its_own_discovery_only() -> None:
    env = environment()
    assert names(env) == ["find_station"]
    assert code_of(env.call("north-degrees", {"day": "mon"})) == "TOOL_NOT_AVAILABLE"
    start = env.snapshot()
    shown: Any = env.call("find_station")["tools"]
    assert [entry["function"]["name"] for entry in shown] == ["north-correct", "north-degrees", "north-staff"]
    assert names(env) == ["find_station", "north-correct", "north-degrees"]
    assert env.call("north-degrees", {"day": "mon"}) == {"available": True, "station": "north", "degrees": 4}
    error: Any = env.call("south_2-degrees", {"day": "tue"})["error"]
    assert (error["code"], error["feature"]) == ("TOOL_NOT_AVAILABLE", "station:south_2")
    env.restore(start)
    assert code_of(env.call("north-degrees", {"day": "mon"})) == "TOOL_NOT_AVAILABLE"


@pytest.mark.parametrize("name", ["<station>-degrees", "degrees", "station-degrees", "north.degrees", "north-", "-"])
def test_other_names_are_unknown(name: str) -> None:
    assert code_of(unlocked().call(name, {"day": "mon"})) == "UNKNOWN_TOOL"


def test_sides_and_writes_are_those_of_the_declaration() -> None:
    env = unlocked()
    assert code_of(env.call("north-staff", {"staffed": False})) == "WRONG_SIDE"
    assert env.call("north-correct", {"degrees": 9}) == {"station": "north"}
    assert env.call("north-degrees", {"day": "mon"})["degrees"] == 9
    assert env.call("north-staff", {"staffed": False}, "user") == {}
    error: Any = env.call("north-degrees", {"day": "mon"})["error"]
    assert (error["code"], error["gate"], error["station"]) == ("NOBODY_THERE", "STAFFED", "north")


def test_results_kept_of_one_member_are_not_another_ones() -> None:
    env = unlocked()
    env.session = env.session._replace(unlocked=frozenset({"station:north", "station:south_2"}))
    env.state_.set("stations", "south_2", Station(id="south_2", staffed=True))
    assert env.call("north-degrees", {"day": "mon"})["station"] == "north"
    assert env.call("south_2-degrees", {"day": "tue"})["station"] == "south_2"


# --- quiet gates ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("day", ["tue", "wed", "sun"])
def test_a_quiet_gate_answers_and_tells_no_reason(day: str) -> None:
    env = unlocked()
    before = env.snapshot()
    assert env.call("north-degrees", {"day": day}) == {"available": False, "day": day}
    assert env.unavailable == "READ"
    assert env.diff(before) == {} and env.session.calls == before.session.calls + 1
    assert ("readings", day) in env.footprint.reads
    assert "available" in env.call("north-degrees", {"day": "mon"}) and env.unavailable == ""


def test_gates_that_refuse_come_in_their_order() -> None:
    env = unlocked(north=False)
    assert code_of(env.call("north-degrees", {"day": "tue"})) == "NOBODY_THERE"
    assert env.unavailable == ""


def test_a_quiet_gate_has_no_error_code() -> None:
    known = catalogue()
    assert "" not in known.errors_of(known.tools["north-degrees"])
    assert "NOBODY_THERE" in known.errors_of(known.tools["north-degrees"])


# --- declarations that contradict themselves -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: replace(s, tools=(*s.tools, replace(find_station, name="north-degrees"))), "'north-degrees'"),
        (lambda s: replace(s, tools=(replace(degrees, family=Family("station", "station", ())),)), "for nobody"),
        (
            lambda s: replace(s, tools=(replace(degrees, family=Family("station", "station", ("a b",))),)),
            "'a b-degrees' is no name",
        ),
        (lambda s: replace(s, tools=(replace(find_station, unlocks="x"),)), "unlocks 'x', behind which"),
        (lambda s: replace(s, tools=(*s.tools, replace(correct, name="<station>-c", gates=("READ",)))), "writes, and"),
        (
            lambda s: replace(s, tools=(replace(degrees, family=Family("station", "x", ("a",))),)),
            "asks for 'station', which is no argument",
        ),
    ],
)
def test_contradictions_are_named(change: Callable[[Service], Service], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_catalogue([change(SERVICE)])


def test_a_tool_of_no_family_has_no_members() -> None:
    with pytest.raises(ValueError, match="no family"):
        for_member(find_station, "north")
