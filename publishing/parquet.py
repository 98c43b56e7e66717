"""The few things that are asked of parquet files, with types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

RawRow = dict[str, object]
"""A row of a shard: typed columns, and canonical JSON text in columns named `*_json`."""


def read_rows(path: Path, columns: Sequence[str] | None = None, batch: int = 64) -> Iterator[RawRow]:
    """Yield the rows of a parquet file, `batch` of them in memory at a time."""
    with pq.ParquetFile(path) as file:
        chosen = None if columns is None else list(columns)
        for part in cast("Any", file).iter_batches(batch_size=batch, columns=chosen):
            yield from cast("list[RawRow]", part.to_pylist())


def schema_of(path: Path) -> pa.Schema:
    """Return the columns of a parquet file, without metadata."""
    return cast("pa.Schema", cast("Any", pq).read_schema(path).remove_metadata())


def row_count(path: Path) -> int:
    """Return how many rows a parquet file has, from its footer alone."""
    return cast("int", cast("Any", pq).read_metadata(path).num_rows)
