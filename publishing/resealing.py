"""Renewing the checksums of a release after its files were edited.

For tests of verification, and for whoever edits a release by hand: what verification finds afterwards, it finds by
looking at the records.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from publishing.manifest import MANIFEST, ConfigEntry, FileEntry, SplitEntry, manifest_bytes, read_manifest, sealed
from publishing.parquet import read_rows, row_count
from publishing.run import sha256_of
from schemas.base import canonical

if TYPE_CHECKING:
    from pathlib import Path


def reseal(folder: Path) -> None:
    """Bring every checksum and row count in the manifest of the release in `folder` up to date with its files."""
    manifest = read_manifest(folder)
    configs = {name: _config(folder, name, entry) for name, entry in manifest.configs.items()}
    files = [_file(folder, entry.path) for entry in manifest.files]
    final = sealed(manifest.model_copy(update={"configs": configs, "files": files}))
    (folder / MANIFEST).write_bytes(manifest_bytes(final))


def _config(folder: Path, name: str, entry: ConfigEntry) -> ConfigEntry:
    splits = {split: _split(folder, name, split) for split in entry.splits}
    rows = sum(split.rows for split in splits.values())
    return entry.model_copy(update={"splits": splits, "rows": rows})


def _split(folder: Path, config: str, split: str) -> SplitEntry:
    total, rows = hashlib.sha256(), 0
    for path in sorted((folder / "data" / config).glob(f"{split}-*.parquet")):
        for row in read_rows(path):
            total.update(canonical(row) + b"\n")
            rows += 1
    return SplitEntry(rows=rows, records_sha256=total.hexdigest())


def _file(folder: Path, path: str) -> FileEntry:
    file = folder / path
    rows = row_count(file) if file.suffix == ".parquet" else 0
    return FileEntry(path=path, bytes=file.stat().st_size, sha256=sha256_of(file), rows=rows)
