"""Blobs: immutable arrays of small numbers beside the tables, such as one value per minute.

A service declares a table whose records are of a kind of `Blob`: each describes the blob that has its id as its name.
The record holds the digest of the values, so that the hash of a state covers them. Stored, a blob is the base64 text of
the zlib stream of its values, little-endian; it is decoded when it is first asked for, and shared by all states of an
environment. Nothing writes a blob.
"""

from __future__ import annotations

import base64
import sys
import zlib
from array import array
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias

from services.runtime.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Encoding: TypeAlias = Literal["u8", "u16"]
"""Bits of one value, which is not negative."""
_CODES: Mapping[Encoding, Literal["B", "H"]] = {"u8": "B", "u16": "H"}
_LEVEL = 1
"""Measured on a month of minutes: a fifth of the time that 6 takes, and a ninth longer."""


class Blob(Record, frozen=True):
    """Describes the blob whose name is the record's id."""

    encoding: Encoding
    count: int
    """Number of values."""
    sha256: str
    """Of the values as little-endian bytes, 64 hexadecimal digits."""


def width(encoding: Encoding) -> int:
    """Return the bytes of one value."""
    return 1 if encoding == "u8" else 2


def to_bytes(values: Iterable[int], encoding: Encoding) -> bytes:
    """Return values as little-endian bytes. Raise OverflowError when one does not fit the encoding."""
    found = array(_CODES[encoding], values)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def view(raw: bytes, encoding: Encoding) -> memoryview:
    """Return little-endian bytes as a read-only view of their values."""
    if sys.byteorder == "big" and encoding != "u8":
        values = array(_CODES[encoding], raw)
        values.byteswap()
        raw = values.tobytes()
    return memoryview(raw).cast(_CODES[encoding])


def described(raw: bytes, encoding: Encoding) -> dict[str, str | int]:
    """Return the fields of `Blob` for the bytes of a blob."""
    return {"encoding": encoding, "count": len(raw) // width(encoding), "sha256": sha256(raw).hexdigest()}


def pack(raw: bytes) -> str:
    """Return the bytes of a blob as they are stored."""
    return base64.b64encode(zlib.compress(raw, _LEVEL)).decode()


def unpack(text: str, limit: int) -> bytes:
    """Return the bytes of a stored blob. Raise ValueError when it is none, or longer than `limit`."""
    try:
        packed = base64.b64decode(text, validate=True)
        stream = zlib.decompressobj()
        raw = stream.decompress(packed, limit + 1)
    except (ValueError, zlib.error) as error:
        msg = f"it cannot be read: {error}"
        raise ValueError(msg) from error
    if len(raw) > limit or not stream.eof or stream.unused_data:
        msg = f"it does not end after {limit} bytes"
        raise ValueError(msg)
    return raw


class Blobs:
    """The blobs of an environment by name, decoded when they are asked for."""

    __slots__ = ("_described", "_packed", "_values")

    def __init__(
        self, packed: Mapping[str, str] | None = None, tables: Mapping[str, Mapping[str, Blob]] | None = None
    ) -> None:
        """Hold stored blobs and, by table, the records that describe them.

        Raise ValueError when a blob is described by no record or by two, or a record describes none.
        """
        self._packed = dict(packed or {})
        self._values: dict[str, memoryview] = {}
        self._described: dict[str, tuple[str, Blob]] = {}
        for table, records in (tables or {}).items():
            for name, record in records.items():
                if name in self._described:
                    msg = f"blob {name!r} is described in {self._described[name][0]} and in {table}"
                    raise ValueError(msg)
                self._described[name] = table, record
        for name in sorted(self._packed.keys() ^ self._described.keys()):
            what = "is described by no record" if name in self._packed else "is described but not there"
            msg = f"blob {name!r} {what}"
            raise ValueError(msg)

    def __iter__(self) -> Iterator[str]:
        """Yield the names, in order."""
        return iter(sorted(self._packed))

    def __len__(self) -> int:
        """Return the number of blobs."""
        return len(self._packed)

    def table_of(self, name: str) -> str:
        """Return the table that describes a blob. Raise KeyError when there is none of this name."""
        return self._described[name][0]

    def __getitem__(self, name: str) -> memoryview:
        """Return the values of a blob as a read-only view. Raise KeyError when there is none of this name.

        Raise ValueError when it is damaged: its bytes are not those that its record describes.
        """
        found = self._values.get(name)
        if found is None:
            found = self._values[name] = self._decoded(name)
        return found

    def verify(self) -> None:
        """Decode all blobs. Raise ValueError naming the first that is damaged."""
        for name in sorted(self._packed):
            _ = self[name]

    def _decoded(self, name: str) -> memoryview:
        table, record = self._described[name]
        try:
            raw = unpack(self._packed[name], record.count * width(record.encoding))
        except ValueError as error:
            msg = f"blob {name!r} is damaged: {error}"
            raise ValueError(msg) from error
        if sha256(raw).hexdigest() != record.sha256 or len(raw) != record.count * width(record.encoding):
            msg = f"blob {name!r} is damaged: it does not hold the values that {table} describes"
            raise ValueError(msg)
        return view(raw, record.encoding)


NO_BLOBS = Blobs()
"""Of an environment without any."""
