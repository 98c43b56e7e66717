"""A service as a plug-in would write it, small enough to show each mechanism of the runtime alone."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from schemas.goal import Aggregate, Col, Const, FieldIs, Lookup, Pred, Slot, Test, Write
from schemas.goal import Table as Rows
from services.runtime.catalogue import Catalogue, build_catalogue
from services.runtime.declare import Gate, Invariant, Probe, Remedy, Service, Table
from services.runtime.environment import Environment
from services.runtime.records import Record
from services.runtime.state import Base
from services.runtime.tables import Tables
from services.runtime.tools import Context, tool


class Switch(Record, frozen=True):
    """Whether lamps may be lit; id `switch`."""

    on: bool


class Lamp(Record, frozen=True):
    """A lamp."""

    room: str
    watts: int
    lit_at: str | None = None


class Wire(Record, frozen=True):
    """What no tool shows."""

    lamp: str


@tool(side="assistant")
def look(c: Context) -> dict[str, Json]:
    """Return the lamps and whether the switch is on.

    `lamps` by id and `on`.
    """
    switch = c.get(Switch, "switch")
    return {"lamps": [lamp.id for lamp in c.all(Lamp)], "on": switch is not None and switch.on}


@tool(side="user", write=True, example={"on": True})
def flip(c: Context, on: bool) -> dict[str, Json]:
    """Turn the switch.

    `on`, its new position.
    """
    c.put(Switch(id="switch", on=on))
    return {"on": on}


@tool(
    side="assistant",
    write=True,
    gates=("POWER",),
    errors={"TOO_BRIGHT": "More than 100 watts."},
    example={"room": "hall", "watts": 40},
)
def hang(c: Context, room: str, watts: Annotated[int, Meta(ge=1)] = 40) -> dict[str, Json]:
    """Hang a lamp.

    `lamp`, its id, and `at`.
    """
    lamp = c.create(Lamp, room=room, watts=watts, lit_at=c.stamp())
    c.create(Wire, lamp=lamp.id)
    if watts > 100:
        c.refuse("TOO_BRIGHT", f"{watts} watts are too much.", most=100)
    return {"lamp": lamp.id, "at": lamp.lit_at}


@tool(side="assistant", write=True, confirm=True, example={"rooms": 1})
def tear_down(c: Context, rooms: int = 1) -> dict[str, Json]:
    """Take all lamps down.

    `gone`, how many.
    """
    lamps = c.all(Lamp)
    for lamp in lamps:
        c.delete(lamp)
    return {"gone": len(lamps)}


@tool(side="assistant")
def open_box(c: Context) -> dict[str, Json]:
    """Open the box that holds another tool.

    Nothing.
    """
    c.unlock("box")
    return {}


@tool(side="assistant", example={"ids": ["lamp_1"]})
def count(c: Context, ids: list[str]) -> dict[str, Json]:
    """Count the lamps among these.

    `found`.
    """
    return {"found": sum(c.get(Lamp, key) is not None for key in ids)}


@tool(side="assistant", behind="box")
def peek(c: Context) -> dict[str, Json]:
    """Look into the box.

    `inside`.
    """
    return {"inside": "a fuse"}


@tool(side="assistant", write=True)
def short_circuit(c: Context) -> dict[str, Json]:
    """Write, then break: a defect.

    Nothing.
    """
    c.create(Lamp, room="cellar", watts=1)
    c.put(Switch(id="switch", on=False))
    c.unlock("box")
    raise KeyError("fuse")


@tool(side="assistant")
def meddle(c: Context) -> dict[str, Json]:
    """Write although it is declared as a read: a defect.

    Nothing.
    """
    c.put(Switch(id="switch", on=False))
    return {}


@tool(side="assistant", write=True)
def interrupted(c: Context) -> dict[str, Json]:
    """Write, then be interrupted.

    Nothing.
    """
    c.put(Switch(id="switch", on=False))
    raise KeyboardInterrupt


def power_gate(standing: bool = False) -> Gate:
    """Return the gate that is closed while the switch is off."""
    off: Pred = Test(
        fn="ne",
        left=Lookup(
            source=Rows(table="switch", prefix="s"),
            where=Test(fn="eq", left=Col(name="s.id"), right=Const(value="switch")),
            field="s.on",
        ),
        right=Const(value=True),
    )
    return Gate(
        name="POWER",
        code="NO_POWER",
        message="There is no power.",
        closed=off,
        standing=standing,
        details={"watts": Slot(name="watts"), "lamps": Aggregate(fn="count", source=Rows(table="lamps", prefix="l"))},
        probe=Probe("look"),
        remedy=Remedy(
            tool="flip",
            arguments={"on": Const(value=True)},
            shows=Test(fn="eq", left=Slot(name="on"), right=Const(value=False)),
            values={"on": ("probe", "on")},
        ),
        effect=(
            Write(
                op="update", table="switch", id=Const(value="switch"), fields={"on": FieldIs(value=Const(value=True))}
            ),
        ),
    )


TABLES = (
    Table("switch", Switch, "switch"),
    Table("lamps", Lamp, "lamp", stamps=("lit_at",), indexes=("room",)),
    Table("wires", Wire, "wire", references={"lamp": "lamps"}, hidden=True),
)
TOOLS = (look, count, flip, hang, tear_down, open_box, peek, short_circuit, meddle, interrupted)
LIT = Invariant(
    name="lamps_lit",
    text="There are at most 100 lamps.",
    holds=Test(fn="le", left=Aggregate(fn="count", source=Rows(table="lamps", prefix="l")), right=Const(value=100)),
)
SERVICE = Service(
    name="toy",
    summary="Lamps.",
    tables=TABLES,
    tools=TOOLS,
    gates=(power_gate(),),
    invariants=(LIT,),
)


def catalogue() -> Catalogue:
    """Return the catalogue that holds the toy service alone."""
    return build_catalogue([SERVICE])


def environment(on: bool = True, *lamps: Lamp) -> Environment:
    """Return an environment with these lamps."""
    records = {
        "switch": {"switch": Switch(id="switch", on=on)},
        "lamps": {lamp.id: lamp for lamp in lamps},
        "wires": {f"wire_{lamp.id}": Wire(id=f"wire_{lamp.id}", lamp=lamp.id) for lamp in lamps},
    }
    tables = Tables(records, {table.name: table.record for table in TABLES})
    return Environment(Base(tables, {}), catalogue(), now="2025-03-01T08:00:00", seed="toy")
