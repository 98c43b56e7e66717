"""Shards of trajectories: one attempt at all tasks of one block of users, written as the conversations end.

Few trajectories are in memory at a time, and the bytes of a file follow from its trajectories alone. A file appears
under its name only when it is complete.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from flows.columns import to_table
from flows.errors import StoreError
from flows.rows import arrow_type
from flows.shards import PART, Entry, Footer, entry_of, publish
from schemas.base import Model, canonical, canonical_text
from schemas.models import Usage
from schemas.trajectory import UNSCORED, Trajectory

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from flows.rows import Row

FORMAT = "pausegen-rollout/1"
"""Version of the form of rollout folders and their shards."""
STAGE = "trajectories"
GROUP = 50
"""Trajectories per row group: so many are in memory at once."""
_KEY = b"pausegen"
_NOTHING = Usage()
_NAME = re.compile(r"block-(\d{5,})-k(\d{2,})\.parquet")


class Part(NamedTuple):
    """What one shard covers."""

    block: int
    """Block of ten users, by index."""
    attempt: int

    @property
    def path(self) -> str:
        """Return the path of its file below the rollout folder."""
        return f"{STAGE}/block-{self.block:05d}-k{self.attempt:02d}.parquet"


class Mean(Model):
    """A mean that grows."""

    total: float = 0.0
    number: int = 0

    @property
    def value(self) -> float:
        """Return the mean. Raise ZeroDivisionError when there is nothing to take it of."""
        return self.total / self.number

    def plus(self, other: Mean) -> Mean:
        """Return both together."""
        return Mean(total=self.total + other.total, number=self.number + other.number)


class Scored(NamedTuple):
    """A trajectory with its score, as executing it gave it."""

    trajectory: Trajectory
    columns: dict[str, float]
    """Column beside the score -> value, of those that this task has."""
    faults: list[str]
    """What is wrong with the record itself, whoever played."""


class Counts(Model):
    """What a shard, or a whole rollout, holds."""

    trajectories: int = 0
    passed: int = 0
    ends: dict[str, int] = {}
    """End reason -> trajectories."""
    assistant: Usage = Usage()
    """Tokens and money of the assistant, replies from the cache not counted."""
    user: Usage = Usage()
    faulty: int = 0
    """Trajectories whose record does not hold what it must: a defect of ours, whoever played."""
    columns: dict[str, Mean] = {}
    """Columns beside the score, such as PAUSE's, over the trajectories that have them."""

    @property
    def scored(self) -> int:
        """Return the trajectories that say something about the assistant."""
        return self.trajectories - sum(self.ends.get(end, 0) for end in UNSCORED)

    def plus(self, other: Counts) -> Counts:
        """Return both together."""
        ends = {name: self.ends.get(name, 0) + other.ends.get(name, 0) for name in sorted({*self.ends, *other.ends})}
        means = {
            name: self.columns.get(name, Mean()).plus(other.columns.get(name, Mean()))
            for name in sorted({*self.columns, *other.columns})
        }
        return Counts(
            trajectories=self.trajectories + other.trajectories,
            passed=self.passed + other.passed,
            ends=ends,
            assistant=self.assistant.plus(other.assistant),
            user=self.user.plus(other.user),
            faulty=self.faulty + other.faulty,
            columns=means,
        )


class Counting:
    """Counts that grow by one trajectory after the other."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._trajectories = self._passed = self._faulty = 0
        self._ends = Counter[str]()
        self._assistant = self._user = Usage()
        self._totals: dict[str, float] = {}
        self._numbers = Counter[str]()

    def see(self, scored: Scored) -> None:
        """Take in one trajectory."""
        trajectory = scored.trajectory
        self._trajectories += 1
        self._passed += trajectory.score is not None and trajectory.score.passed
        self._faulty += bool(scored.faults)
        self._ends[trajectory.end] += 1
        self._assistant = _with(self._assistant, trajectory.assistant.usage)
        self._user = _with(self._user, trajectory.user.usage)
        for name, value in scored.columns.items():
            self._totals[name] = self._totals.get(name, 0.0) + value
            self._numbers[name] += 1

    @property
    def counts(self) -> Counts:
        """What was counted by now."""
        means = {n: Mean(total=total, number=self._numbers[n]) for n, total in sorted(self._totals.items())}
        return Counts(
            trajectories=self._trajectories,
            passed=self._passed,
            ends=dict(sorted(self._ends.items())),
            assistant=self._assistant,
            user=self._user,
            faulty=self._faulty,
            columns=means,
        )


def _with(usage: Usage, more: Usage) -> Usage:
    """Return both together; a scripted side has used nothing."""
    return usage if more == _NOTHING else usage.plus(more)


def read_name(name: str) -> Part | None:
    """Return what a shard's name states; None for any other name."""
    match = _NAME.fullmatch(name)
    return Part(*(int(group) for group in match.groups())) if match else None


