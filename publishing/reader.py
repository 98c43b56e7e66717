"""Reading a release: its records put together again from the published files, and what is wrong with its files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from publishing.columns import arrow_schema, schema_digest
from publishing.errors import ReleaseError
from publishing.manifest import MANIFEST, Manifest, is_sealed, read_manifest
from publishing.parquet import read_rows, schema_of
from publishing.rows import (
    BY_NAME,
    FIRST,
    OF_TASK,
    EnvironmentRow,
    GoldRow,
    ScriptRow,
    StartRow,
    TaskRow,
    WorldRow,
    facts_of,
)
from publishing.run import sha256_of
from publishing.splits import SHARED, SPLITS, Split
from schemas.base import Model, canonical
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.task import Kin, Task
from schemas.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from publishing.parquet import RawRow
    from schemas.certificate import Certificate

R = TypeVar("R", bound=Model)


@dataclass(frozen=True, slots=True)
class UserRecords:
    """All published records of one user."""

    split: Split
    profile: Profile
    environment: EnvironmentRecord
    tasks: list[Task]
    certificates: list[Certificate]
    """One per task, in the same order."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release folder that was opened. Records are read when they are asked for, one user at a time."""

    folder: Path
    manifest: Manifest

    def worlds(self) -> Iterator[World]:
        """Yield the worlds."""
        for row in _rows(self.folder, "worlds", SHARED, WorldRow):
            yield World.model_validate(_fields(row))

    def by_user(self) -> Iterator[UserRecords]:
        """Yield the records of each user, by user index. Raise ReleaseError when the configs do not fit together."""
        yield from merge(*(_users(self.folder, split) for split in SPLITS), key=lambda user: user.profile.index)

    def trajectories(self) -> Iterator[RawRow]:
        """Yield the row of each trajectory, in the order of tasks; see `publishing.trajectories`."""
        rows = (_raw(self.folder, "trajectories", split) for split in SPLITS)
        yield from merge(*rows, key=lambda row: str(row["task_id"]))


@dataclass(frozen=True, slots=True)
class ReleaseRecords:
    """Everything of a release at once."""

    users: list[Profile]
    worlds: list[World]
    environments: list[EnvironmentRecord]
    tasks: list[Task]
    certificates: list[Certificate]


def is_release(path: Path) -> bool:
    """Return whether `path` looks like a release folder rather than a run folder."""
    return (path / MANIFEST).is_file() and (path / "data").is_dir()


def open_release(path: Path) -> Release:
    """Return the release in the folder `path`. Raise ReleaseError when there is none."""
    return Release(path, read_manifest(path))


def read_release(path: Path) -> ReleaseRecords:
    """Return all records of a release, for small ones. Raise ReleaseError when its configs do not fit together."""
    release = open_release(path)
    users = list(release.by_user())
    return ReleaseRecords(
        users=[user.profile for user in users],
        worlds=list(release.worlds()),
        environments=[user.environment for user in users],
        tasks=[task for user in users for task in user.tasks],
        certificates=[certificate for user in users for certificate in user.certificates],
    )


def check_files(path: Path) -> list[str]:
    """Return what is wrong with the files of a release, one sentence each: missing, foreign, altered, other columns."""
    manifest = read_manifest(path)
    problems = [] if is_sealed(manifest) else [f"{MANIFEST}: its own digest does not fit its content"]
    listed = {entry.path: entry for entry in manifest.files}
    present = {file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()} - {MANIFEST}
    problems += [f"{name}: is missing" for name in sorted(listed.keys() - present)]
    problems += [f"{name}: is not listed in {MANIFEST}" for name in sorted(present - listed.keys())]
    for name in sorted(listed.keys() & present):
        if sha256_of(path / name) != listed[name].sha256:
            problems.append(f"{name}: its SHA-256 is not the one in {MANIFEST}")
    return problems or _check_configs(path, manifest)


