"""The rollout folder: what it holds, what of it is whole, and how it grows. The manifest follows from the shards.

    config.yaml manifest.json summary.json  trajectories/block-00000-k00.parquet

A shard holds one attempt at all tasks of one block of users, and is there whole or not at all. One with conversations
that ended because a model could not be reached is made again when the rollout is opened the next time.
"""

from __future__ import annotations

import hashlib
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson
from pydantic import ValidationError

from flows.errors import ConfigError, StoreError
from flows.folders import expect, expect_place
from flows.manifest import CONFIG, MANIFEST, render
from flows.rollout_config import differences, to_yaml
from flows.rollout_shards import FORMAT, STAGE, Counts, Part, entry_at, from_row, read_name, read_shard
from flows.shards import PART, Entry, Footer, read_footer, shard_key, write_atomic
from flows.store import WORK, locked
from flows.version import generator_parts, generator_version
from schemas.base import Json, Model, digest
from schemas.models import Role, Tally

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from schemas.rollout import RolloutConfig
    from schemas.trajectory import Trajectory

SUMMARY = "summary.json"
_LOCK = ".lock"


class RolloutManifest(Model):
    """What a rollout folder holds."""

    format: str = FORMAT
    complete: bool
    """Whether every shard of the wanted attempts is there, without a conversation that a model failed to reach."""
    k: int
    wanted: int
    """Trajectories that there are to be."""
    content: dict[str, Json]
    """Settings that decide the trajectories."""
    content_digest: str
    generator: dict[str, str]
    """What the generator version is made of."""
    generator_version: str
    documents: dict[str, str]
    """SHA-256 of `config.yaml`."""
    counts: Counts
    usage: dict[Role, Tally] = {}
    """What models did for this rollout, calls included whose conversations were lost with a killed process."""
    files: list[Entry]
    """All shards, by path."""
    digest: str = ""
    """SHA-256 of the canonical form of everything else."""


@dataclass(slots=True)
class RolloutFolder:
    """An open rollout. Only the process that opened it changes it."""

    root: Path
    config: RolloutConfig
    blocks: dict[int, int]
    """Block of users -> tasks that are played in it."""
    entries: dict[str, tuple[Entry, Counts]] = field(default_factory=dict[str, "tuple[Entry, Counts]"])
    usage: dict[Role, Tally] = field(default_factory=dict[Role, Tally])

    def parts(self) -> list[Part]:
        """Return all shards that there are to be, block after block: each is loaded once for all attempts."""
        return [Part(block, attempt) for block in self.blocks for attempt in range(self.config.k)]

    def missing(self) -> list[Part]:
        """Return the shards still to be made."""
        return [part for part in self.parts() if part.path not in self.entries]

    def collect(self, parts: Sequence[Part]) -> list[Part]:
        """Take over those of `parts` whose shards are there by now, and return the others."""
        waiting: list[Part] = []
        for part in parts:
            if (self.root / part.path).exists():
                footer, rows = read_footer(self.root / part.path)
                self.entries[part.path] = (
                    entry_at(self.root, part, footer, rows),
                    Counts.model_validate(footer.counts),
                )
            else:
                waiting.append(part)
        return waiting

    def counts(self) -> Counts:
        """Return the counts over all shards."""
        total = Counts()
        for _, counts in self.entries.values():
            total = total.plus(counts)
        return total

    @property
    def wanted(self) -> int:
        """Return how many trajectories there are to be."""
        return self.config.k * sum(self.blocks.values())

    def save(self) -> RolloutManifest:
        """Write configuration and manifest."""
        text = to_yaml(self.config).encode()
        counts = self.counts()
        made = RolloutManifest(
            complete=not self.missing() and not counts.ends.get("infrastructure_error"),
            k=self.config.k,
            wanted=self.wanted,
            content=self.config.content(),
            content_digest=digest(self.config.content()),
            generator=generator_parts(),
            generator_version=generator_version(),
            documents={CONFIG: hashlib.sha256(text).hexdigest()},
            counts=counts,
            usage=self.usage,
            files=[entry for _, (entry, _) in sorted(self.entries.items())],
        )
        sealed = made.model_copy(update={"digest": own_digest(made)})
        write_atomic(self.root / CONFIG, text)
        write_atomic(self.root / MANIFEST, render(sealed))
        return sealed


def own_digest(manifest: RolloutManifest) -> str:
    """Return the digest of everything in the manifest but the digest."""
    return digest(manifest.model_dump(mode="json", exclude={"digest"}))


def load_rollout(root: Path) -> RolloutManifest | None:
    """Return the manifest of a rollout folder, None when it has none. Raise StoreError when it is damaged."""
    try:
        data = orjson.loads((root / MANIFEST).read_bytes())
        known = RolloutManifest.model_validate(data)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        text = " ".join(str(error).split())[:200]
        raise StoreError(f"{root / MANIFEST} is no manifest of a rollout ({text})") from error
    if known.digest != own_digest(known):
        raise StoreError(f"{root / MANIFEST} was altered: its own digest does not fit; roll out again with --fresh")
    return known


def rollout_at(root: Path) -> RolloutManifest:
    """Return the manifest of a rollout. Raise ConfigError when the folder holds none."""
    expect(root, "rollout")
    known = load_rollout(root)
    if known is None:
        raise StoreError(f"{root / MANIFEST} is gone")
    return known


