"""Other values than a given one: what a careless agent could have written instead."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from schemas.base import Json, canonical
from schemas.contract import AnyValue, Equal, Left, OneOf, Range, Ref, Text

if TYPE_CHECKING:
    from schemas.contract import Rule
    from validators.contract.changes import Row

State: TypeAlias = "Mapping[str, Mapping[str, Row]]"
"""Table -> id -> record."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?")


def other_values(value: Json, column: Iterable[Json]) -> Iterator[Json]:
    """Yield values of the same type that differ from `value`, likely confusions first.

    A flipped truth, a number one off, a day or time two days later, another value out of `column` (the values of that
    column in the state), a list without an element or with one more.
    """
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value + 1
        yield value - 1
        yield from _different(value, column)
    elif isinstance(value, (list, tuple)):
        yield from [list(value[1:])] if value else []
        yield [*value, "other"]
    elif isinstance(value, str) and _DAY.fullmatch(value):
        # Two days, so that a time of a write leaves the day after the clock that contracts grant it.
        yield (dt.datetime.fromisoformat(value) + dt.timedelta(days=2)).isoformat()[: len(value)]
        yield from _different(value, column)
    else:
        yield from _different(value, column)
        yield f"{value} (other)" if isinstance(value, str) else "other"


def _different(value: Json, column: Iterable[Json]) -> Iterator[Json]:
    """Yield the first value of `column` that is of another content and not null."""
    found = next((other for other in column if other is not None and not _equal(value, other)), None)
    if found is not None:
        yield found


def admitted(rule: Rule, value: Json) -> bool:
    """Return whether a rule may admit `value`; written anew here, so that a wrong rule of the judge shows."""
    match rule:
        case Equal():
            return _equal(rule.value, value)
        case OneOf():
            return any(_equal(value, item) for item in rule.values)
        case Range():
            low, high = rule.low, rule.high
            if isinstance(value, str):
                return str(low) <= value <= str(high)
            return isinstance(value, (int, float)) and float(low or 0) <= value <= float(high or 0)
        case Left():
            return _equal(max(0, rule.start - sum(rule.amounts)), value)
        case Ref() | Text() | AnyValue():
            return True


def nearest(row: Row, others: Iterable[Row]) -> Row | None:
    """Return the record that shares most field values with `row`, the first of equals; None when there is none."""
    items = row.items()
    return max(others, key=lambda other: len([None for name, value in items if other[name] == value]), default=None)


def _equal(one: Json, other: Json) -> bool:
    """Return whether two values have the same canonical JSON; texts are told apart without writing it."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return canonical(one) == canonical(other)
