"""Shard files: parquet whose bytes follow from its rows, appearing under its name only when complete.

The footer says what the file is: key, stage, extent, checksum of its records, generator version and counts. A file is
written under a temporary name in the same folder, synced, renamed, and the folder synced: after a crash at any moment
it is there whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from flows.columns import to_table
from flows.errors import StoreError
from flows.rows import arrow_schema
from schemas.base import Json, Model, canonical, digest, digest_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flows.rows import Row

FORMAT = "pausegen-run/1"
"""Version of the form of run folders and shards."""
PART = ".part"
_KEY = b"pausegen"


class Footer(Model):
    """What a shard says of itself."""

    format: str = FORMAT
    stage: str
    extent: dict[str, int]
    """Users [first, last) and tasks [start, stop); empty for a world."""
    key: str
    """SHA-256 over content configuration, stage, extent and generator version."""
    generator: str
    """Generator version."""
    records: str
    """SHA-256 over the canonical JSON lines of the rows."""
    counts: Json = None
    """Counts of the funnel over this extent; on task and world shards."""


class Entry(Model):
    """A shard as the manifest lists it."""

    path: str
    """Below the run folder."""
    stage: str
    rows: int
    bytes: int
    sha256: str
    records: str
    key: str


def shard_key(content: Mapping[str, Json], stage: str, extent: Mapping[str, int], generator: str) -> str:
    """Return the key of a shard: it changes with everything its records depend on."""
    parts: dict[str, Json] = {"format": FORMAT, "config": dict(content), "stage": stage, "generator": generator}
    return digest({**parts, "extent": dict(extent)})


def write_shard(root: Path, path: str, rows: Sequence[Row], footer: Footer) -> Entry:
    """Write `rows` as the shard `path` below `root` and return its entry; `footer.records` is computed here."""
    sealed = footer.model_copy(update={"records": digest_lines(rows)})
    schema = cast("pa.Schema", cast("Any", arrow_schema(footer.stage)).with_metadata({_KEY: canonical(sealed)}))
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema, compression="zstd", compression_level=3, version="2.6") as writer:
        writer.write_table(to_table(rows, schema))
    data = sink.getvalue().to_pybytes()
    write_atomic(root / path, data)
    return entry_of(path, sealed, len(rows), data)


def entry_of(path: str, footer: Footer, rows: int, data: bytes) -> Entry:
    """Return the manifest entry of a shard with these bytes."""
    sha = hashlib.sha256(data).hexdigest()
    return Entry(
        path=path, stage=footer.stage, rows=rows, bytes=len(data), sha256=sha, records=footer.records, key=footer.key
    )


def read_footer(file: Path) -> tuple[Footer, int]:
    """Return what a shard says of itself and its number of rows. Raise StoreError when it is no shard of ours."""
    try:
        metadata = cast("pq.FileMetaData", cast("Any", pq).read_metadata(file))
        texts = metadata.metadata or {}
        return Footer.model_validate(orjson.loads(texts[_KEY])), metadata.num_rows
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise _unreadable(file, error) from error


def read_rows(file: Path, columns: Sequence[str] | None = None) -> list[Row]:
    """Return the rows of a shard in order. Raise StoreError when it is damaged."""
    try:
        # not `read_table`, which imports pandas
        with cast("Any", pq).ParquetFile(file) as opened:
            return cast("list[Row]", opened.read(columns=list(columns) if columns else None).to_pylist())
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(file, error) from error


def read_schema(file: Path) -> pa.Schema:
    """Return the columns of a shard, without what its footer says. Raise StoreError when it is damaged."""
    try:
        return cast("pa.Schema", cast("Any", pq).read_schema(file)).remove_metadata()
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(file, error) from error


def write_atomic(file: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all, whenever the machine stops. Raise StoreError on failure."""
    part = file.with_name(f".{file.name}.{os.getpid()}{PART}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        publish(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(
            f"cannot write {file}: {error.strerror or error}; nothing is half-written, try again"
        ) from error


def publish(part: Path, file: Path) -> None:
    """Give a finished and synced temporary file its name, for good."""
    part.replace(file)
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unreadable(file: Path, error: Exception) -> StoreError:
    what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return StoreError(f"{file}: no readable shard ({what}); remove it, and the next run makes it again")
