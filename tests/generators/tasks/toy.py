"""A tiny service for planner tests: a switch that halves prices, a purse, and a counter that needs the switch on."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from generators.tasks.build import col, const, eq, slot, test
from schemas.base import Json
from schemas.goal import Lookup
from schemas.goal import Table as Rows
from schemas.plan import Ask, Call, Confirm, Plan, Question, Tell
from schemas.task import Consent, UserScript
from services.runtime.catalogue import build_catalogue
from services.runtime.declare import Gate, Probe, Remedy, Service, Table, Undo
from services.runtime.environment import Environment
from services.runtime.records import Record
from services.runtime.state import Base
from services.runtime.tools import Context, tool


class Switch(Record, frozen=True):
    """On or off."""

    on: bool


class Price(Record, frozen=True):
    """A price that the switch halves."""

    cents: int


class Sale(Record, frozen=True):
    """What was bought, at which price."""

    cents: int


class Aside(Record, frozen=True):
    """What was put aside, which needs no switch and can be put back."""

    cents: int


Cents = Annotated[int, Meta(description="cents")]


@tool(side="assistant")
def see_switch(c: Context) -> dict[str, Json]:
    """See the switch."""
    return {"on": any(s.on for s in c.all(Switch))}


@tool(side="assistant")
def see_price(c: Context) -> dict[str, Json]:
    """See the price now."""
    (price,) = c.all(Price)
    return {"cents": price.cents // 2 if any(s.on for s in c.all(Switch)) else price.cents}


@tool(side="assistant")
def see_prices(c: Context) -> dict[str, Json]:
    """See all prices in a list."""
    return {"prices": [{"cents": price.cents} for price in c.all(Price)]}


@tool(side="assistant")
def see_weather(c: Context) -> dict[str, Json]:
    """See what nobody needs."""
    return {"sunny": True}


@tool(side="assistant", write=True, gates=("SWITCH",))
def buy(c: Context, cents: Cents) -> dict[str, Json]:
    """Buy at a price."""
    return {"sale_id": c.create(Sale, cents=cents).id}


@tool(side="assistant", write=True, confirm=True)
def buy_confirmed(c: Context, cents: Cents) -> dict[str, Json]:
    """Buy after the user's yes."""
    return {"sale_id": c.create(Sale, cents=cents).id}


@tool(side="assistant", write=True, undo=Undo("put_back", "aside_id", "aside_id"))
def put_aside(c: Context, cents: Cents) -> dict[str, Json]:
    """Put something aside."""
    return {"aside_id": c.create(Aside, cents=cents).id}


@tool(side="assistant", write=True, errors={"NOT_THERE": "Nothing of this id was put aside."})
def put_back(c: Context, aside_id: Annotated[str, Meta(description="id")]) -> dict[str, Json]:
    """Put back what was put aside."""
    aside = c.get(Aside, aside_id)
    if aside is None:
        c.refuse("NOT_THERE", "It is not there.")
    c.delete(aside)
    return {"aside_id": aside_id}


@tool(side="assistant", write=True)
def tip(c: Context, cents: Cents) -> dict[str, Json]:
    """Give something away, for good."""
    return {"sale_id": c.create(Sale, cents=cents).id}


@tool(side="user", write=True)
def flip(c: Context, on: Annotated[bool, Meta(description="new position")]) -> dict[str, Json]:
    """Flip the switch."""
    c.put(Switch(id="switch", on=on))
    return {"on": on}


_ON = Lookup(source=Rows(table="switches", prefix="s"), where=eq(col("s.id"), const("switch")), field="s.on")
GATE = Gate(
    name="SWITCH",
    code="SWITCHED_OFF",
    message="The switch is off.",
    closed=test("ne", _ON, const(True)),
    probe=Probe("see_switch"),
    remedy=Remedy(
        tool="flip",
        arguments={"on": const(True)},
        shows=test("ne", slot("on"), const(True)),
        values={"on": ("probe", "on")},
    ),
)
SERVICE = Service(
    name="toy",
    summary="A toy.",
    tables=(
        Table("switches", Switch, "switch"),
        Table("prices", Price, "price"),
        Table("sales", Sale, "sale"),
        Table("asides", Aside, "aside"),
    ),
    tools=(see_switch, see_price, see_prices, see_weather, buy, buy_confirmed, put_aside, put_back, tip, flip),
    gates=(GATE,),
)


def toy_environment(*, on: bool) -> Environment:
    """Return an environment with one price of 80 cents."""
    tables = {
        "switches": {"switch": Switch(id="switch", on=on)},
        "prices": {"p": Price(id="p", cents=80)},
        "sales": {},
        "asides": {},
    }
    return Environment(Base(tables, {}), build_catalogue([SERVICE]), now="2026-03-01T10:00:00", seed="toy")


def script(*, granted: bool) -> UserScript:
    """Return a user who grants or refuses the switch."""
    return UserScript(style="terse", consents=[Consent(gate="SWITCH", granted=granted)], top_up="refuse")


def shapes(plan: Plan) -> list[str]:
    """Return the plan as short words."""
    words: list[str] = []
    for step in plan.steps:
        match step:
            case Call():
                words.append(f"{step.tool}({', '.join(f'{k}={v}' for k, v in step.arguments.items())})")
            case Ask():
                words.append(f"ask {step.gate} {'yes' if step.granted else 'no'}")
            case Confirm():
                words.append(f"confirm {step.tool}")
            case Question():
                words.append(f"question {step.slot} {step.value}")
            case Tell():
                words.append(f"tell {step.answers}")
    return words
