"""The records of a run or a release as `verify` takes them: world by world, then user by user, block after block."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, cast

from flows.extents import BLOCK, read_name
from flows.rows import Record, from_row
from flows.shards import read_rows
from flows.store import WORLD_FILE
from flows.trajectory_faults import trajectory_faults
from publishing.reader import open_release
from schemas.base import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from flows.comparing import Fault
    from flows.manifest import Manifest
    from publishing.reader import Release
    from schemas.base import Model


@dataclass(frozen=True, slots=True)
class Subject:
    """Everything that is stored of one user, as JSON data."""

    profile: Record
    profile_verdicts: Json
    """Null where only the record itself is published."""
    environment: Record
    environment_verdicts: Json
    tasks: list[tuple[Record, Record]]
    """Task and certificate, by ordinal."""


@dataclass(frozen=True, slots=True)
class Source:
    """A run or a release."""

    seed: int
    generator: str
    """Generator version that made it."""
    tasks: int
    """Tasks it says to hold."""
    users: int
    """Users it says to hold."""
    worlds: list[tuple[Record, Json]]
    """World and verdicts on it."""
    blocks: Callable[[], Iterator[list[Subject]]]
    """Users by block, by index."""
    trajectories: Callable[[], Iterator[tuple[str, list[Fault]]]] | None = None
    """Recorded conversations with what is wrong with each; None where there are none."""


def run_source(root: Path, known: Manifest) -> Source:
    """Return a run as a source. Raise StoreError when a shard cannot be read, ValueError when a row is none."""
    worlds = [from_row("worlds", row) for row in read_rows(root / WORLD_FILE)]
    return Source(
        seed=cast("int", known.content["seed"]),
        generator=known.generator_version,
        tasks=sum(entry.rows for entry in known.files if entry.stage == "tasks"),
        users=sum(entry.rows for entry in known.files if entry.stage == "users"),
        worlds=[(world, extra["verdicts"]) for world, extra in worlds],
        blocks=lambda: _run_blocks(root, known),
    )


def _run_blocks(root: Path, known: Manifest) -> Iterator[list[Subject]]:
    paths: dict[int, dict[str, list[Path]]] = {}
    for entry in known.files:
        extent = read_name((root / entry.path).name)
        if extent:
            paths.setdefault(extent.first // BLOCK, {}).setdefault(entry.stage, []).append(root / entry.path)
    for _, by_stage in sorted(paths.items()):
        yield _run_block({stage: _records(stage, files) for stage, files in by_stage.items()})


def _records(stage: str, files: list[Path]) -> list[tuple[Record, Record]]:
    return [] if stage == "rejects" else [from_row(stage, row) for file in files for row in read_rows(file)]


def _run_block(records: Mapping[str, list[tuple[Record, Record]]]) -> list[Subject]:
    environments = {str(record["user_id"]): (record, extra) for record, extra in records["environments"]}
    tasks: dict[str, list[tuple[Record, Record]]] = {}
    for record, extra in sorted(records["tasks"], key=lambda pair: cast("int", pair[0]["ordinal"])):
        tasks.setdefault(str(record["user_id"]), []).append((record, cast("Record", extra["certificate"])))
    subjects: list[Subject] = []
    for profile, extra in sorted(records["users"], key=lambda pair: cast("int", pair[0]["index"])):
        user_id = str(profile["user_id"])
        environment, more = environments.pop(user_id, ({}, {}))
        verdicts = (extra["verdicts"], more.get("verdicts"))
        subjects.append(Subject(profile, verdicts[0], environment, verdicts[1], tasks.pop(user_id, [])))
    return subjects


def release_source(root: Path) -> Source:
    """Return a release as a source. Raise ReleaseError when its configs do not fit together."""
    release = open_release(root)
    worlds = list(release.worlds())
    recorded = bool(release.manifest.rollouts) and len(worlds) == 1
    return Source(
        seed=release.manifest.run.seed,
        generator=release.manifest.run.generator_version,
        tasks=release.manifest.configs["tasks"].rows,
        users=release.manifest.configs["users"].rows,
        worlds=[(_plain(world), None) for world in worlds],
        blocks=lambda: _release_blocks(release),
        trajectories=(lambda: trajectory_faults(release, worlds[0])) if recorded else None,
    )


def _release_blocks(release: Release) -> Iterator[list[Subject]]:
    for _, users in groupby(release.by_user(), key=lambda user: user.profile.index // BLOCK):
        yield [
            Subject(
                profile=_plain(user.profile),
                profile_verdicts=None,
                environment=_plain(user.environment),
                environment_verdicts=None,
                tasks=[(_plain(t), _plain(c)) for t, c in zip(user.tasks, user.certificates, strict=True)],
            )
            for user in users
        ]


def _plain(record: Model) -> Record:
    return record.model_dump(mode="json")
