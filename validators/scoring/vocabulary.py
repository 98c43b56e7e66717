"""The names and terms among which an answer is one: the columns of state and world in which its value stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from validators.scoring.mentions import Words

if TYPE_CHECKING:
    from schemas.contract import Answer
    from validators.tasks.context import Rows, TaskContext, UserContext


class _Texts(NamedTuple):
    """The texts of some tables."""

    columns: dict[str, list[tuple[str, ...]]]
    """Text -> the distinct values of each column in which it stands."""
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
    for texts in _texts_of(context.user):
        for values_of in texts.columns.get(values[0], ()) if values else ():
            found.update(dict.fromkeys(values_of))
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
    found: dict[str, list[tuple[str, ...]]] = {}
    for rows in tables.values():
        first = next(iter(rows.values()), None)
        for field in first or ():
            if field == "id" or field.endswith("_id"):
                continue
            values = {text for row in rows.values() for text in _strings(row[field])}
            if 0 < len(values) <= MANY:
                column = tuple(sorted(values))
                for text in column:
                    found.setdefault(text, []).append(column)
    numbered = (text for text in found if text[:1].isupper() and any(sign.isdigit() for sign in text))
    return _Texts(found, tuple(numbered))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]
