"""The run folder: what it holds, what of it is whole, and how it grows. The manifest follows from the shards.

    config.yaml manifest.json funnel.json  users/ worlds/ environments/ tasks/ rejects/

The `tasks` shard of an extent is written last: an extent is complete when that file and its companions are there.
Opening a run removes what a killed process left behind, so that no record is lost or there twice, whenever it died.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from flows import extents, manifest
from flows.amounts import Amount, amount_of
from flows.errors import ConfigError, StoreError
from flows.extents import Done, Extent, file_name, read_name
from flows.folders import expect, expect_place, kind_of
from flows.funnel import Funnel, total
from flows.manifest import Manifest
from flows.rows import STAGES
from flows.shards import FORMAT, PART, Entry, Footer, entry_of, read_footer, shard_key
from flows.version import generator_parts, generator_version
from schemas.base import Json

if TYPE_CHECKING:
    from collections.abc import Generator

    from schemas.config import RunConfig

WORLD_FILE = "worlds/world-00000.parquet"
WORK = ".work"
"""Folder, below the run folder, of candidate files; empty when no process is at work."""
REWRITTEN = "A rewritten run does not grow: grow the run that it was made from, and rewrite that to another --out."
_LOCK = ".lock"


@dataclass(slots=True)
class RunFolder:
    """An open run: its files, and the counts they state. Only the process that opened it changes it."""

    root: Path
    config: RunConfig
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    funnels: dict[str, Funnel] = field(default_factory=dict[str, Funnel])
    done: Done = field(default_factory=dict[int, Extent])
    """Per user, the last complete extent."""

    def add(self, made: Iterable[tuple[Entry, Funnel | None]], extent: Extent | None = None) -> None:
        """Take over the shards of one extent, or the world's, after they were written."""
        for entry, funnel in made:
            self.entries[entry.path] = entry
            if funnel:
                self.funnels[entry.path] = funnel
        if extent:
            self.done.update(dict.fromkeys(extent.users, extent))

    def funnel(self) -> Funnel:
        """Return the sum of all counts."""
        return total(self.funnels.values())

    def missing(self) -> list[list[Extent]]:
        """Return the extents still to be made, block by block."""
        return list(extents.missing(self.done, self.config.users, self.config.tasks_per_user))

    def kept_tasks(self) -> int:
        """Return how many tasks the run holds."""
        return self._rows("tasks")

    def amount(self) -> Amount:
        """Return how much of what the run is for it holds."""
        return amount_of(self.config, self._rows("tasks"), self._rows("users"))

    def _rows(self, stage: str) -> int:
        return sum(entry.rows for entry in self.entries.values() if entry.stage == stage)

    def save(self) -> Manifest:
        """Write config, funnel and manifest."""
        made = Manifest(
            complete=WORLD_FILE in self.entries and not self.missing(),
            users=self.config.users,
            tasks_per_user=self.config.tasks_per_user,
            content=self.config.content(),
            content_digest=self.config.content_digest(),
            generator=generator_parts(),
            generator_version=generator_version(),
            documents={},
            files=[self.entries[path] for path in sorted(self.entries)],
        )
        return manifest.save(self.root, made, self.config, self.funnel())


def manifest_of(root: Path) -> Manifest:
    """Return the manifest of a run. Raise StoreError when the folder holds none, ConfigError for another kind."""
    if kind_of(root) is not None:
        expect(root, "run")
    known = manifest.load(root)
    if known is None:
        raise StoreError(f"{root} is no run folder: it has no {manifest.MANIFEST}")
    return known


def load_funnel(root: Path) -> Funnel:
    """Return the funnel of a run as its file states it. Raise StoreError when it is damaged."""
    try:
        return Funnel.model_validate_json((root / manifest.FUNNEL).read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"{root / manifest.FUNNEL} cannot be read; run the command again that made the run") from error


def known_at(root: Path) -> Manifest | None:
    """Return the manifest of the run in `root`, None for a new one. Raise ConfigError when something else is there."""
    if root.exists() and not root.is_dir():
        raise ConfigError(f"{root} is a file; --out wants a folder")
    expect_place(root, "run")
    known = manifest.load(root) if root.is_dir() else None
    if known is None and root.is_dir() and any(entry.name != _LOCK for entry in root.iterdir()):
        raise ConfigError(
            f"{root} is not empty and holds no run; choose another folder with --out. Nothing was changed."
        )
    if known and known.format != FORMAT:
        raise ConfigError(f"{root} has the form {known.format!r}, this version writes {FORMAT!r}; choose another --out")
    return known


@contextmanager
def open_run(root: Path, config: RunConfig, *, fresh: bool = False) -> Generator[RunFolder]:
    """Yield the run in `root`, new or to be continued, for this process alone.

    Raise ConfigError when the folder is no run, is in use, or was made from anything else, naming what differs.
    `fresh` first deletes the files that the run owns, and nothing else.
    """
    known = known_at(root)
    if known and not fresh:
        refuse_difference(known, config, root)
    root.mkdir(parents=True, exist_ok=True)
    with locked(root):
        if known and fresh:
            clear(root, known)
        run = recover(root, config)
        run.save()
        try:
            yield run
        finally:
            shutil.rmtree(root / WORK, ignore_errors=True)


