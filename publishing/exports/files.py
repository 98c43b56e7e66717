"""Files of exported rows: written beside their place, and read back as a reader of them would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from publishing.exports.rows import MESSAGES, columns
from publishing.parquet import read_rows
from schemas.base import canonical, canonical_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from publishing.exports.rows import Format
    from schemas.base import Json

SUFFIX: dict[Format, str] = {"openai": ".jsonl", "trl": ".parquet", "trl-preference": ".parquet"}
GROUP = 50
"""Rows per row group of a parquet file: so many are in memory at once."""

_LINE_ENDS = tuple((end.encode(), f"\\u{ord(end):04x}".encode()) for end in ("\x85", "\u2028", "\u2029"))
"""Characters at which some readers end a line, and how JSON writes them so that no line ends."""


class RowFile(Protocol):
    """A file that rows are written to, one after the other."""

    def add(self, row: Mapping[str, Json]) -> None:
        """Append a row."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


class JsonLines:
    """One JSON object per line."""

    def __init__(self, path: Path) -> None:
        """Open the file anew."""
        self._file = path.open("wb")

    def add(self, row: Mapping[str, Json]) -> None:
        """Append a row."""
        line = canonical(row)
        for end, escaped in _LINE_ENDS:
            line = line.replace(end, escaped)
        self._file.write(line + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Parquet:
    """Columns of a format; messages as JSON text of the Arrow type JSON, which `datasets` gives back as objects."""

    def __init__(self, path: Path, form: Format) -> None:
        """Open the file anew."""
        self._messages = MESSAGES[form]
        self._schema = columns(form)
        kinds = [pa.list_(pa.string()) if name in self._messages else pa.string() for name in self._schema.names]
        self._plain = pa.schema(list(zip(self._schema.names, kinds, strict=True)))
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd", compression_level=6, version="2.6")
        self._rows: list[dict[str, object]] = []

    def add(self, row: Mapping[str, Json]) -> None:
        """Append a row."""
        texts = {
            name: [canonical_text(message) for message in cast("list[Json]", row[name])] for name in self._messages
        }
        self._rows.append({**row, **texts})
        if len(self._rows) == GROUP:
            self._flush()

    def close(self) -> None:
        """Write what is left and close the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._plain).cast(self._schema))
            self._rows = []


def open_file(path: Path, form: Format) -> RowFile:
    """Return a new file of a format."""
    return JsonLines(path) if form == "openai" else Parquet(path, form)


def read_file(path: Path, form: Format) -> Iterator[dict[str, Json]]:
    """Yield the rows of a file, few of them in memory at a time. Raise ValueError when a line is no JSON object."""
    if form != "openai":
        yield from cast("Iterator[dict[str, Json]]", read_rows(path))
        return
    with path.open("rb") as lines:
        for line in lines:
            yield cast("dict[str, Json]", orjson.loads(line))
