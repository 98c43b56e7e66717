"""Scores a rollout again from its recorded calls and messages; what is stored of scores is only compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flows.config import parse_as, read_yaml
from flows.errors import ConfigError, StoreError
from flows.manifest import CONFIG, MANIFEST, render
from flows.rollout_contexts import Contexts
from flows.rollout_scoring import scored
from flows.rollout_shards import (
    Counting,
    Part,
    Scored,
    ShardWriter,
    entry_at,
    from_row,
    read_name,
    read_shard,
    writing,
)
from flows.rollout_store import own_digest, rollout_at, shard_paths
from flows.shards import read_footer, write_atomic
from flows.store import locked
from schemas.base import canonical
from schemas.rollout import RolloutConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from flows.rollout_shards import Counts
    from schemas.score import Score
    from schemas.trajectory import Trajectory

SHOWN = 20
"""Differences that are told one by one; all are counted."""


@dataclass(slots=True)
class Evaluation:
    """What scoring again found."""

    trajectories: int = 0
    differing: int = 0
    """Trajectories whose stored score is another one."""
    lines: list[str] = field(default_factory=list[str])
    """The first differences and faults, in words."""
    counting: Counting = field(default_factory=Counting)

    @property
    def counts(self) -> Counts:
        """What a rollout with the new scores counts."""
        return self.counting.counts

    def see(self, stored: Trajectory, again: Scored) -> None:
        """Take in one trajectory as it was stored and as it was scored again."""
        self.trajectories += 1
        self.counting.see(again)
        told = difference(stored.score, again.trajectory.score)
        self.differing += bool(told)
        found = [told, *again.faults] if told else again.faults
        self.lines += [f"{stored.trajectory_id}: {text}" for text in found][: SHOWN - len(self.lines)]


def config_of(root: Path) -> RolloutConfig:
    """Return the configuration that a rollout folder states. Raise ConfigError when it cannot be read."""
    try:
        text = (root / CONFIG).read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {root / CONFIG}: {error.strerror}") from error
    return parse_as(RolloutConfig, read_yaml(text, str(root / CONFIG)), str(root / CONFIG))


def evaluate(root: Path, source: Path | None = None, *, write: bool = False) -> Evaluation:
    """Score every trajectory again and compare; with `write`, put the new scores in place of the stored ones.

    `source` is where the run lies by now, if it was moved.
    """
    known = rollout_at(root)
    contexts = Contexts(config_of(root), source)
    found = Evaluation()
    with locked(root):
        entries = {entry.path: entry for entry in known.files}
        for part in sorted(_parts(shard_paths(root, known)), key=lambda part: part.block):
            if write:
                footer, rows = read_footer(root / part.path)
                with writing(root, part, footer) as writer:
                    _evaluate(root, part, contexts, found, writer)
                footer, rows = read_footer(root / part.path)
                entries[part.path] = entry_at(root, part, footer, rows)
            else:
                _evaluate(root, part, contexts, found, None)
        if write:
            changes = {"files": [entry for _, entry in sorted(entries.items())], "counts": found.counts}
            made = known.model_copy(update=changes)
            write_atomic(root / MANIFEST, render(made.model_copy(update={"digest": own_digest(made)})))
    return found


def _parts(paths: Sequence[str]) -> Iterator[Part]:
    for path in paths:
        part = read_name(path.rpartition("/")[2])
        if part is not None:
            yield part


def _evaluate(root: Path, part: Part, contexts: Contexts, found: Evaluation, writer: ShardWriter | None) -> None:
    _, size = read_footer(root / part.path)
    for context, row in zip(contexts.block(part.block, size), read_shard(root / part.path), strict=True):
        stored = from_row(row)
        if stored.task_id != context.task.task_id:
            raise StoreError(f"{root / part.path}: {stored.task_id} stands where {context.task.task_id} belongs")
        again = scored(context, stored)
        found.see(stored, again)
        if writer is not None:
            writer.add(again)


def difference(stored: Score | None, again: Score | None) -> str:
    """Return in words how two scores differ; empty when they are equal."""
    if stored is None or again is None:
        return "" if stored is again else f"stored {_named(stored)}, is {_named(again)}"
    names = [n for n in type(again).model_fields if canonical(getattr(stored, n)) != canonical(getattr(again, n))]
    return "; ".join(f"{name} was {getattr(stored, name)!r}, is {getattr(again, name)!r}" for name in names)


def _named(score: Score | None) -> str:
    return "not scored" if score is None else "passed" if score.passed else "failed"
