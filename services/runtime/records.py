"""State records: frozen structs, their canonical bytes and their hashes."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar, cast

import msgspec

if TYPE_CHECKING:
    from schemas.base import Json

MODULUS = 1 << 128
_DAY = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
Date: TypeAlias = Annotated[str, msgspec.Meta(pattern=f"^{_DAY}$", max_length=10)]
"""A day, `YYYY-MM-DD`: texts in this one form order as the days do."""
Time: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=f"^{_DAY}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$", max_length=19)
]
"""A local time, `YYYY-MM-DDTHH:MM:SS`."""
R = TypeVar("R", bound="Record")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of all state records. Values are JSON scalars but floats, or tuples; money in cents, times as ISO text."""

    id: str


_encoder = msgspec.json.Encoder(order="sorted")
_decode = msgspec.json.Decoder().decode


def encode(record: Record) -> bytes:
    """Return the canonical JSON bytes of a record. Records hold no floats, so numbers have one form."""
    return _encoder.encode(record)


@cache
def fields_of(record_type: type[Record]) -> tuple[str, ...]:
    """Return the field names of a record type, `id` first."""
    names = [field.name for field in msgspec.structs.fields(record_type)]
    return ("id", *(name for name in names if name != "id"))


def to_data(record: Record) -> dict[str, Json]:
    """Return the record as JSON data."""
    # Not to_builtins: it leaves tuples as they are, and lists are what JSON data holds.
    return line_data(encode(record))


def line_data(line: bytes) -> dict[str, Json]:
    """Return an encoded record as JSON data."""
    return cast("dict[str, Json]", _decode(line))


def from_data(record_type: type[R], data: object) -> R:
    """Return JSON data as a record. Raise msgspec.ValidationError naming the field that does not fit."""
    return msgspec.convert(data, record_type, strict=True)


def record_hash(table: str, record: Record) -> int:
    """Return the 128-bit hash of one record in its table (BLAKE2b over table, a zero byte and the canonical record)."""
    return line_hash(table, encode(record))


def line_hash(table: str, line: bytes) -> int:
    """Return the hash of an encoded record."""
    return int.from_bytes(blake2b(table.encode() + b"\0" + line, digest_size=16).digest(), "big")
