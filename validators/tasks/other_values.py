"""Other values that someone could have taken by mistake: of another row, of another day, a little more or less."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from operator import eq
from typing import TYPE_CHECKING, cast

from schemas.algebra import Const
from schemas.provenance import Derived, Element, Result
from validators.tasks.declining import parts_of
from validators.tasks.evaluation import GraphError, follow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.base import Json
    from validators.tasks.evaluation import Graph, Rows

Path = tuple[str | int, ...]
_DAY = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?")


def neighbours(graph: Graph, node: int) -> Iterator[Json]:
    """Yield what other rows have where the row that `node` was taken from has its value, each value once.

    The rows of its own list come first: the next one by its order, then those before it. Then come the rows that the
    list was made from, those most like it first.
    """
    origin = graph.plan.nodes[node]
    if not isinstance(origin, Element | Result):
        return
    path = tuple(origin.path)
    at = max((place for place, key in enumerate(path) if isinstance(key, int)), default=None)
    if at is None:
        return
    source = graph.values[origin.of] if isinstance(origin, Element) else graph.call(origin.step).result
    whole = cast("list[Json]", follow(source, path[:at]))
    position, rest = cast("int", path[at]), path[at + 1 :]
    own = graph.values[node]
    seen = [own]
    for value in _values([*whole[position + 1 :], *reversed(whole[:position])], rest):
        if value not in seen:
            seen.append(value)
            yield value
    for rows in _made_from(graph, origin.of) if isinstance(origin, Element) and not at else ():
        for value in _values(_by_likeness(rows, rest, own), rest):
            if value not in seen:
                seen.append(value)
                yield value


def other_words(graph: Graph, node: int) -> Iterator[Json]:
    """Yield the words that the computation of a value names and that did not come out."""
    origin = graph.plan.nodes[node]
    if isinstance(origin, Derived):
        for part in parts_of(origin.value):
            if isinstance(part, Const) and isinstance(part.value, str) and part.value != graph.values[node]:
                yield part.value


def _made_from(graph: Graph, node: int) -> Iterator[Rows]:
    """Yield the lists that a list was filtered, extended or grouped from, the last one first."""
    over = getattr(graph.plan.nodes[node], "over", None)
    while isinstance(over, int):
        yield graph.rows(over)
        over = getattr(graph.plan.nodes[over], "over", None)


def _by_likeness(rows: Rows, path: Path, own: Json) -> Sequence[Mapping[str, Json]]:
    """Return rows by the number of values that they share with the one that has `own` at `path`."""
    like = next((row for row in rows if _at(row, path) == own), None)
    if like is None:
        return rows
    names, values = list(like), list(like.values())
    return sorted(rows, key=lambda row: -sum(map(eq, values, map(row.get, names))))


def _values(rows: Sequence[Json] | Sequence[Mapping[str, Json]], path: Path) -> Iterator[Json]:
    for row in rows:
        value = _at(cast("Json", row), path)
        if value is not None:
            yield value


def _at(row: Json, path: Path) -> Json:
    try:
        return follow(row, path)
    except GraphError:
        # Rows of a list may differ in what they hold.
        return None


def is_day(value: Json) -> bool:
    """Return whether a value is a date, or a time on one."""
    return isinstance(value, str) and _DAY.fullmatch(value) is not None


def days_off(value: str, days: int) -> str:
    """Return a date or time so many days later, in its form."""
    return (dt.datetime.fromisoformat(value) + dt.timedelta(days=days)).isoformat()[: len(value)]


def a_little_off(value: float, *, whole: bool, sign: int) -> int | float:
    """Return a number one more or less: by one where it is `whole`, else by one in the second decimal."""
    if whole:
        return int(value) + sign
    return float(Decimal(str(value)) + sign * Decimal("0.01"))
