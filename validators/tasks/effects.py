"""What a goal comes to, as bare values by the second engine: equal values mean equal expectations.

Building an expectation costs more than the query it is filled from. Where goals that differ only in their conditions
are compared, the values of writes, totals and answers tell as much: what gates and the script add is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from schemas.base import canonical
from validators.engine.goal_sql import Query
from validators.engine.recipe import filled, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.base import Json
    from validators.engine.database import Database
    from validators.engine.recipe import Filled, Recipe, Row, WriteRecipe

Effects: TypeAlias = "tuple[object, ...] | None"
"""Values in the order of the goal; None where the goal does not fit the state, so that nothing is expected."""
_SEVERAL = 2


def effects_of(recipe: Recipe, slots: Mapping[str, Json], now: str, db: Database) -> Effects:
    """Return the effects with these slots; the database holds the start state. Raise GoalError for a slot not given."""
    own = filled(recipe, slots, now, db)
    row = own.row
    if recipe.because >= 0 and row[recipe.because] != 1:
        return None
    found: list[object] = []
    for write in recipe.writes:
        rows = _rows(write, own, db)
        if write.id >= 0 and any(not isinstance(values[0], str) for values in rows):
            return None
        found.append(rows if len(rows) < _SEVERAL else sorted(rows, key=canonical))
    for value, beyond in recipe.totals:
        amounts = [row[place] for place in (value, beyond) if place >= 0]
        if not all(isinstance(amount, int) for amount in amounts):
            return None
        found += amounts
    for answer in recipe.answers:
        value = _distinct(db.fetch(answer, own.bound)) if isinstance(answer, Query) else _at(row, answer)
        if value is None:
            return None
        found.append(value)
    return tuple(found)


def _rows(write: WriteRecipe, own: Filled, db: Database) -> Sequence[Row]:
    """Return the id, where there is one, and the values of each change that a write comes to."""
    places = ((write.id,) if write.id >= 0 else ()) + write.values
    return [tuple([row[place] for place in places]) for row in rows_of(write, own, db)]


def _at(row: Row, place: int) -> Json:
    return row[place] if place >= 0 else None


def _distinct(rows: Sequence[Row]) -> list[str]:
    return sorted({str(value) for (value,) in rows})
