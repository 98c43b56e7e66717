"""`verify`: any altered byte, and after all checksums were made true again, any altered record."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from flows.cli import main
from flows.manifest import CONFIG, FUNNEL, MANIFEST
from flows.resealing import reseal
from flows.rows import Row
from flows.shards import read_footer, read_rows, write_shard
from flows.verification import verify
from tests.flows.real import TASKS, USERS
from tests.nonempty import nonempty

ALL = f"verified {USERS * TASKS} of {USERS * TASKS}"
Capture = pytest.CaptureFixture[str]
Data = Any
"""JSON data that is altered in place."""


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def shard(root: Path, stage: str) -> Path:
    return sorted((root / stage).glob("*.parquet"))[0]


def edit(root: Path, stage: str, change: Callable[[list[Row]], None]) -> None:
    """Alter the rows of a stage's first shard and make every checksum true again."""
    file = shard(root, stage)
    rows = read_rows(file)
    change(rows)
    write_shard(root, f"{stage}/{file.name}", rows, read_footer(file)[0])
    reseal(root)


def edit_json(root: Path, stage: str, column: str, change: Callable[[Row, Data], bool]) -> str:
    """Alter the JSON of the first row of which `change` says that it did, and return the row's id."""
    altered: list[str] = []

    def first(rows: list[Row]) -> None:
        for row in rows:
            value = json.loads(str(row[column]))
            if change(row, value):
                row[column] = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
                altered.append(str(row["task_id" if stage == "tasks" else "user_id"]))
                return

    edit(root, stage, first)
    return altered[0]


def told(root: Path, capsys: Capture, *, fast: bool = False) -> tuple[int, str]:
    code = verify(root, fast=fast)
    return code, capsys.readouterr().out


def test_a_finished_run_is_verified_in_a_new_process(finished: Path, capfd: Capture) -> None:
    assert main(["verify", str(finished)]) == 0
    assert capfd.readouterr().out.strip() == ALL


def test_the_fast_way_executes_every_gold_too(finished: Path, capsys: Capture) -> None:
    assert told(finished, capsys, fast=True) == (0, f"{ALL}\n")


def test_resealing_an_unaltered_run_changes_no_byte(run: Path, finished: Path) -> None:
    reseal(run)
    for file in nonempty(path for path in sorted(finished.rglob("*")) if path.is_file()):
        assert (run / file.relative_to(finished)).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("stage", ["users", "worlds", "environments", "tasks", "rejects", CONFIG, FUNNEL, MANIFEST])
@pytest.mark.parametrize("place", [0.0, 0.5, 0.999])
def test_any_altered_byte_is_found(run: Path, capsys: Capture, stage: str, place: float) -> None:
    file = run / stage if "." in stage else shard(run, stage)
    data = bytearray(file.read_bytes())
    data[int(place * len(data))] ^= 1
    file.write_bytes(data)
    try:
        code, out = told(run, capsys)
    except Exception as error:
        assert stage == MANIFEST
        assert "manifest.json" in str(error)
    else:
        assert code == 1
        assert file.name in out


@pytest.mark.parametrize("stage", ["users", "rejects", "tasks"])
def test_a_missing_and_a_foreign_shard_are_found(run: Path, capsys: Capture, stage: str) -> None:
    file = shard(run, stage)
    file.rename(file.with_name("other.parquet"))
    code, out = told(run, capsys)
    assert code == 1
    assert f"FAILED {stage}/{file.name} files.present" in out
    assert f"FAILED {stage}/other.parquet files.listed" in out


def gold_argument(row: Row, plan: Data) -> bool:
    calls = [step for step in plan["steps"] if step["step"] == "call" and step["tool"] == "add_to_cart"]
    for call in calls[:1]:
        call["arguments"]["quantity"] += 1
    return bool(calls)


def balance(row: Row, tables: Data) -> bool:
    tables["wallet"][0]["balance_cents"] += 1
    return True


def contract(row: Row, expectation: Data) -> bool:
    for change in (change for option in expectation["any_of"] for change in option["changes"]):
        for rule in change["fields"].values():
            if rule["rule"] == "equal" and isinstance(rule["value"], int):
                rule["value"] += 1
                return True
    return False


def count(row: Row, certificate: Data) -> bool:
    certificate["verdicts"][-1]["counts"]["invented"] = 1
    return True


def calls(row: Row, certificate: Data) -> bool:
    certificate["tool_calls"] += 1
    return True


def missing_verdict(row: Row, certificate: Data) -> bool:
    return certificate["verdicts"].pop() is not None


@pytest.mark.parametrize(
    ("stage", "column", "change", "check"),
    [
        ("tasks", "plan_json", gold_argument, "task."),
        ("environments", "tables_json", balance, "environment."),
        ("tasks", "expectation_json", contract, "task."),
        ("tasks", "certificate_json", count, "task."),
        ("tasks", "certificate_json", calls, "certificate.tool_calls"),
        ("tasks", "certificate_json", missing_verdict, "task."),
    ],
)
def test_an_altered_record_is_found_though_all_checksums_are_true(
    run: Path, capsys: Capture, stage: str, column: str, change: Callable[[Row, Data], bool], check: str
) -> None:
    record = edit_json(run, stage, column, change)
    code, out = told(run, capsys)
    assert code == 1
    assert f"FAILED {record}" in out
    assert check in out
    assert ALL not in out


def test_an_altered_gold_argument_is_found_the_fast_way_too(run: Path, capsys: Capture) -> None:
    record = edit_json(run, "tasks", "plan_json", gold_argument)
    code, out = told(run, capsys, fast=True)
    assert code == 1
    assert f"FAILED {record} task.replay" in out


def drop_last(rows: list[Row]) -> None:
    rows.pop()


def twice(rows: list[Row]) -> None:
    rows.append(dict(rows[-1]))


def other_id(rows: list[Row]) -> None:
    rows[0]["task_id"] = "u000000-t00077"


def same_request(rows: list[Row]) -> None:
    rows[1]["instruction"] = rows[0]["instruction"]


@pytest.mark.parametrize(
    ("stage", "change", "said"),
    [
        ("users", drop_last, "task.ids"),
        ("tasks", twice, "task.ids"),
        ("tasks", other_id, "task.ids"),
        ("tasks", same_request, "selection.duplicate"),
        ("environments", drop_last, "environment.ids"),
    ],
)
def test_records_that_do_not_fit_together_are_found(
    run: Path, capsys: Capture, stage: str, change: Callable[[list[Row]], None], said: str
) -> None:
    edit(run, stage, change)
    code, out = told(run, capsys)
    assert code == 1
    assert said in out


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capfd: Capture) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert "is neither a run nor a release" in capfd.readouterr().err