@cache
def columns() -> tuple[tuple[str, str, pa.DataType | None], ...]:
    """Return column, field and type; no type for a field that stands as canonical JSON in `<field>_json`."""
    kinds = {name: arrow_type(field.annotation) for name, field in Trajectory.model_fields.items()}
    return tuple((name if kind else f"{name}_json", name, kind) for name, kind in kinds.items())


@cache
def arrow_schema() -> pa.Schema:
    """Return the columns of a shard."""
    return pa.schema([pa.field(name, kind or pa.string(), nullable=False) for name, _, kind in columns()])


def to_row(trajectory: Trajectory) -> Row:
    """Return a trajectory as a row."""
    fields = trajectory.__dict__
    return {name: fields[field] if kind else canonical_text(fields[field]) for name, field, kind in columns()}


def _line(row: Row) -> bytes:
    """Return a row as a canonical line. No column is a number with two forms, so no such number is looked for."""
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def from_row(row: Row) -> Trajectory:
    """Return the trajectory of a row. Raise ValueError when it is none."""
    return Trajectory.of_parsed(
        {field: row[name] if kind else orjson.loads(cast("str", row[name])) for name, field, kind in columns()}
    )


class ShardWriter:
    """A shard that is being written: trajectories come in order and leave memory group by group."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._rows: list[Row] = []
        self._records = hashlib.sha256()
        self._counting = Counting()

    def add(self, scored: Scored) -> None:
        """Take the next trajectory."""
        row = to_row(scored.trajectory)
        self._records.update(_line(row))
        self._rows.append(row)
        self._counting.see(scored)
        if len(self._rows) == GROUP:
            self._flush()

    def finish(self, footer: Footer) -> Footer:
        """Write what is left and what the shard says of itself; return that."""
        if self._rows:
            self._flush()
        counts = self._counting.counts.model_dump(mode="json")
        sealed = footer.model_copy(update={"records": self._records.hexdigest(), "counts": counts})
        cast("Any", self._writer).add_key_value_metadata({_KEY: canonical(sealed)})
        return sealed

    def _flush(self) -> None:
        self._writer.write_table(to_table(self._rows, arrow_schema()))
        self._rows = []


@contextmanager
def writing(root: Path, part: Part, footer: Footer) -> Generator[ShardWriter]:
    """Yield a writer for a shard, which appears under its name when this context ends well, and not at all else."""
    file = root / part.path
    temporary = file.with_name(f".{file.name}.{os.getpid()}{PART}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            with pq.ParquetWriter(
                stream, arrow_schema(), compression="zstd", compression_level=3, version="2.6"
            ) as opened:
                writer = ShardWriter(opened)
                yield writer
                writer.finish(footer)
            stream.flush()
            os.fsync(stream.fileno())
        publish(temporary, file)
    except OSError as error:
        raise StoreError(
            f"cannot write {file}: {error.strerror or error}; nothing is half-written, try again"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def entry_at(root: Path, part: Part, footer: Footer, rows: int) -> Entry:
    """Return the manifest entry of a shard that is there."""
    return entry_of(part.path, footer, rows, (root / part.path).read_bytes())


def read_shard(file: Path, only: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield the rows of a shard in order, a group at a time. Raise StoreError when it is damaged."""
    try:
        with cast("Any", pq).ParquetFile(file) as opened:
            for batch in opened.iter_batches(batch_size=GROUP, columns=list(only) if only else None):
                yield from cast("list[Row]", batch.to_pylist())
    except (OSError, ValueError, pa.ArrowException) as error:
        what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise StoreError(
            f"{file}: no readable shard ({what}); remove it, and the next rollout makes it again"
        ) from error
