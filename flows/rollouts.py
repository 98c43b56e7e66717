"""Several rollouts of one run or release together: their trajectories, task by task."""

from __future__ import annotations

from heapq import merge
from pathlib import Path
from typing import TYPE_CHECKING, cast

from flows.errors import ConfigError, StoreError
from flows.rollout_config import digest_of
from flows.rollout_evaluate import config_of
from flows.rollout_shards import from_row, read_name, read_shard
from flows.rollout_store import RolloutManifest, rollout_at, shard_paths
from publishing.trajectories import Recorded, RolloutOrigin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flows.rows import Row
    from schemas.trajectory import Trajectory

_NAME = 8
"""Digits of a rollout's digest by which a release names it."""


class Rollouts:
    """Rollouts that were opened. Trajectories are read when they are asked for, few of them in memory at a time."""

    def __init__(self, roots: Sequence[Path], source: Path | None = None) -> None:
        """Open rollout folders; `source` is where the run or release with their tasks lies, if it was moved.

        Raise ConfigError when a folder is none, comes twice, or was played with other tasks than the first.
        """
        self.manifests: list[RolloutManifest] = [rollout_at(root) for root in roots]
        self._roots = list(roots)
        configs = [config_of(root) for root in roots]
        for number, (root, config) in enumerate(zip(roots, configs, strict=True)):
            if config.source.digest != configs[0].source.digest:
                raise ConfigError(f"{roots[0]} and {root} are not about the same tasks; export each on its own")
            if root.resolve() in [other.resolve() for other in roots[:number]]:
                raise ConfigError(f"{root} is named twice")
        self.source = source or Path(configs[0].source.path)
        if digest_of(self.source) != configs[0].source.digest:
            raise ConfigError(f"{self.source} is not what was played; give the folder of the run or release that was")

    def rows(self, only: Sequence[str] | None = None) -> Iterator[tuple[int, Row]]:
        """Yield number of the rollout and row of each trajectory, in the order of tasks.

        `only` names the columns that are read, `task_id` among them.
        """
        blocks: dict[int, list[tuple[int, Path]]] = {}
        for number, (root, known) in enumerate(zip(self._roots, self.manifests, strict=True)):
            for path in shard_paths(root, known):
                part = read_name(Path(path).name)
                if part is not None:
                    blocks.setdefault(part.block, []).append((number, root / path))
        for _, files in sorted(blocks.items()):
            yield from merge(*(_numbered(*file, only) for file in files), key=lambda row: str(row[1]["task_id"]))

    def trajectories(self) -> Iterator[tuple[int, Trajectory]]:
        """Yield number of the rollout and trajectory, in the order of tasks. Raise StoreError when a row is none."""
        for number, row in self.rows():
            try:
                yield number, from_row(row)
            except ValueError as error:
                text = " ".join(str(error).split())[:200]
                raise StoreError(f"{self._roots[number]}: a row is no trajectory ({text})") from error


def recorded_of(roots: Sequence[Path], run: Path) -> Recorded:
    """Return the trajectories of rollouts as a release of `run` takes them, in an order of its own.

    Raise ConfigError when a rollout is of other tasks or not complete, or two have the same settings.
    """
    known = {root: rollout_at(root) for root in roots}
    ordered = sorted(roots, key=lambda root: known[root].content_digest)
    rollouts = Rollouts(ordered, run)
    names = [manifest.content_digest[:_NAME] for manifest in rollouts.manifests]
    for at, (root, manifest) in enumerate(zip(ordered, rollouts.manifests, strict=True)):
        if not manifest.complete:
            raise ConfigError(f"{root} is not complete; repeat `pausegen rollout` until it exits 0")
        if manifest.counts.faulty:
            raise ConfigError(
                f"{root} holds {manifest.counts.faulty} trajectories whose record is wrong; see `pausegen evaluate`"
            )
        if names[at] in names[:at]:
            raise ConfigError(f"{ordered[at - 1]} and {root} were played with the same settings; name one of them")
    return Recorded(
        origins=[_origin(*pair) for pair in zip(names, rollouts.manifests, strict=True)],
        users=lambda: (str(row["user_id"]) for _, row in rollouts.rows(["task_id", "user_id"])),
        trajectories=lambda: ((names[number], trajectory) for number, trajectory in rollouts.trajectories()),
    )


def _origin(name: str, manifest: RolloutManifest) -> RolloutOrigin:
    content, counts = manifest.content, manifest.counts
    return RolloutOrigin(
        rollout=name,
        assistant=str(content["assistant"]),
        user=str(content["user"]),
        attempts=manifest.k,
        seed=cast("int", content["seed"]),
        settings_sha256=manifest.content_digest,
        generator_version=manifest.generator_version,
        trajectories=counts.trajectories,
        passed=counts.passed,
        ends=counts.ends,
    )


def _numbered(number: int, file: Path, only: Sequence[str] | None) -> Iterator[tuple[int, Row]]:
    return ((number, row) for row in read_shard(file, only))