def refuse_difference(known: Manifest, config: RunConfig, root: Path) -> None:
    """Raise ConfigError naming what differs between a run and what is asked of it now."""
    new = config.content()
    if "rewriting" in known.content and config.rewriting is None:
        raise ConfigError(f"{root} holds a run that a model rewrote.\n{REWRITTEN}")
    keys = sorted({*known.content, *new})
    found = [
        f"{key} is {known.content.get(key)!r}, asked {new.get(key)!r}"
        for key in keys
        if known.content.get(key) != new.get(key)
    ]
    parts = generator_parts()
    names = [name for name in sorted({*known.generator, *parts}) if known.generator.get(name) != parts.get(name)]
    found.extend(f"generator part {name} changed" for name in names)
    sizes = (("users", known.users, config.users), ("tasks_per_user", known.tasks_per_user, config.tasks_per_user))
    found.extend(f"{name} is {old} and can only grow, asked {asked}" for name, old, asked in sizes if asked < old)
    if found:
        raise ConfigError(
            f"{root} holds another run: {'; '.join(found)}.\n"
            "Give the same settings, choose another folder with --out, or start anew with --fresh."
        )


def recover(root: Path, config: RunConfig) -> RunFolder:
    """Return the run as its shards tell it, after removing temporary files and shards of incomplete extents."""
    shutil.rmtree(root / WORK, ignore_errors=True)
    for folder in (root, *(root / stage for stage in STAGES)):
        for part in folder.glob(f".*{PART}"):
            part.unlink()
    found = {path: read_footer(root / path) for path in _shard_paths(root)}
    _refuse_foreign(root, config, found)
    named = {read_name(Path(path).name) for path in found if path.startswith("tasks/")}
    whole = [extent for extent in named if extent and all(path in found for path in companions(extent))]
    kept, done = extents.connected(whole)
    owned = {WORLD_FILE, *(path for extent in kept for path in companions(extent))}
    for path in found.keys() - owned:
        (root / path).unlink()
    known = manifest.load(root)
    listed = {entry.path: entry for entry in known.files} if known else {}
    run = RunFolder(root, config, done=done)
    for path in sorted(owned & found.keys()):
        footer, rows = found[path]
        entry = listed.get(path) or entry_of(path, footer, rows, (root / path).read_bytes())
        run.add([(entry, counts_of(footer))])
    return run


def companions(extent: Extent) -> list[str]:
    """Return the files of an extent, in the order in which they are written.

    Those of its users are there already when they were made without tasks.
    """
    stages = ("users", "environments", "rejects", "tasks") if extent.start == 0 else ("rejects", "tasks")
    return [file_name(stage, extent) for stage in stages]


def is_complete(root: Path, extent: Extent) -> bool:
    """Return whether the shard of an extent that is written last is there."""
    return (root / companions(extent)[-1]).exists()


def footer_of(config: RunConfig, stage: str, extent: Extent | None, funnel: Funnel | None = None) -> Footer:
    """Return the footer of a shard of this configuration and generator, still without the checksum of the records."""
    where = extent_fields(stage, extent)
    version = generator_version()
    key = shard_key(config.content(), stage, where, version)
    counts: Json = funnel.model_dump(mode="json") if funnel else None
    return Footer(stage=stage, extent=where, key=key, generator=version, records="", counts=counts)


def extent_fields(stage: str, extent: Extent | None) -> dict[str, int]:
    """Return what of the extent a shard of `stage` states: all, only the users, or nothing for the world."""
    if extent is None:
        return {}
    users = {"first": extent.first, "last": extent.last}
    return {**users, "start": extent.start, "stop": extent.stop} if stage in extents.PER_TASK_STAGES else users


def counts_of(footer: Footer) -> Funnel | None:
    """Return the counts that a shard states, if it does."""
    return None if footer.counts is None else Funnel.model_validate(footer.counts)


def clear(root: Path, known: Manifest) -> None:
    """Delete every file that the run owns: those its manifest lists, and shards it had no time to list."""
    unlisted = (path for path in _shard_paths(root) if _owned(root, path, known))
    for path in {*(entry.path for entry in known.files), *unlisted}:
        (root / path).unlink(missing_ok=True)
    for name in (manifest.CONFIG, manifest.FUNNEL, manifest.MANIFEST):
        (root / name).unlink(missing_ok=True)


def _owned(root: Path, path: str, known: Manifest) -> bool:
    try:
        footer, _ = read_footer(root / path)
    except StoreError:
        return False
    return footer.key == shard_key(known.content, footer.stage, footer.extent, known.generator_version)


def _shard_paths(root: Path) -> list[str]:
    paths = (file for stage in STAGES for file in (root / stage).glob("*.parquet"))
    names = (f"{file.parent.name}/{file.name}" for file in paths)
    return sorted(name for name in names if name == WORLD_FILE or read_name(Path(name).name))


def _refuse_foreign(root: Path, config: RunConfig, found: Mapping[str, tuple[Footer, int]]) -> None:
    for path, (footer, _) in found.items():
        extent = None if path == WORLD_FILE else read_name(Path(path).name)
        if footer.key != footer_of(config, path.partition("/")[0], extent).key:
            raise ConfigError(
                f"{root / path} belongs to another run or generator version; use another --out or --fresh"
            )


@contextmanager
def locked(root: Path) -> Generator[None]:
    """Hold a folder for this process alone. Raise ConfigError when another one has it."""
    with _open_lock(root / _LOCK) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConfigError(f"another process is writing to {root}; wait for it or choose another --out") from error
        yield


def _open_lock(file: Path) -> IO[bytes]:
    try:
        return file.open("ab")
    except OSError as error:
        raise ConfigError(f"cannot write to {file.parent}: {error.strerror}; choose another --out") from error


__all__ = ["WORK", "WORLD_FILE", "RunFolder", "companions", "counts_of", "footer_of", "open_run", "recover"]
