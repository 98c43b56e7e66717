"""What may be seen of recorded data: days and nights while the source that recorded them is connected."""

from __future__ import annotations

from schemas.goal import (
    Aggregate,
    All,
    Col,
    Const,
    Expr,
    FieldGoal,
    FieldIs,
    Join,
    Lookup,
    Not,
    Pred,
    Select,
    Slot,
    Test,
    Write,
)
from schemas.goal import Table as Rows
from services.runtime.declare import Gate, Only, Probe, Remedy
from services.wearables import asking

DATE = Slot(name="date")
FIRST, LAST = Slot(name="start_date"), Slot(name="end_date")


def connected(source: Expr) -> Lookup:
    """Return whether a source is connected; null when the user has none of this name."""
    where = Test(fn="eq", left=Col(name="s.id"), right=source)
    return Lookup(source=Rows(table="sources", prefix="s"), where=where, field="s.connected")


def recording_source(date: Expr) -> Lookup:
    """Return the source that recorded a day; null when none did."""
    where = Test(fn="eq", left=Col(name="d.id"), right=date)
    return Lookup(source=Rows(table="source_days", prefix="d"), where=where, field="d.source")


def unseen(date: Expr) -> Pred:
    """Return the predicate that what was recorded on a day may not be seen, or that nothing was."""
    return Test(fn="ne", left=connected(recording_source(date)), right=Const(value=True))


def seen_between(first: Expr, last: Expr) -> Expr:
    """Return the number of days in a range that a connected source recorded."""
    days, sources = Rows(table="source_days", prefix="d"), Rows(table="sources", prefix="s")
    within = Select(
        source=days,
        where=All(
            of=[
                Test(fn="ge", left=Col(name="d.id"), right=first),
                Test(fn="le", left=Col(name="d.id"), right=last),
            ]
        ),
    )
    seen = Select(source=sources, where=Test(fn="eq", left=Col(name="s.connected"), right=Const(value=True)))
    on = Test(fn="eq", left=Col(name="d.source"), right=Col(name="s.id"))
    return Aggregate(fn="count", source=Join(left=within, right=seen, on=on))


def recorded_day(field: str) -> Lookup:
    """Return a field of the first day that a source recorded."""
    some = Not(of=Test(fn="eq", left=Col(name="d.source"), right=Const(value=None)))
    return Lookup(source=Rows(table="source_days", prefix="d"), where=some, field=f"d.{field}")


def switched(source: Expr, value: bool) -> tuple[Write, ...]:
    """Return the change by which a source is connected or disconnected."""
    fields: dict[str, FieldGoal] = {"connected": FieldIs(value=Const(value=value))}
    return (Write(op="update", table="sources", id=source, fields=fields),)


_DISCONNECTED = Only(path=("marketplaces",), where={"connected": Const(value=False)}, field="source")
CONNECT = Remedy(
    tool="update_source",
    arguments={"source_name": Slot(name="source"), "allow": Const(value=True)},
    shows=Not(of=Test(fn="eq", left=Slot(name="source"), right=Const(value=None))),
    chosen={"source": _DISCONNECTED},
)
"""Which source recorded a day is hidden: where one alone is not connected, it may be that one."""
DATA = Gate(
    name="DATA",
    code="",
    message="Nothing is available of the day: nothing was recorded, or the source that did is not connected.",
    closed=unseen(DATE),
    quiet=True,
    standing=False,
    details={"date": DATE},
    probe=Probe("get_system_settings"),
    remedy=CONNECT,
    asking=asking.CONNECT,
    effect=switched(recording_source(DATE), True),
    closing=switched(recording_source(DATE), False),
    trial={"date": recorded_day("id")},
    policy="What was recorded on a day is available while the source that recorded it is connected. That nothing is "
    "available is told without a reason.",
)
DATA_RANGE = Gate(
    name="DATA_RANGE",
    code="",
    message="Nothing is available of any day of the range.",
    closed=Test(fn="eq", left=seen_between(FIRST, LAST), right=Const(value=0)),
    quiet=True,
    standing=False,
    details={"start_date": FIRST, "end_date": LAST},
    probe=Probe("get_system_settings"),
    remedy=CONNECT,
    asking=asking.CONNECT,
    policy="A summary of several days is about those of them that are available.",
)
_NIGHT = Lookup(
    source=Rows(table="nights", prefix="n"),
    where=Test(fn="eq", left=Col(name="n.id"), right=DATE),
    field="n.id",
)
NIGHT = Gate(
    name="NIGHT",
    code="",
    message="No sleep was recorded in the night that begins on the day.",
    closed=Test(fn="eq", left=_NIGHT, right=Const(value=None)),
    quiet=True,
    standing=False,
    details={"date": DATE},
    policy="A night is recorded when a device was worn from falling asleep to rising, and it is over.",
)
GATES = (DATA, DATA_RANGE, NIGHT)
