"""Building a release: the same bytes every time, nothing lost, nothing overwritten, nothing that is not finished."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import orjson
import pyarrow.parquet as pq
import pytest

from flows.store import open_run
from publishing.errors import ReleaseError
from publishing.manifest import is_sealed, read_manifest
from publishing.parquet import RawRow, read_rows
from publishing.reader import read_release
from publishing.release import build_release
from publishing.rows import CONFIGS, OF_TASK
from publishing.run import open_run as open_finished
from publishing.run import sha256_of
from publishing.splits import SPLITS, index_of, split_of
from schemas.certificate import Certificate
from schemas.task import Task
from tests.nonempty import nonempty
from tests.publishing import small_run


def files_of(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in paths}


def rows_of(release: Path, config: str, split: str = "*") -> list[RawRow]:
    paths = sorted((release / "data" / config).glob(f"{split}-*.parquet"))
    return [row for path in paths for row in read_rows(path)]


def test_the_folder_holds_what_a_reader_expects(release: Path) -> None:
    manifest = read_manifest(release)
    found = files_of(release)
    beside = {"README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md", "manifest.json"}
    assert {name for name in found if "/" not in name} == beside
    assert {name for name in found if name.startswith("schemas/")} == {f"schemas/{c.name}.json" for c in CONFIGS}
    assert {entry.path: entry.sha256 for entry in manifest.files} == {
        n: s for n, s in found.items() if n != "manifest.json"
    }
    assert is_sealed(manifest)
    assert (manifest.version, manifest.run.seed, manifest.run.users) == ("1.0.0", small_run.SEED, 8)


def test_the_manifest_counts_the_rows_of_every_file(release: Path) -> None:
    for entry in nonempty(read_manifest(release).files):
        if entry.path.endswith(".parquet"):
            assert entry.rows == pq.read_metadata(release / entry.path).num_rows
            assert entry.bytes == (release / entry.path).stat().st_size


def test_files_are_numbered_and_cut_by_rows(release: Path) -> None:
    names = sorted(path.name for path in (release / "data" / "tasks").glob("train-*.parquet"))
    assert names == [f"train-{at:05d}-of-00005.parquet" for at in range(5)]
    assert [pq.read_metadata(release / "data" / "tasks" / name).num_rows for name in names] == [4, 4, 4, 4, 2]


def test_built_again_the_bytes_are_the_same(run: Path, tmp_path: Path) -> None:
    build_release(run, "1.0.0", tmp_path / "one")
    build_release(run, "1.0.0", tmp_path / "other")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "other")
    build_release(run, "1.0.0", tmp_path / "one")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


def test_another_process_with_another_hash_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    run = small_run.make(tmp_path, users=2)
    imports = "import sys\nfrom pathlib import Path\nfrom publishing.release import build_release\n"
    program = f"{imports}build_release(Path(sys.argv[1]), '1.0.0', Path(sys.argv[2]))"
    root = str(Path(__file__).parents[2])
    env = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo", "PYTHONPATH": root}
    subprocess.run([sys.executable, "-c", program, str(run), str(tmp_path / "other")], env=env, check=True)
    build_release(run, "1.0.0", tmp_path / "one")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "other")


def test_a_run_that_grew_gives_the_records_of_a_fresh_one(tmp_path: Path) -> None:
    fresh = small_run.make(tmp_path / "fresh", users=2)
    grown = small_run.make(tmp_path / "grown", users=2, parts=((0, 1), (1, 3)))
    assert len(list((grown / "tasks").glob("*.parquet"))) == 2
    build_release(fresh, "1.0.0", tmp_path / "one")
    build_release(grown, "1.0.0", tmp_path / "other")
    same = {name: sha for name, sha in files_of(tmp_path / "one").items() if name.startswith("data/")}
    assert same == {name: sha for name, sha in files_of(tmp_path / "other").items() if name.startswith("data/")}


def test_records_come_back_as_they_were(run: Path, release: Path) -> None:
    records = read_release(release)
    stored = sorted(
        (row for path in (run / "tasks").glob("*.parquet") for row in read_rows(path)),
        key=lambda row: str(row["task_id"]),
    )
    tasks = sorted(records.tasks, key=lambda task: task.task_id)
    for row, task in zip(stored, tasks, strict=True):
        fields = {n.removesuffix("_json"): orjson.loads(str(v)) if n.endswith("_json") else v for n, v in row.items()}
        assert task == Task.model_validate({name: fields[name] for name in Task.model_fields})
    assert [certificate.task_id for certificate in records.certificates] == [task.task_id for task in records.tasks]
    assert len(records.users) == len(records.environments) == 8
    assert [world.world_id for world in records.worlds] == [records.environments[0].world_id]


def test_no_user_is_in_two_splits(release: Path) -> None:
    for config in (config.name for config in CONFIGS if config.per_user):
        for split in SPLITS:
            users = {str(row["user_id"]) for row in rows_of(release, config, split)}
            assert users
            assert {split_of(index_of(user)) for user in users} == {split}
    scenarios = [{str(row["scenario"]) for row in rows_of(release, "gold", split)} for split in SPLITS]
    assert sum(map(len, scenarios)) == len(set().union(*scenarios))


def test_the_rows_of_a_task_stand_in_the_same_order_in_every_config(release: Path) -> None:
    for split in SPLITS:
        orders = [[row["task_id"] for row in rows_of(release, config, split)] for config in OF_TASK]
        assert orders == [sorted(map(str, nonempty(orders[0])))] * len(OF_TASK)


def test_rows_fit_their_published_json_schema(release: Path) -> None:
    for config in CONFIGS:
        schema = orjson.loads((release / "schemas" / f"{config.name}.json").read_bytes())
        validator = jsonschema.Draft202012Validator(schema)
        rows = rows_of(release, config.name)
        assert rows
        for row in rows:
            validator.validate(row)
        for column, rules in schema["properties"].items():
            if column.endswith("_json"):
                inner = jsonschema.Draft202012Validator({**rules["contentSchema"], "$defs": schema.get("$defs", {})})
                for row in rows[:6]:
                    inner.validate(orjson.loads(str(row[column])))


def test_what_an_assistant_sees_holds_no_gold(release: Path) -> None:
    gold = {str(row["task_id"]): row for row in rows_of(release, "gold")}
    scripts = {str(row["task_id"]): row for row in rows_of(release, "scripts")}
    starts = {str(row["task_id"]): row for row in rows_of(release, "starts")}
    changed = prepared = 0
    for row in rows_of(release, "tasks"):
        assert not row.keys() & {"setup_json", "start_hash", "environment_hash"}
        grading, start = gold[str(row["task_id"])], starts[str(row["task_id"])]
        prepared += start["setup_json"] != "[]"
        changed += grading["end_hash"] != start["start_hash"]
        if grading["end_hash"] != start["start_hash"]:
            assert str(grading["end_hash"]) not in orjson.dumps([row, scripts[str(row["task_id"])]]).decode()
        seen = " ".join((str(row["instruction"]), str(row["now"]), *map(str, row["offered_tools"])))  # type: ignore[arg-type]
        plan = orjson.loads(str(grading["plan_json"]))
        ids = {
            value
            for step in plan["steps"]
            for name, value in step.get("arguments", {}).items()
            if name.endswith("_id") and isinstance(value, str)
        }
        assert not [value for value in ids if value in seen]
        told = orjson.loads(str(scripts[str(row["task_id"])]["knows_json"]))
        assert {name for fact in told for name in fact} == {"intent", "name", "kind", "value", "told", "first"}
    assert changed > 5 and prepared > 5


@pytest.mark.parametrize("version", ["1.0", "latest", "v1.0.0", ""])
def test_a_wrong_version_is_refused(run: Path, tmp_path: Path, version: str) -> None:
    with pytest.raises(ReleaseError, match=r"no semantic version: write it as MAJOR\.MINOR\.PATCH"):
        build_release(run, version, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_an_incomplete_run_is_refused(tmp_path: Path) -> None:
    folder = small_run.make(tmp_path, users=1, tasks=1)
    config = open_finished(folder).config.model_copy(update={"tasks_per_user": 5})
    with open_run(folder, config) as run:
        run.save()
    with pytest.raises(ReleaseError, match="not complete: 1 of 5 tasks"):
        build_release(folder, "1.0.0", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_task_that_failed_a_check_is_refused(tmp_path: Path) -> None:
    def failing(task: Task) -> Certificate:
        good = small_run.certificate(task)
        bad = good.verdicts[-1].model_copy(update={"passed": False, "reason": "on purpose"})
        return good.model_copy(update={"verdicts": [*good.verdicts[:-1], bad]})

    folder = small_run.make(tmp_path, users=1, tasks=1, certify=failing)
    with pytest.raises(ReleaseError, match=r"task u000000-t00000 failed task\.discriminates"):
        build_release(folder, "1.0.0", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_task_without_verdicts_is_refused(tmp_path: Path) -> None:
    folder = small_run.make(
        tmp_path, users=1, tasks=1, certify=lambda t: Certificate(task_id=t.task_id, verdicts=[], tool_calls=0)
    )
    with pytest.raises(ReleaseError, match="u000000-t00000 was never checked"):
        build_release(folder, "1.0.0", tmp_path / "out")


@pytest.mark.parametrize("name", ["config.yaml", "funnel.json", "tasks"])
def test_an_altered_run_is_refused(tmp_path: Path, name: str) -> None:
    folder = small_run.make(tmp_path, users=1, tasks=1)
    (file,) = [folder / name] if "." in name else list((folder / name).glob("*.parquet"))
    data = bytearray(file.read_bytes())
    if name == "config.yaml":
        data += b"# a comment\n"
    elif name == "funnel.json":
        data += b"\n"
    else:
        data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(ReleaseError, match=f"{file.name} was altered"):
        build_release(folder, "1.0.0", tmp_path / "out")


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    folder = small_run.make(tmp_path, users=1, tasks=1)
    (file,) = (folder / "users").glob("*.parquet")
    file.unlink()
    with pytest.raises(ReleaseError, match=f"{file.name} is missing"):
        build_release(folder, "1.0.0", tmp_path / "out")


def test_a_folder_with_something_else_is_never_touched(run: Path, release: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ReleaseError, match="is not empty and holds no release"):
        build_release(run, "1.0.0", tmp_path)
    before = files_of(release)
    with pytest.raises(ReleaseError, match=r"holds quickstart 1\.0\.0; a release is never overwritten"):
        build_release(run, "1.0.1", release)
    assert (files_of(release), (tmp_path / "notes.txt").read_text()) == (before, "mine")


def test_a_release_of_another_run_or_with_foreign_files_is_never_touched(run: Path, tmp_path: Path) -> None:
    other = small_run.make(tmp_path, users=1, tasks=1)
    out = tmp_path / "out"
    build_release(other, "1.0.0", out)
    with pytest.raises(ReleaseError, match=r"1\.0\.0 of another run"):
        build_release(run, "1.0.0", out)
    (out / "notes.txt").write_text("mine")
    with pytest.raises(ReleaseError, match=r"holds 'notes\.txt', no part of the release"):
        build_release(other, "1.0.0", out)
    assert (out / "notes.txt").read_text() == "mine"


def test_a_run_of_few_users_has_only_the_splits_that_have_rows(tmp_path: Path) -> None:
    folder = small_run.make(tmp_path, users=1, tasks=2)
    summary = build_release(folder, "0.1.0", tmp_path / "out")
    assert list(summary.manifest.configs["tasks"].splits) == ["train"]
    assert "split: test" not in (tmp_path / "out" / "README.md").read_text()
    assert "tasks                2 rows (train 2)" in summary.text()


def test_what_an_interrupted_build_left_is_replaced(run: Path, tmp_path: Path) -> None:
    left = tmp_path / ".out.part"
    (left / "data").mkdir(parents=True)
    (left / "data" / "half.parquet").write_bytes(b"PAR1")
    build_release(run, "1.0.0", tmp_path / "out")
    assert not left.exists()
    assert not list((tmp_path / "out").rglob("half.parquet"))