def read_rollout(root: Path) -> Iterator[Trajectory]:
    """Yield the trajectories of a rollout folder, attempt after attempt in the order of tasks.

    Few are in memory at a time. Raise ConfigError when the folder holds no rollout, StoreError when a file is not what
    the manifest says.
    """
    for path in shard_paths(root, rollout_at(root)):
        for row in read_shard(root / path):
            try:
                yield from_row(row)
            except ValueError as error:
                text = " ".join(str(error).split())[:200]
                raise StoreError(f"{root / path}: a row is no trajectory ({text})") from error


def shard_paths(root: Path, known: RolloutManifest) -> list[str]:
    """Return the paths of the shards, attempt after attempt. Raise StoreError when one is not what was recorded."""
    for entry in known.files:
        try:
            found = hashlib.sha256((root / entry.path).read_bytes()).hexdigest()
        except OSError as error:
            raise StoreError(f"{root / entry.path} cannot be read: {error.strerror}") from error
        if found != entry.sha256:
            raise StoreError(f"{root / entry.path} is not the file that {MANIFEST} lists; its SHA-256 differs")
    return sorted((entry.path for entry in known.files), key=_order)


def known_at(root: Path) -> RolloutManifest | None:
    """Return the manifest of the rollout in `root`, None if it is new. Raise ConfigError if something else is there."""
    if root.exists() and not root.is_dir():
        raise ConfigError(f"{root} is a file; --out wants a folder")
    expect_place(root, "rollout")
    known = load_rollout(root) if root.is_dir() else None
    if known is None and root.is_dir() and any(entry.name != _LOCK for entry in root.iterdir()):
        raise ConfigError(f"{root} is not empty and holds no rollout; choose another folder with --out")
    return known


@contextmanager
def open_rollout(
    root: Path, config: RolloutConfig, blocks: dict[int, int], *, fresh: bool = False
) -> Generator[RolloutFolder]:
    """Yield the rollout in `root`, new or to be continued, for this process alone.

    Raise ConfigError when the folder is no rollout, is in use, or was made from anything else, naming what differs.
    `fresh` first deletes the files that the rollout owns, and nothing else.
    """
    known = known_at(root)
    if known and not fresh:
        _refuse_difference(known, config, root)
    root.mkdir(parents=True, exist_ok=True)
    with locked(root):
        if known and fresh:
            _clear(root, known)
        rollout = _recover(root, config, blocks)
        rollout.usage = dict(known.usage) if known and not fresh else {}
        rollout.save()
        try:
            yield rollout
        finally:
            shutil.rmtree(root / WORK, ignore_errors=True)


def footer_of(config: RolloutConfig, part: Part) -> Footer:
    """Return the footer of a shard of this configuration and generator, still without checksum and counts."""
    version = generator_version()
    key = shard_key(config.content(), STAGE, part._asdict(), version)
    return Footer(format=FORMAT, stage=STAGE, extent=part._asdict(), key=key, generator=version, records="")


def _recover(root: Path, config: RolloutConfig, blocks: dict[int, int]) -> RolloutFolder:
    """Return the rollout as its shards tell it, after removing temporary files and what is to be made again."""
    shutil.rmtree(root / WORK, ignore_errors=True)
    for part in [*root.glob(f".*{PART}"), *(root / STAGE).glob(f".*{PART}")]:
        part.unlink()
    rollout = RolloutFolder(root, config, blocks)
    for part in rollout.parts():
        if not (root / part.path).exists():
            continue
        footer, _ = read_footer(root / part.path)
        if footer.key != footer_of(config, part).key:
            raise ConfigError(f"{root / part.path} belongs to another rollout; use another --out or --fresh")
        if Counts.model_validate(footer.counts).ends.get("infrastructure_error"):
            (root / part.path).unlink()
    rollout.collect(rollout.parts())
    return rollout


def _refuse_difference(known: RolloutManifest, config: RolloutConfig, root: Path) -> None:
    """Raise ConfigError naming what differs between a rollout and what is asked of it now."""
    found = differences(known.content, config.content())
    parts = generator_parts()
    names = sorted({*known.generator, *parts})
    found += [f"generator part {name} changed" for name in names if known.generator.get(name) != parts.get(name)]
    if config.k < known.k:
        found.append(f"k is {known.k} and can only grow, asked {config.k}")
    if found:
        raise ConfigError(
            f"{root} holds another rollout: {'; '.join(found)}.\n"
            "Give the same settings, choose another folder with --out, or start anew with --fresh."
        )


def _clear(root: Path, known: RolloutManifest) -> None:
    """Delete the files that the rollout owns; replies of models stay, so that they need not be paid again."""
    unlisted = [file for file in (root / STAGE).glob("*.parquet") if read_name(file.name)]
    for file in [*unlisted, *(root / entry.path for entry in known.files)]:
        file.unlink(missing_ok=True)
    for name in (CONFIG, MANIFEST, SUMMARY):
        (root / name).unlink(missing_ok=True)


def _order(path: str) -> tuple[int, int]:
    part = read_name(path.rpartition("/")[2])
    if part is None:
        raise StoreError(f"{path} is not the name of a shard of trajectories")
    return part.attempt, part.block
