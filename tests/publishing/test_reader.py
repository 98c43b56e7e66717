"""Reading a release back, and finding whatever was altered."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from publishing.errors import ReleaseError
from publishing.manifest import manifest_bytes, read_manifest, sealed
from publishing.parquet import RawRow, read_rows
from publishing.reader import check_files, is_release, open_release, read_release
from publishing.resealing import reseal
from publishing.splits import index_of, split_of
from services import open_environment
from tests.nonempty import nonempty


@pytest.fixture
def copy(release: Path, tmp_path: Path) -> Path:
    shutil.copytree(release, tmp_path / "copy")
    return tmp_path / "copy"


def rewrite(path: Path, change: Callable[[list[dict[str, object]]], list[dict[str, object]]]) -> None:
    """Change the rows of one file."""
    schema = pq.read_schema(path)
    pq.write_table(pa.Table.from_pylist(change(list(read_rows(path))), schema), path)


def test_a_clean_release_has_no_problems(release: Path) -> None:
    assert check_files(release) == []


def test_users_come_one_by_one_with_all_that_is_theirs(release: Path) -> None:
    users = list(open_release(release).by_user())
    assert [user.profile.index for user in users] == list(range(8))
    for user in users:
        assert user.split == split_of(index_of(user.profile.user_id))
        assert user.environment.user_id == user.profile.user_id
        assert {task.user_id for task in user.tasks} == {user.profile.user_id}
        assert [task.ordinal for task in user.tasks] == [0, 1, 2]
        assert [c.task_id for c in user.certificates] == [task.task_id for task in user.tasks]


def test_an_environment_from_the_files_opens_at_the_start_of_each_task(release: Path) -> None:
    records = read_release(release)
    environments = {environment.user_id: environment for environment in records.environments}
    for task in nonempty(records.tasks):
        env = open_environment(environments[task.user_id], records.worlds[0], task)
        assert env.state_hash() == task.start_hash


def test_published_rows_open_at_the_start_of_a_task(release: Path) -> None:
    """The row of `starts` is all that is needed; that of `tasks`, which an assistant's loader reads, cannot open it."""
    world = next(rows(release, "worlds"))
    environments = {row["environment_id"]: row for row in rows(release, "environments")}
    opened = 0
    for start, task in zip(rows(release, "starts"), rows(release, "tasks"), strict=True):
        env = open_environment(environments[start["environment_id"]], world, start)
        assert env.state_hash() == start["start_hash"]
        with pytest.raises(ValueError, match="no column 'setup_json'"):
            open_environment(environments[start["environment_id"]], world, task)
        opened += 1
    assert opened == 24


def rows(release: Path, config: str) -> Iterator[RawRow]:
    for path in sorted((release / "data" / config).glob("*.parquet")):
        yield from read_rows(path)


def test_a_start_elsewhere_is_found(copy: Path) -> None:
    def moved(found: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{**row, "environment_id": "e_other"} for row in found]

    rewrite(copy / "data" / "starts" / "test-00000-of-00001.parquet", moved)
    with pytest.raises(ReleaseError, match="it starts in e_other"):
        read_release(copy)


def test_run_and_release_are_told_apart(release: Path, run: Path, tmp_path: Path) -> None:
    assert is_release(release)
    assert not is_release(run)
    assert not is_release(tmp_path)
    with pytest.raises(ReleaseError, match=r"no release: it has no manifest\.json"):
        open_release(tmp_path)
    with pytest.raises(ReleaseError, match="no manifest of a release"):
        open_release(run)


@pytest.mark.parametrize(
    "name", ["README.md", "data/gold/test-00000-of-00001.parquet", "schemas/tasks.json", "LICENSE"]
)
def test_one_altered_byte_is_found_and_named(copy: Path, name: str) -> None:
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    assert check_files(copy) == [f"{name}: its SHA-256 is not the one in manifest.json"]


def test_an_altered_manifest_is_found(copy: Path) -> None:
    path = copy / "manifest.json"
    path.write_text(path.read_text().replace('"version":"1.0.0"', '"version":"1.0.1"'))
    assert check_files(copy) == ["manifest.json: its own digest does not fit its content"]


def test_missing_and_foreign_files_are_found(copy: Path) -> None:
    (copy / "LICENSE").unlink()
    (copy / "data" / "tasks" / "train-9.parquet").write_bytes(b"")
    assert check_files(copy) == ["LICENSE: is missing", "data/tasks/train-9.parquet: is not listed in manifest.json"]


def test_records_are_sealed_apart_from_the_files_that_hold_them(copy: Path) -> None:
    def spoil(rows: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{**row, "end_hash": "0" * 32} for row in rows]

    before = read_manifest(copy)
    rewrite(copy / "data" / "gold" / "test-00000-of-00001.parquet", spoil)
    reseal(copy)
    assert check_files(copy) == []
    files = read_manifest(copy).files
    (copy / "manifest.json").write_bytes(manifest_bytes(sealed(before.model_copy(update={"files": files}))))
    assert check_files(copy) == ["gold/test: its records are not those that manifest.json seals"]


def test_another_column_type_is_found(copy: Path) -> None:
    path = copy / "data" / "tasks" / "test-00000-of-00001.parquet"
    rows = [{**row, "ordinal": str(row["ordinal"])} for row in read_rows(path)]
    pq.write_table(pa.Table.from_pylist(rows), path)
    reseal(copy)
    assert check_files(copy) == ["data/tasks/test-00000-of-00001.parquet: its columns are not those of tasks"]


@pytest.mark.parametrize("config", ["tasks", "starts", "scripts", "gold"])
def test_rows_of_different_tasks_are_never_put_together(copy: Path, config: str) -> None:
    rewrite(copy / "data" / config / "test-00000-of-00001.parquet", lambda rows: list(reversed(rows)))
    with pytest.raises(ReleaseError, match="are not of one task"):
        read_release(copy)


def test_what_the_user_knows_must_be_what_the_intents_say(copy: Path) -> None:
    rewrite(
        copy / "data" / "scripts" / "test-00000-of-00001.parquet",
        lambda rows: [{**row, "knows_json": "[]"} for row in rows],
    )
    with pytest.raises(ReleaseError, match="does not say what the intents say"):
        read_release(copy)


@pytest.mark.parametrize(
    ("config", "words"), [("environments", "is missing or out of order"), ("users", "have no user")]
)
def test_a_user_with_missing_records_is_found(copy: Path, config: str, words: str) -> None:
    def others(rows: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{**row, "user_id": "u000009", "environment_id": "u000009-env"} for row in rows]

    for name in {config, "environments"}:
        rewrite(copy / "data" / name / "test-00000-of-00001.parquet", others)
    with pytest.raises(ReleaseError, match=words):
        read_release(copy)
