"""Blocks: what a user gets depends on the seed and the user, not on how the run was cut, grown or started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from flows.blocks import judging, make_block, make_world_shard
from flows.errors import InfrastructureError
from flows.rows import MODELS, from_row
from flows.store import load_funnel, open_run
from flows.verification import verify
from flows.verifying import Verifier, fault_of, other_environment, verifier
from schemas.certificate import Certificate
from tests.effort import amount
from tests.flows.hollow import config_of, contents
from tests.flows.real import TASKS, USERS, by_id, make_run, rows_of
from tests.nonempty import nonempty
from tests.scan import ROOT


def test_every_user_has_all_tasks_in_order(finished: Path) -> None:
    ids = [str(row["task_id"]) for row in rows_of(finished, "tasks")]
    assert ids == [f"u{user:06d}-t{task:05d}" for user in range(USERS) for task in range(TASKS)]


def test_every_kept_record_is_one_and_passed_all_its_checks(finished: Path) -> None:
    for stage, model in MODELS.items():
        for row in nonempty(rows_of(finished, stage)):
            record, extra = from_row(stage, row)
            model.model_validate(record)
            verdicts = cast("Any", extra.get("certificate", extra))["verdicts"]
            assert fault_of(verdicts) == ("", "")


def test_certificates_name_their_task_and_hold_a_control(finished: Path) -> None:
    for row in nonempty(rows_of(finished, "tasks")):
        certificate = Certificate.model_validate(from_row("tasks", row)[1]["certificate"])
        assert certificate.task_id == row["task_id"]
        (control,) = (v for v in certificate.verdicts if v.check == "task.other_gold")
        assert control.counts["of"] <= int(str(row["ordinal"])) % 10


def test_the_funnel_counts_what_stands_in_the_shards(finished: Path) -> None:
    funnel, rejects = load_funnel(finished), rows_of(finished, "rejects")
    assert funnel.of("selection").kept == funnel.of("selection").made - funnel.of("selection").rejected == USERS * TASKS
    assert funnel.of("tasks").kept == funnel.of("selection").made
    assert funnel.of("tasks").rejected + funnel.of("selection").rejected == len(rejects)
    assert funnel.of("profiles").kept == funnel.of("environments").kept == USERS
    assert len({str(row["id"]) for row in rejects}) == len(rejects)
    assert all(row["check"] and row["reason"] for row in rejects)


def test_a_grown_run_holds_the_same_records_as_one_made_at_once(finished: Path, tmp_path: Path) -> None:
    root = tmp_path / "grown"
    for users, tasks in amount([(1, 4)], [(1, 4), (USERS, 4)]):
        make_run(root, config_of(users, tasks))
    make_run(root, config_of(USERS, TASKS))
    for stage, name in (("users", "user_id"), ("environments", "user_id"), ("tasks", "task_id"), ("rejects", "id")):
        assert by_id(root, stage, name) == by_id(finished, stage, name)
    assert load_funnel(root) == load_funnel(finished)
    assert verify(root) == 0


@pytest.mark.slow
def test_one_verifier_for_several_blocks_says_what_one_for_each_says(tmp_path: Path) -> None:
    apart, together, config = tmp_path / "apart", tmp_path / "together", config_of(12, 2)
    make_run(apart, config)
    with open_run(together, config) as run:
        run.add(make_world_shard(together, config).shards)
        blocks = list(run.missing())
        assert len(blocks) == 2
        with judging(together, config, 7) as judge:
            for block in reversed(blocks):
                for made in make_block(together, config, block, judge=judge):
                    run.add(made.shards, made.extent)
        run.save()
    assert contents(together) == contents(apart)


def test_hash_seed_time_zone_and_folder_change_no_byte(finished: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "tests.flows.real", str(tmp_path / "run")]
    env = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "America/Caracas", "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=tmp_path, env=env, check=True)
    assert contents(tmp_path / "run") == contents(finished)


def test_the_verifier_runs_under_another_hash_seed() -> None:
    assert len({other_environment(block)["PYTHONHASHSEED"] for block in range(100)}) == 100


@pytest.mark.parametrize(
    ("kind", "line"),
    [("nonsense", b"{}"), ("users", b"no json"), ("tasks", b'{"user_id":"u000000","round":0,"tasks":[{}]}')],
)
def test_a_verifier_that_crashes_is_a_fault_of_the_infrastructure(tmp_path: Path, kind: str, line: bytes) -> None:
    with verifier(tmp_path, 1, 0) as judge, pytest.raises(InfrastructureError, match="ended without an answer"):
        judge.ask(kind, "a.jsonl", [line])
        judge.answers()
    assert list(tmp_path.iterdir()) == []


def test_a_verifier_that_hangs_is_a_fault_of_the_infrastructure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.verifying.PATIENCE_S", 0.2)
    pipe = subprocess.PIPE
    with subprocess.Popen(["sleep", "20"], stdin=pipe, stdout=pipe) as process:
        judge = Verifier(tmp_path, process)
        judge.ask("world", "a.jsonl", [b"{}"])
        with pytest.raises(InfrastructureError, match="no answer within"):
            judge.answers()
        process.kill()


def test_verdicts_on_other_bytes_are_refused(tmp_path: Path) -> None:
    answer = 'read l; printf \'{"sha256":"00","verdicts":[]}\' > a.jsonl.verdicts; echo "$l"'
    pipe = subprocess.PIPE
    with subprocess.Popen(["sh", "-c", answer], stdin=pipe, stdout=pipe, cwd=tmp_path) as process:
        judge = Verifier(tmp_path, process)
        judge.ask("world", "a.jsonl", [b"{}"])
        with pytest.raises(InfrastructureError, match="other bytes"):
            judge.answers()


@pytest.mark.parametrize(
    ("verdicts", "fault"),
    [
        ([], ("no_checks", "no check was run")),
        ([{"check": "a", "passed": True, "reason": ""}], ("", "")),
        ([{"check": "a", "passed": True, "reason": ""}, {"check": "b", "passed": False, "reason": "r"}], ("b", "r")),
        ([{"check": "b", "passed": "yes", "reason": ""}], ("b", "failed")),
    ],
)
def test_only_verdicts_that_are_all_good_are_good(verdicts: list[dict[str, object]], fault: tuple[str, str]) -> None:
    assert fault_of(verdicts) == fault  # pyright: ignore[reportArgumentType]
