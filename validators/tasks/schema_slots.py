"""Form of a slot: its value and its alternatives are of its kind."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from schemas.base import Json
    from schemas.task import Slot

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _is_date(value: Json) -> bool:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        dt.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_period(value: Json) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_date, value)):
        return False
    return str(value[0]) <= str(value[1])


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and value.strip() == value != ""


_KINDS: Mapping[str, Callable[[Json], bool]] = {
    "money_cents": _is_count,
    "count": _is_count,
    "percent": _is_count,
    "date": _is_date,
    "period": _is_period,
    "term": _is_text,
    "name": _is_text,
    "text": _is_text,
    "bool": lambda value: isinstance(value, bool),
}


def slot_faults(slot: Slot) -> Iterator[str]:
    """Yield values of a slot that are not of its kind, and alternatives that are none."""
    fits = _KINDS[slot.kind]
    for value in (slot.value, *slot.alternatives):
        if not fits(value):
            yield f"the slot {slot.name!r} of kind {slot.kind} has the value {value!r}"
    if slot.value in slot.alternatives:
        yield f"the slot {slot.name!r} has its own value as an alternative"
