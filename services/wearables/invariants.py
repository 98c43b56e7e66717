"""What every state of wearables satisfies, in the goal algebra; what follows from the minutes is checked from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.goal import Aggregate, All, Any, Arith, Col, Const, Join, Not, Pred, Rel, Select, Test
from schemas.goal import Table as Rows
from services.runtime.declare import Invariant

if TYPE_CHECKING:
    from collections.abc import Sequence


def _sum(columns: Sequence[str]) -> Arith:
    return Arith(fn="add", args=[Col(name=column) for column in columns])


def _no(rows: Rel) -> Pred:
    return Test(fn="eq", left=Aggregate(fn="count", source=rows), right=Const(value=0))


def _none(table: str, prefix: str, wrong: Pred) -> Pred:
    return _no(Select(source=Rows(table=table, prefix=prefix), where=wrong))


def _differs(left: str, *right: str) -> Pred:
    return Test(fn="ne", left=Col(name=left), right=_sum(right))


_DAYS = Rows(table="source_days", prefix="d")


def _is_null(column: str) -> Pred:
    return Test(fn="eq", left=Col(name=column), right=Const(value=None))


_OF_ANOTHER = Select(
    source=Join(
        left=_DAYS,
        right=Rows(table="devices", prefix="v"),
        on=Test(fn="eq", left=Col(name="d.device"), right=Col(name="v.id")),
    ),
    where=Test(fn="ne", left=Col(name="d.source"), right=Col(name="v.source")),
)
_HALF_TOLD = Select(
    source=_DAYS,
    where=Any(
        of=[
            All(of=[_is_null("d.source"), Not(of=_is_null("d.device"))]),
            All(of=[Not(of=_is_null("d.source")), _is_null("d.device")]),
        ]
    ),
)
_RECORDED = Select(source=_DAYS, where=Not(of=_is_null("d.source")))
_WITH_RECORD = Join(
    left=_RECORDED,
    right=Rows(table="wearable_days", prefix="w"),
    on=Test(fn="eq", left=Col(name="d.id"), right=Col(name="w.id")),
)

_ZONES = ("d.zone_below", "d.zone_fat_burn", "d.zone_cardio", "d.zone_peak")

INVARIANTS = (
    Invariant(
        name="device_of_source",
        text="A recorded day names a source and a device of it; a day that nothing recorded names neither.",
        holds=All(of=[_no(_OF_ANOTHER), _no(_HALF_TOLD)]),
    ),
    Invariant(
        name="recorded_days_have_records",
        text="There is a record of a day exactly when a source recorded it.",
        holds=All(
            of=[
                Test(
                    fn="eq",
                    left=Aggregate(fn="count", source=_WITH_RECORD),
                    right=Aggregate(fn="count", source=rows),
                )
                for rows in (_RECORDED, Rows(table="wearable_days", prefix="w"))
            ]
        ),
    ),
    Invariant(
        name="zones_are_worn_minutes",
        text="The heart-rate zones of a day with a heart rate by the minute sum to its worn minutes, of which a day "
        "has no more than minutes.",
        holds=_none(
            "wearable_days",
            "d",
            Any(of=[_differs("d.worn", *_ZONES), Test(fn="gt", left=Col(name="d.worn"), right=Col(name="d.minutes"))]),
        ),
    ),
    Invariant(
        name="active_zone_minutes_are_minutes",
        text="A day has no more active zone minutes than minutes, and no more than 1,440 of these.",
        holds=_none(
            "wearable_days",
            "d",
            Any(
                of=[
                    Test(fn="gt", left=Col(name="d.azm"), right=Col(name="d.minutes")),
                    Test(fn="gt", left=Col(name="d.minutes"), right=Const(value=1440)),
                ]
            ),
        ),
    ),
    Invariant(
        name="workouts_last",
        text="A workout ends after it starts.",
        holds=_none("workouts", "w", Test(fn="le", left=Col(name="w.end"), right=Col(name="w.start"))),
    ),
)