def task_of(task: TaskRow, start: StartRow, script: ScriptRow, gold: GoldRow) -> tuple[Task, Certificate]:
    """Return a task put together from its four rows. Raise ReleaseError when they do not belong together."""
    if len({(row.task_id, row.user_id) for row in (task, start, script, gold)}) != 1:
        msg = f"task {task.task_id}: its rows in {', '.join(OF_TASK)} are not of one task; the files were altered"
        raise ReleaseError(msg)
    if start.environment_id != task.environment_id:
        msg = f"task {task.task_id}: it starts in {start.environment_id}, and plays in {task.environment_id}"
        raise ReleaseError(msg)
    if facts_of(gold.intents_json, script.script_json) != script.knows_json:
        msg = f"task {task.task_id}: `knows_json` does not say what the intents say; the files were altered"
        raise ReleaseError(msg)
    given = {**_fields(task), **_fields(start), **_fields(script), **_fields(gold), "kin": _kin(task)}
    fields = {name: value for name, value in given.items() if name in Task.model_fields}
    return Task.model_validate(fields), gold.certificate_json


def _kin(task: TaskRow) -> Kin | None:
    """Return how a task came from another one. Raise ReleaseError when its row says that it came from itself."""
    if (task.kin == FIRST) is not (task.kin_of == task.task_id):
        msg = (
            f"task {task.task_id}: it is called {task.kin} and said to come from {task.kin_of}; the files were altered"
        )
        raise ReleaseError(msg)
    return None if task.kin == FIRST else Kin(kind=task.kin, of=task.kin_of)


def _users(folder: Path, split: Split) -> Iterator[UserRecords]:
    profiles = _rows(folder, "users", split, Profile)
    environments = _rows(folder, "environments", split, EnvironmentRow)
    rows = zip(
        _rows(folder, "tasks", split, TaskRow),
        _rows(folder, "starts", split, StartRow),
        _rows(folder, "scripts", split, ScriptRow),
        _rows(folder, "gold", split, GoldRow),
        strict=True,
    )
    tasks = groupby(rows, key=lambda row: row[0].user_id)
    following = next(tasks, None)
    for profile, environment in zip(profiles, environments, strict=True):
        if environment.user_id != profile.user_id:
            msg = f"{split}: the environment of {profile.user_id} is missing or out of order; the files were altered"
            raise ReleaseError(msg)
        pairs: list[tuple[Task, Certificate]] = []
        if following is not None and following[0] == profile.user_id:
            pairs = [task_of(*row) for row in following[1]]
            following = next(tasks, None)
        record = EnvironmentRecord.model_validate(_fields(environment))
        yield UserRecords(
            split, profile, record, [task for task, _ in pairs], [certificate for _, certificate in pairs]
        )
    if following is not None:
        msg = f"{split}: the tasks of {following[0]} have no user, or are out of order; the files were altered"
        raise ReleaseError(msg)


def _rows(folder: Path, config: str, split: str, row: type[R]) -> Iterator[R]:
    for raw in _raw(folder, config, split):
        yield row.model_validate(raw)


def _raw(folder: Path, config: str, split: str) -> Iterator[RawRow]:
    for path in sorted((folder / "data" / config).glob(f"{split}-*.parquet")):
        yield from read_rows(path)


def _fields(row: Model) -> dict[str, object]:
    """Return the fields of a row under the names they have in the record."""
    return {name.removesuffix("_json"): getattr(row, name) for name in type(row).model_fields}


def _check_configs(folder: Path, manifest: Manifest) -> list[str]:
    problems: list[str] = []
    for name, entry in manifest.configs.items():
        if name not in BY_NAME:
            problems.append(f"{name}: this version of pausegen does not know this config")
            continue
        if entry.schema_sha256 != schema_digest(BY_NAME[name].row):
            problems.append(f"{name}: its form is not the one that this version of pausegen writes")
        for split, counted in entry.splits.items():
            problems += _check_split(folder, name, split, counted.rows, counted.records_sha256)
    return problems


def _check_split(folder: Path, config: str, split: str, rows: int, records: str) -> list[str]:
    schema = arrow_schema(BY_NAME[config].row)
    for path in sorted((folder / "data" / config).glob(f"{split}-*.parquet")):
        if not schema_of(path).equals(schema):
            return [f"{path.relative_to(folder).as_posix()}: its columns are not those of {config}"]
    total = hashlib.sha256()
    count = 0
    for row in _raw(folder, config, split):
        total.update(canonical(row) + b"\n")
        count += 1
    if count != rows or total.hexdigest() != records:
        return [f"{config}/{split}: its records are not those that {MANIFEST} seals"]
    return []
