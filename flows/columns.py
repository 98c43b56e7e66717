"""Python values as Arrow columns, built from their buffers.

`pyarrow.array` looks whether it was given something of pandas, and imports pandas for that: a fifth of a second per
process.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def to_table(rows: Sequence[Mapping[str, object]], schema: pa.Schema) -> pa.Table:
    """Return rows as a table. Raise KeyError when a row lacks a column, TypeError when a value is of another type."""
    fields = cast("Iterable[pa.Field[Any]]", schema)
    columns = [column([row[field.name] for row in rows], field.type) for field in fields]
    return pa.Table.from_arrays(columns, schema=schema)


def column(values: Sequence[object], kind: pa.DataType) -> pa.Array[Any]:
    """Return values of one type, none of them null, as an Arrow array."""
    if kind == pa.string():
        return _strings(cast("Sequence[str]", values))
    if kind == pa.int64():
        return _array(kind, len(values), [array("q", cast("Iterable[int]", values))])
    if kind == pa.list_(pa.string()):
        lists = cast("Sequence[Sequence[str]]", values)
        inner = _strings([text for texts in lists for text in texts])
        return _array(kind, len(lists), [_offsets(map(len, lists))], [inner])
    return cast("pa.Array[Any]", cast("Any", pa).array(values, type=kind))


def _strings(values: Sequence[str]) -> pa.Array[Any]:
    texts = [str.encode(value) for value in values]
    return _array(pa.string(), len(texts), [_offsets(map(len, texts)), b"".join(texts)])


def _offsets(lengths: Iterable[int]) -> array[int]:
    return array("i", accumulate(lengths, initial=0))


def _array(kind: pa.DataType, length: int, buffers: Sequence[Any], children: Sequence[Any] = ()) -> pa.Array[Any]:
    data = [None, *(pa.py_buffer(buffer) for buffer in buffers)]
    return cast("pa.Array[Any]", cast("Any", pa).Array.from_buffers(kind, length, data, children=list(children)))
