"""Reading a run folder: its config, manifest, funnel and shards, and whether it may be published."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import orjson
import pydantic
import yaml

from publishing.errors import ReleaseError
from schemas.base import canonical_text
from schemas.config import RunConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from publishing.parquet import RawRow
    from schemas.base import Json


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder that was opened."""

    folder: Path
    config: RunConfig
    manifest: Mapping[str, Json]
    funnel: Sequence[Mapping[str, Json]]

    @property
    def files(self) -> dict[str, Mapping[str, Json]]:
        """Entries of the manifest by path relative to the folder."""
        entries = cast("list[Mapping[str, Json]]", self.manifest["files"])
        return {str(entry["path"]): entry for entry in entries}


def open_run(folder: Path) -> Run:
    """Return the run in `folder`. Raise ReleaseError when it is none."""
    try:
        config = RunConfig.model_validate(yaml.safe_load((folder / "config.yaml").read_text("utf-8")))
        manifest = orjson.loads((folder / "manifest.json").read_bytes())
        funnel = orjson.loads((folder / "funnel.json").read_bytes())
    except FileNotFoundError as error:
        name = Path(error.filename).name
        msg = f"{folder} is no run folder: it has no {name}. Make one with `pausegen generate --out {folder}`."
        raise ReleaseError(msg) from error
    except (yaml.YAMLError, orjson.JSONDecodeError, pydantic.ValidationError) as error:
        why = " ".join(str(error).split())[:200]
        msg = f"{folder}: config.yaml, manifest.json or funnel.json cannot be read: {why}"
        raise ReleaseError(msg) from error
    stages = cast("list[Mapping[str, Json]]", funnel["stages"] if isinstance(funnel, dict) else funnel)
    return Run(folder, config, cast("Mapping[str, Json]", manifest), stages)


def shards(run: Run, stage: str) -> list[Path]:
    """Return the shard files of a stage that the manifest names, by name."""
    return [
        run.folder / path for path in sorted(run.files) if path.startswith(f"{stage}/") and path.endswith(".parquet")
    ]


def take(row: RawRow, column: str) -> object:
    """Return a column of a row in the form that `column` asks for: JSON text for a name in `_json`, else the value."""
    if column in row:
        return row[column]
    if column.endswith("_json"):
        return canonical_text(row[column.removesuffix("_json")])
    return orjson.loads(cast("str", row[f"{column}_json"]))


def parsed(row: RawRow, name: str) -> Json:
    """Return the field `name` of a row as JSON data."""
    return cast("Json", take(row, name))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_run(run: Run) -> None:
    """Raise ReleaseError when the run lacks what its config asks for, or a file of it is missing or altered."""
    config, unit = run.config, "tasks" if run.config.tasks_per_user else "users"
    command = "pausegen generate" if config.rewriting is None else "pausegen rewrite"
    wanted = config.users * max(1, config.tasks_per_user)
    kept = sum(cast("int", entry["rows"]) for path, entry in run.files.items() if path.startswith(f"{unit}/"))
    if kept != wanted or run.manifest.get("complete") is not True:
        msg = f"{run.folder} is not complete: {kept} of {wanted} {unit}. Repeat `{command}` until it exits 0."
        raise ReleaseError(msg)
    sums = {path: str(entry["sha256"]) for path, entry in run.files.items()}
    sums.update(cast("dict[str, str]", run.manifest["documents"]))
    for path, expected in sorted(sums.items()):
        file = run.folder / path
        if not file.is_file():
            msg = f"{run.folder}: {path} is missing. Run the same `{command}` again; it makes what is missing."
            raise ReleaseError(msg)
        if sha256_of(file) != expected:
            msg = f"{run.folder}: {path} was altered. `pausegen verify {run.folder}` says more."
            raise ReleaseError(msg)
