"""The names and terms among which an answer is one: the columns of state and world in which its value stands."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from validators.scoring.mentions import Words

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.contract import Answer
    from validators.tasks.context import Rows, TaskContext, UserContext


class _Texts(NamedTuple):
    """The texts of some tables."""

    columns: list[frozenset[str]]
    """The distinct values of each column that is a vocabulary."""
    numbered: tuple[str, ...]
    """Those that may be names and hold a number."""


_users: WeakKeyDictionary[UserContext, _Texts] = WeakKeyDictionary()
_worlds: list[tuple[object, _Texts]] = []
"""The world that was looked at last."""
MANY = 5_000
"""Most values of a column that is a vocabulary."""


def words_for(context: TaskContext, answer: Answer) -> Words:
    """Return the vocabulary in which an answer, or what could be mistaken for it, is looked for."""
    today = context.now[:10]
    if answer.kind in ("name", "names", "term"):
        values = [str(one) for one in (answer.value if isinstance(answer.value, list) else [answer.value])]
        return Words(_vocabulary(context, tuple(values)), today)
    # A name may hold a number, which is then no value by itself.
    return Words(_numbered(context), today)


def _vocabulary(context: TaskContext, values: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for texts in _texts_of(context.user) if values else ():
        for column in texts.columns:
            if values[0] in column:
                found.update(dict.fromkeys(_in_order(column)))
    found.update(dict.fromkeys(values))
    return _shared(tuple(found))


def _numbered(context: TaskContext) -> tuple[str, ...]:
    world, user = _texts_of(context.user)
    return _shared(world.numbered + user.numbered)


_tuples: dict[tuple[str, ...], tuple[str, ...]] = {}


def _shared(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the one tuple with these values, so that its index is found by identity."""
    if len(_tuples) > 256:
        _tuples.clear()
    return _tuples.setdefault(values, values)


def _texts_of(user: UserContext) -> tuple[_Texts, _Texts]:
    tables = user.world_tables
    if not _worlds or _worlds[0][0] is not tables:
        _worlds[:] = [(tables, _texts(tables))]
    if user not in _users:
        _users[user] = _texts(user.tables)
    return _worlds[0][1], _users[user]


def _texts(tables: dict[str, Rows]) -> _Texts:
    columns: list[frozenset[str]] = []
    numbered: dict[str, None] = {}
    for rows in tables.values():
        first = next(iter(rows.values()), None)
        for field in first or ():
            if field == "id" or field.endswith("_id"):
                continue
            values = _strings_of([row[field] for row in rows.values()])
            if 0 < len(values) <= MANY:
                columns.append(values)
                numbered.update(dict.fromkeys(sorted(filter(_may_be_numbered_name, values))))
    return _Texts(columns, tuple(numbered))


def _may_be_numbered_name(text: str) -> bool:
    return text[:1].isupper() and any(map(str.isdigit, text))


@lru_cache(maxsize=64)
def _in_order(column: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(column))


def _strings_of(column: list[Json]) -> frozenset[str]:
    """Return the texts of a column, those in lists included."""
    kinds = set(map(type, column))
    found = {value for value in column if isinstance(value, str)} if str in kinds else set[str]()
    for value in column if list in kinds else ():
        if isinstance(value, list):
            found.update(one for one in value if isinstance(one, str))
    return frozenset(found)
