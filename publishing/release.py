"""From a finished run to a versioned release folder.

A release is a function of the run's records and the version: built again with the same library versions, it has the
same bytes. It is built beside its folder and put in place when it is complete.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import orjson

from publishing.assemble import count_recorded, count_rows, recorded_rows, tool_rows, user_rows, world_rows
from publishing.card import LICENSE, CardInput, pretty_name, write_card
from publishing.changelog import CHANGELOG, Previous, write_changelog
from publishing.columns import json_schema
from publishing.errors import ReleaseError
from publishing.example import Example, example_of
from publishing.inspect import inspect_run
from publishing.manifest import (
    MANIFEST,
    FileEntry,
    Manifest,
    config_entries,
    manifest_bytes,
    origin_of,
    read_manifest,
    sealed,
)
from publishing.rows import BY_NAME, CONFIGS
from publishing.run import check_run, open_run, sha256_of
from publishing.splits import SHARED, SPLITS
from publishing.versions import is_version, precedence
from publishing.writer import SplitWriter, WrittenSplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from publishing.assemble import Counts
    from publishing.parquet import RawRow
    from publishing.run import Run
    from publishing.trajectories import Recorded, RolloutOrigin

Written = dict[tuple[str, str], WrittenSplit]


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """What was built."""

    folder: Path
    manifest: Manifest

    def text(self) -> str:
        """Return the summary for people: rows per config and split."""
        manifest = self.manifest
        lines = [f"{manifest.name} {manifest.version} in {self.folder}"]
        for name, entry in manifest.configs.items():
            splits = ", ".join(f"{split} {item.rows:,}" for split, item in entry.splits.items())
            lines.append(f"  {name:<13}{entry.rows:>9,} rows ({splits})")
        return "\n".join(lines)


def build_release(
    run: Path,
    version: str,
    out: Path,
    previous: Path | None = None,
    file_rows: Mapping[str, int] | None = None,
    recorded: Recorded | None = None,
) -> ReleaseSummary:
    """Build the release `version` of the run folder `run` in the folder `out`.

    `previous` is the folder of the release before, for the changelog; `file_rows` replaces rows per file of some
    configs; `recorded` are trajectories about the tasks of the run.

    Raises:
        ReleaseError: the version is no semantic version or no later one than `previous`; the run is incomplete, altered
            or holds a task that failed a check; `out` holds something else.
    """
    if not is_version(version):
        msg = f"{version!r} is no semantic version: write it as MAJOR.MINOR.PATCH, such as 1.0.0"
        raise ReleaseError(msg)
    before = _previous(previous, version)
    opened = open_run(run)
    check_run(opened)
    origins = [] if recorded is None else recorded.origins
    _require_free(opened, version, out, origins)
    part = _fresh(out.parent / f".{out.name}.part")
    try:
        written, example = _write_data(opened, part, file_rows or {}, recorded)
        whole = Manifest(
            name=opened.config.preset,
            version=version,
            license=LICENSE,
            run=origin_of(opened),
            rollouts=origins,
            configs=config_entries(written),
            files=[],
        )
        manifest = _write_rest(opened, part, whole, written, example, before)
    except BaseException:
        shutil.rmtree(part)
        raise
    _put_in_place(part, out)
    return ReleaseSummary(out, manifest)


def _previous(folder: Path | None, version: str) -> Previous | None:
    if folder is None:
        return None
    manifest = read_manifest(folder)
    if precedence(version) <= precedence(manifest.version):
        msg = (
            f"version {version} must be later than {manifest.version}, the version of the previous release in {folder}"
        )
        raise ReleaseError(msg)
    return Previous(folder, manifest)


def _require_free(run: Run, version: str, out: Path, rollouts: Sequence[RolloutOrigin]) -> None:
    """Raise ReleaseError when `out` holds anything but an earlier build of the same release."""
    if not out.exists():
        return
    if not out.is_dir():
        msg = f"{out} is a file: choose a folder for --out"
        raise ReleaseError(msg)
    present = {path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir()}
    if not present:
        return
    if MANIFEST not in present:
        msg = f"{out} is not empty and holds no release: choose another folder for --out"
        raise ReleaseError(msg)
    manifest = read_manifest(out)
    if manifest.version != version or manifest.run != origin_of(run) or manifest.rollouts != list(rollouts):
        other = " of another run" if manifest.run != origin_of(run) else " with other trajectories"
        what = f"{manifest.name} {manifest.version}" + ("" if manifest.version != version else other)
        msg = f"{out} holds {what}; a release is never overwritten. Choose another folder for --out."
        raise ReleaseError(msg)
    foreign = sorted(present - {MANIFEST, *(entry.path for entry in manifest.files)})
    if foreign:
        msg = f"{out} holds {foreign[0]!r}, no part of the release: move it away or choose another folder for --out"
        raise ReleaseError(msg)


def _fresh(part: Path) -> Path:
    """Return an empty folder for building; what an interrupted build left there is removed."""
    if part.exists():
        shutil.rmtree(part)
    part.mkdir(parents=True)
    return part


def _write_data(
    run: Run, folder: Path, file_rows: Mapping[str, int], recorded: Recorded | None
) -> tuple[Written, Example | None]:
    writers = _writers(folder, {**count_rows(run), **count_recorded(recorded)}, file_rows)
    for row in world_rows(run):
        writers["worlds", SHARED].add(row)
    for row in tool_rows():
        writers["tools", SHARED].add(row)
    shown: dict[str, RawRow] = {}
    for config, split, row in user_rows(run):
        writers[config, split].add(row)
        if config in {"tasks", "gold"} and split == "train":
            shown.setdefault(config, row)
    for split, row in recorded_rows(recorded):
        writers["trajectories", split].add(row)
    written = {key: writer.finish() for key, writer in writers.items()}
    return written, example_of(shown["tasks"], shown["gold"]) if shown else None


def _writers(folder: Path, counts: Counts, file_rows: Mapping[str, int]) -> dict[tuple[str, str], SplitWriter]:
    return {
        (config.name, split): SplitWriter(
            folder, config, split, counts[config.name, split], file_rows.get(config.name, config.file_rows)
        )
        for config in CONFIGS
        for split in (*SPLITS, SHARED)
        if (config.name, split) in counts
    }


def _write_rest(
    run: Run, folder: Path, manifest: Manifest, written: Written, example: Example | None, previous: Previous | None
) -> Manifest:
    card = CardInput(manifest, inspect_run(run.folder), example)
    texts = {
        "README.md": write_card(card),
        CHANGELOG: write_changelog(folder, manifest, previous),
        "CITATION.cff": _citation(manifest),
        "LICENSE": files("publishing").joinpath("templates", "LICENSE").read_text("utf-8"),
        **{f"schemas/{config.name}.json": _schema_text(config.name) for config in CONFIGS},
    }
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    rows = {file.path: file.rows for split in written.values() for file in split.files}
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    entries = [
        FileEntry(
            path=path, bytes=(folder / path).stat().st_size, sha256=sha256_of(folder / path), rows=rows.get(path, 0)
        )
        for path in paths
    ]
    final = sealed(manifest.model_copy(update={"files": entries}))
    (folder / MANIFEST).write_bytes(manifest_bytes(final))
    return final


def _schema_text(config: str) -> str:
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(json_schema(BY_NAME[config].row), option=options).decode()


def _citation(manifest: Manifest) -> str:
    """Return the citation file; https://citation-file-format.github.io gives its fields."""
    return (
        "cff-version: 1.2.0\n"
        'message: "If you use this dataset, please cite it as below."\n'
        "type: dataset\n"
        f'title: "{pretty_name(manifest.run.preset)}"\n'
        f'version: "{manifest.version}"\n'
        "license: CC-BY-4.0\n"
        "authors:\n"
        '  - name: "The pausegen contributors"\n'
        "keywords: [synthetic data, agents, tool use, function calling]\n"
    )


def _put_in_place(part: Path, out: Path) -> None:
    """Give the finished folder its name; an earlier build of the same release goes when it has been replaced."""
    if not out.exists():
        part.rename(out)
        return
    old = out.parent / f".{out.name}.old"
    shutil.rmtree(old, ignore_errors=True)
    out.rename(old)
    part.rename(out)
    shutil.rmtree(old)
