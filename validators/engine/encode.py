"""JSON values in SQLite, which knows neither truth values nor lists.

A truth value becomes a text that no other value can be, so that true never equals 1; a list or object becomes its JSON,
marked by a leading line feed, which `json_each` skips as white space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

import orjson

if TYPE_CHECKING:
    from schemas.base import Json

SqlValue: TypeAlias = int | float | str | None
_TRUE, _FALSE = "\x01true", "\x01false"
_LIST = "\n"
_MARKS = (_LIST, "\x01")
_ENCODED_INSIDE = (b"true", b"false", b'"\\')
"""What stands in the JSON of a list or object whose content may need to be encoded: the last starts marked texts."""


def encode(value: Json) -> SqlValue:
    """Return `value` as SQLite holds it.

    Raises:
        ValueError: a text starts with a control character that marks encoded values.
    """
    if type(value) is int or value is None:
        return value
    if isinstance(value, str):
        if value.startswith(_MARKS):
            raise ValueError(f"a text may not start with a control character: {value!r}")
        return value
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, (list, tuple, dict)):
        written = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        if any(sign in written for sign in _ENCODED_INSIDE):
            written = orjson.dumps(_inside(value), option=orjson.OPT_SORT_KEYS)
        return _LIST + written.decode()
    return value


def _inside(value: Json) -> object:
    """Return the content of a list or object with its scalars encoded."""
    if isinstance(value, dict):
        return {key: item if type(item) is int else _inside(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [item if type(item) is int else _inside(item) for item in value]
    return encode(value)


def decode(value: SqlValue) -> Json:
    """Return the JSON value that SQLite holds as `value`; 25.0 is 25."""
    if isinstance(value, str):
        if not value.startswith(_MARKS):
            return value
        return _outside(orjson.loads(value)) if value.startswith(_LIST) else value == _TRUE
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _outside(value: object) -> Json:
    if isinstance(value, dict):
        return {key: _outside(item) for key, item in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_outside(item) for item in cast("list[object]", value)]
    return decode(cast("SqlValue", value))
