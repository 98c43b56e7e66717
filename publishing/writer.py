"""Writing the parquet files of one split of a config: the same rows give the same bytes, however they arrive.

Row groups and files are cut by row numbers alone, so the shards a run happens to have leave no trace.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from publishing.columns import arrow_schema
from publishing.run import sha256_of
from schemas.base import canonical

if TYPE_CHECKING:
    from pathlib import Path

    from publishing.parquet import RawRow
    from publishing.rows import Config


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file of a release."""

    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class WrittenSplit:
    """All files of one split of a config."""

    files: tuple[WrittenFile, ...]
    rows: int
    records_sha256: str
    """SHA-256 over the canonical JSON lines of the rows, whatever file format holds them."""


class SplitWriter:
    """Writes `total` rows of one split, in the order given, as `data/<config>/<split>-00000-of-00001.parquet`."""

    def __init__(self, folder: Path, config: Config, split: str, total: int, file_rows: int) -> None:
        """Open the split, which gets `file_rows` rows per file."""
        self.config = config
        self._folder = folder
        self._split = split
        self._total = total
        self._per_file = file_rows
        self._schema = arrow_schema(config.row)
        self._group: list[RawRow] = []
        self._rows = 0
        self._in_file = 0
        self._writer: pq.ParquetWriter | None = None
        self._open: Path | None = None
        self._files: list[WrittenFile] = []
        self._digest = hashlib.sha256()

    def add(self, row: RawRow) -> None:
        """Append one row."""
        self._digest.update(canonical(row) + b"\n")
        self._group.append(row)
        self._rows += 1
        self._in_file += 1
        if len(self._group) == self.config.group_rows or self._in_file == self._per_file:
            self._flush()
        if self._in_file == self._per_file:
            self._close()

    def finish(self) -> WrittenSplit:
        """Close the last file. Raise ValueError when more or fewer rows came than were announced."""
        if self._rows != self._total:
            msg = f"{self.config.name}/{self._split}: {self._rows} rows came, {self._total} were announced"
            raise ValueError(msg)
        self._flush()
        self._close()
        return WrittenSplit(tuple(self._files), self._rows, self._digest.hexdigest())

    def _flush(self) -> None:
        if not self._group:
            return
        if self._writer is None:
            count = -(-self._total // self._per_file)
            name = f"{self._split}-{len(self._files):05d}-of-{count:05d}.parquet"
            self._open = self._folder / "data" / self.config.name / name
            self._open.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(
                self._open, self._schema, compression="zstd", compression_level=6, version="2.6", write_page_index=True
            )
        table = pa.Table.from_pylist(self._group, self._schema)
        self._writer.write_table(table, row_group_size=self.config.group_rows)
        self._group = []

    def _close(self) -> None:
        if self._writer is None or self._open is None:
            return
        self._writer.close()
        path = self._open
        relative = path.relative_to(self._folder).as_posix()
        self._files.append(WrittenFile(relative, self._in_file, path.stat().st_size, sha256_of(path)))
        self._writer = self._open = None
        self._in_file = 0
