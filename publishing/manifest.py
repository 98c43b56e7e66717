"""The manifest of a release: what it was made from, what it holds, and the checksum of every file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydantic

from publishing.columns import schema_digest
from publishing.errors import ReleaseError
from publishing.rows import CONFIGS
from publishing.trajectories import RolloutOrigin
from schemas.base import Model, canonical, digest
from schemas.config import INPUT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from publishing.run import Run
    from publishing.writer import WrittenSplit

MANIFEST = "manifest.json"


class Origin(Model):
    """The run a release was built from."""

    preset: str
    seed: int
    users: int
    tasks_per_user: int
    config_sha256: str
    """Digest of the settings that decide the records, amounts apart: a run that grew equals a fresh one."""
    generator_version: str
    """Digest of the sources and data that made and checked the records."""
    inputs: dict[str, str] = {}
    """SHA-256 of the files that were not invented here: `catalogue`, `personas`."""


class SplitEntry(Model):
    """One split of a config."""

    rows: int
    records_sha256: str
    """SHA-256 over the canonical JSON lines of the rows, which any reader of the dataset can recompute."""


class ConfigEntry(Model):
    """One config."""

    rows: int
    schema_sha256: str
    """Digest of column names, column types and JSON Schema."""
    splits: dict[str, SplitEntry]


class FileEntry(Model):
    """One file beside the manifest."""

    path: str
    bytes: int
    sha256: str
    rows: int = 0
    """Rows of a data file; 0 for other files."""


class Manifest(Model):
    """All of it."""

    format: int = 1
    name: str
    version: str
    license: str
    run: Origin
    rollouts: list[RolloutOrigin] = []
    """Where its trajectories come from, by `rollout`."""
    configs: dict[str, ConfigEntry]
    files: list[FileEntry]
    """Sorted by path."""
    sha256: str = ""
    """Digest of this manifest with this field left empty."""


def origin_of(run: Run) -> Origin:
    """Return what identifies a run."""
    config = run.config
    return Origin(
        preset=config.preset,
        seed=config.seed,
        users=config.users,
        tasks_per_user=config.tasks_per_user,
        config_sha256=config.content_digest(),
        generator_version=str(run.manifest["generator_version"]),
        inputs={name: given.sha256 for name in INPUT_FIELDS if (given := config.input_file(name))},
    )


def config_entries(written: Mapping[tuple[str, str], WrittenSplit]) -> dict[str, ConfigEntry]:
    """Return the entry of every config that was written."""
    entries: dict[str, ConfigEntry] = {}
    for config in CONFIGS:
        splits = {
            split: SplitEntry(rows=item.rows, records_sha256=item.records_sha256)
            for (name, split), item in written.items()
            if name == config.name
        }
        rows = sum(entry.rows for entry in splits.values())
        entries[config.name] = ConfigEntry(rows=rows, schema_sha256=schema_digest(config.row), splits=splits)
    return entries


def sealed(manifest: Manifest) -> Manifest:
    """Return the manifest with its own digest."""
    return manifest.model_copy(update={"sha256": _digest(manifest)})


def is_sealed(manifest: Manifest) -> bool:
    """Return whether the manifest's own digest is right."""
    return manifest.sha256 == _digest(manifest)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of the release in `folder`. Raise ReleaseError when there is none that can be read."""
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        msg = f"{folder} is no release: it has no {MANIFEST}"
        raise ReleaseError(msg) from error
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole file"
        msg = f"{path} is no manifest of a release: {where}: {first['msg']}"
        raise ReleaseError(msg) from error


def _digest(manifest: Manifest) -> str:
    return digest(manifest.model_copy(update={"sha256": ""}))


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the file content of a manifest: canonical JSON and a newline."""
    return canonical(manifest) + b"\n"
