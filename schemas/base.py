"""What every stored record shares: a frozen model, JSON types and one canonical form.

The canonical form decides equality and every checksum: UTF-8 JSON with sorted keys, no white space, and one form per
number (25.0 is written 25), so that the same value always has the same bytes.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeAlias, cast

import orjson
from pydantic import BaseModel, ConfigDict, JsonValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Scalar: TypeAlias = bool | int | float | str | None
"""A JSON value that is no container."""
Json: TypeAlias = JsonValue
"""Any JSON value."""


class Model(BaseModel):
    """Base of all stored records: immutable, no unknown fields, attribute docstrings as field descriptions."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="constants")


def plain(value: object) -> object:
    """Return `value` as JSON data with one number form: integral floats become ints, tuples become lists."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in cast("dict[str, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("list[object]", value)]
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json"))
    return value


def canonical(value: object) -> bytes:
    """Return the canonical JSON bytes of a JSON value or a model."""
    return orjson.dumps(plain(value), option=orjson.OPT_SORT_KEYS)


def canonical_text(value: object) -> str:
    """Return the canonical JSON of `value` as text, the form in which open parts stand in columns named `*_json`."""
    return canonical(value).decode()


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical form, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def digest_lines(records: Iterable[Mapping[str, object]]) -> str:
    """Return the SHA-256 over the canonical JSON lines of `records`, each ended by a newline."""
    total = hashlib.sha256()
    for record in records:
        total.update(canonical(record))
        total.update(b"\n")
    return total.hexdigest()
